import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type AgentUpdate, createInitialState, emptyContext } from '../../../src/agents/state.ts'
import { Synthesis, type SynthesisOptions } from '../../../src/agents/synthesis.ts'
import { LimitReached } from '../../../src/errors.ts'
import type { Observation } from '../../../src/events/index.ts'
import { EndpointUnavailable } from '../../../src/models/port/errors.ts'
import { type Line, scriptedModel } from '../../../src/models/scripted.ts'
import { cited } from '../../fixtures/workflow.ts'
import { chatOf, inGraph, promptOf } from './in-graph.ts'
import { observation } from './observation.ts'

const text = 'The Marble corpus holds 81.1 million pages. It was released in 2021.'
const found = observation({ text, section: 'Size' })
const written = cited('Marble holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const empty = emptyContext()

interface Given {
  readonly observations?: readonly Observation[]
  readonly context?: Partial<typeof empty>
  readonly options?: Partial<SynthesisOptions>
  readonly chatName?: string
  readonly deadline?: AbortSignal
}

async function synthesize(lines: readonly Line[], given: Given = {}) {
  const { observations = [found], context, options, chatName, deadline } = given
  const model = scriptedModel(lines)
  const synthesis = new Synthesis({
    chat: chatOf(model, chatName),
    prompt: promptOf('history', 'question', 'evidence', 'assumptions'),
    temperature: 0,
    maxHistory: 10,
    evidenceTokens: 1000,
    quick: null,
    abstainBelow: 0.3,
    noteBelow: 0.5,
    repair: true,
    secondReading: null,
    pageTextOf: async () => text,
    quoteEvidence: async () =>
      new AIMessage(cited('Marble holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')),
    countDocuments: async () => 2,
    ...options,
  })
  const messages = [
    new HumanMessage('What is Halden?'),
    new AIMessage('A filter.'),
    new HumanMessage('And how big is it?'),
  ]
  const state = Object.freeze({
    ...createInitialState(messages, 't'),
    standaloneQuestion: 'How many pages does the Marble corpus hold?',
    iteration: 2,
    context: { ...empty, ...context, observations: [...observations] },
  })
  const { result, log } = await inGraph((inside) => synthesis.execute(state, inside), {
    agent: 'synthesis',
    ...(deadline && { deadline }),
  })
  return { update: result, log, heard: model.heard, abstained: result.context?.turn?.abstained }
}

describe('the synthesis agent', () => {
  it('ends at the limit of time in the middle of its checks, with what was checked by then', async () => {
    const deadline = new AbortController()
    const passed = new LimitReached('wallClockMs', 1000, 'The run may take 1 s, and they have passed.')
    let looked = 0
    const pageTextOf = async () => {
      looked += 1
      if (looked === 1) setTimeout(() => deadline.abort(passed), 1)
      // A slow step: the timer fires only if the agent gives way between sentences.
      for (const start = performance.now(); performance.now() - start < 25; );
      return text
    }
    const draft = Array.from({ length: 400 }, () => written).join('\n')
    const { update } = await synthesize([draft], { options: { pageTextOf }, deadline: deadline.signal })
    expect(update.context?.ending).toEqual({ reason: passed.message, limit: 'wallClockMs', value: 1000 })
    expect(update.finalAnswer).toMatch(
      /^Marble holds 81.1 million pages. \[1\][\s\S]*Stopped early: The run may take 1 s/,
    )
    expect(looked).toBeLessThan(400)
  })

  it('answers with verified citations and a confidence, in place of the draft, and ends the run', {
    tags: ['R34'],
  }, async () => {
    const { update, log, abstained } = await synthesize([written])
    expect(update).toMatchObject({
      nextAgent: 'END',
      lastAgent: 'synthesis',
      iteration: 3,
      finalAnswer: 'Marble holds 81.1 million pages. [1]',
      citations: [{ marker: 1, quote: 'holds 81.1 million pages', page: 1, verified: true }],
      unsupported: [],
    })
    expect(update.messages).toEqual([expect.objectContaining({ id: 'run-1-answer', content: update.finalAnswer })])
    expect(update.confidenceScore).toBeGreaterThan(0.5)
    expect(abstained).toBe(false)
    const said = log.filter(
      ({ type, payload }) => type === 'message.completed' && 'scope' in payload && payload.scope === 'thread',
    )
    expect(said.map(({ payload }) => payload)).toMatchObject([{ text: update.finalAnswer, superseded: false }])
  })

  it('says of each sentence what it rests on, and lists what rests on nothing', {
    tags: ['Q1', 'Q2', 'Q10'],
  }, async () => {
    const { update } = await synthesize([
      `${written} ${cited('It has 82 million.', 'P1', 'holds 81.1 million pages')} ${cited('So there.', 'P1', 'so there it is')}`,
    ])
    const reason = 'its quote stands in no passage: “so there it is”'
    expect(update).toMatchObject({
      finalAnswer: 'Marble holds 81.1 million pages. [1] It has 82 million. [1]',
      unsupported: [{ text: 'So there.', reason }],
      sentences: [
        { text: 'Marble holds 81.1 million pages.', state: 'quoted', markers: [1] },
        { text: 'It has 82 million.', state: 'quoted', markers: [1], reason: 'nobody has read it again' },
        { text: 'So there.', state: 'unsupported', markers: [], reason },
      ],
    })
  })

  it.each([
    ['says that the passages hold no answer', ['<abstain/>'], []],
    ['invents what no passage says', [cited('It is blue.', 'P1', 'blue as the sky')], ['It is blue.']],
    ['cites what was never found', [cited('It is blue.', 'P7', 'holds 81.1 million pages')], ['It is blue.']],
  ])('abstains when its model %s', { tags: ['R26'] }, async (_, lines, left) => {
    const { update, abstained } = await synthesize(lines)
    expect(abstained).toBe(true)
    expect(update.finalAnswer).toMatch(
      left.length > 0
        ? /^The answer that was written could not be verified in 2 documents; .* The nearest passages:\n- Zhang et al\./
        : /^I found no answer to this in 2 documents\. The nearest passages:\n- Zhang et al\./,
    )
    expect(update.finalAnswer).toContain('81.1 million pages')
    expect(update.finalAnswer).not.toContain('blue')
    expect(update).toMatchObject({ citations: [], confidenceScore: 0 })
    expect(unsupportedIn(update)).toEqual(left)
  })

  it('abstains without paying a model when nothing was found', { tags: ['R26'] }, async () => {
    const { update, heard, abstained } = await synthesize([], { observations: [] })
    expect(heard).toEqual([])
    expect(abstained).toBe(true)
    expect(update).toMatchObject({ finalAnswer: 'I found nothing about this in 2 documents.', confidenceScore: 0 })
  })

  it('withholds an extractive answer of little confidence', { tags: ['R26'] }, async () => {
    const options = { abstainBelow: 1 }
    const { update, abstained } = await synthesize([written], { options, chatName: 'extractive' })
    expect(abstained).toBe(true)
    expect(update.finalAnswer).toMatch(/^I found no answer/)
  })

  it('marks quotes as such also where a limit left no call for the model', { tags: ['R28'] }, async () => {
    const limited = new LimitReached('modelCalls', 2, 'Two calls at most.')
    const { update: stopped } = await synthesize([limited])
    expect(stopped.finalAnswer).toMatch(/^Marble holds .* \[1\]\n\nStopped early: Two calls at most\.\n\n.*as quotes/)
    expect(stopped.context).toMatchObject({ ending: { limit: 'modelCalls', value: 2 }, error: null })
  })

  it('streams its words with markers instead of markup, and marks them as superseded when others count', async () => {
    const invented = cited('It is blue.', 'P1', 'blue as the sky')
    const { log } = await synthesize([`${written} ${invented}`])
    const deltas = log.flatMap(({ type, payload }) =>
      type === 'message.delta' && 'text' in payload ? [payload.text] : [],
    )
    expect(deltas.join('')).toBe('Marble holds 81.1 million pages. [1] It is blue. [2]')
    expect(log.findLast(({ type }) => type === 'message.completed')?.payload).toMatchObject({ superseded: true })
  })
})

const unsupportedIn = ({ unsupported }: AgentUpdate) =>
  z
    .array(z.object({ text: z.string() }))
    .parse(unsupported)
    .map(({ text }) => text)

describe('a draft that does not hold', () => {
  const invented = cited('Marble holds 82 million pages.', 'P1', 'holds no more than 82 million pages')
  const misquoted = cited('Marble is the largest.', 'P1', 'the largest of all corpora ever')
  const answer = 'Marble holds 81.1 million pages. [1]'

  it('is asked for once more, with what failed and why', async () => {
    const { update, heard, log } = await synthesize([`${invented} ${misquoted}`, written])
    expect(update).toMatchObject({ finalAnswer: answer, unsupported: [] })
    expect(heard).toHaveLength(2)
    const [system, user, said, repair] = heard[1]?.map((message) => message.text) ?? []
    expect([system, user]).toEqual(heard[0]?.map((message) => message.text))
    expect(said).toContain('82 million')
    expect(repair).toContain('“Marble holds 82 million pages.”: its quote stands in no passage')
    expect(repair).toContain('its quote stands in no passage: “the largest of all corpora ever”')
    const ended = log.flatMap(({ type, payload }) => (type === 'message.completed' ? [payload] : []))
    expect(ended).toMatchObject([
      { scope: 'scratch', superseded: true },
      { scope: 'thread', text: answer, superseded: false },
    ])
  })

  it('is asked for once more where only its first sentence falls', async () => {
    const released = cited('It was released in 2021.', 'P1', 'released in 2021')
    const { update } = await synthesize([`${invented} ${released}`, `${written} ${released}`])
    expect(update.finalAnswer).toBe('Marble holds 81.1 million pages. [1] It was released in 2021. [2]')
  })

  it('is never asked for a third time: what does not answer is no answer', async () => {
    const released = cited('It was released in 2021.', 'P1', 'released in 2021')
    const partly = await synthesize([`${invented} ${released}`, invented])
    expect(partly.abstained).toBe(true)
    expect(partly.update.finalAnswer).toMatch(/^The answer that was written could not be verified/)
    const none = await synthesize([invented, invented])
    expect(none.heard).toHaveLength(2)
    expect(none.abstained).toBe(true)
    expect(unsupportedIn(none.update)).toEqual(['Marble holds 82 million pages.'])
  })

  it('stands as it is where no further call is possible', async () => {
    for (const failure of [new EndpointUnavailable('It is down.'), new LimitReached('tokens', 5, 'Five at most.')]) {
      const { update, abstained } = await synthesize([invented, failure])
      expect(abstained).toBe(true)
      expect(update.context).toMatchObject({ error: null, ending: null })
    }
  })

  it('is asked for once where the setting says so, where a later sentence falls, and where it abstains', async () => {
    expect((await synthesize([invented], { options: { repair: false } })).heard).toHaveLength(1)
    expect((await synthesize([`${written} ${invented}`])).heard).toHaveLength(1)
    expect((await synthesize(['<abstain/>'])).heard).toHaveLength(1)
    expect((await synthesize([invented], { chatName: 'extractive' })).heard).toHaveLength(1)
  })
})
