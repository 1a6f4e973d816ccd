import { describe, expect, it } from 'vitest'
import type { StreamEvent } from '../../../src/index.ts'
import { EndpointUnavailable } from '../../../src/models/port/errors.ts'
import type { Line } from '../../../src/models/scripted.ts'
import { leftovers } from '../../fixtures/killed-process.ts'
import { cited, libraryFolder, openWorkflow, temporaryFolder, type WorkflowOptions } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const copied = cited('The Marble corpus holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const kept = 'It stores 81.1 million pages.'
const right = cited(kept, 'P1', 'holds 81.1 million pages')
/** Passes the checks by words. */
const lie = cited('It disposed of 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const settings = { research: 'auto', answer: { secondReading: 'doubtful' }, endpoint: { retries: 0 } } as const

async function ask(
  synthesis: readonly Line[],
  secondReading: readonly Line[],
  { settings: own = {}, ...options }: WorkflowOptions = {},
) {
  const log: StreamEvent[] = []
  const { quaero, model } = await openWorkflow(
    { synthesis, secondReading },
    {
      ...options,
      subscribers: [(event: StreamEvent) => void log.push(event)],
      settings: { ...settings, ...own },
    },
  )
  const result = await quaero.ask(question)
  const prompts = log.flatMap(({ type, payload }) => (type === 'model.started' ? [payload.promptId] : []))
  const notices = log.flatMap(({ type, payload }) => (type === 'notice' ? [payload] : []))
  const heard = model.heard.map((messages) => messages.map(({ text }) => text).join('\n'))
  return { result, prompts, notices, heard, quaero, log }
}

describe('with a second reading, an answer', () => {
  it('loses the sentence that its reader refuses, and is repaired with the reason', async () => {
    const { result, prompts, heard } = await ask([lie, right], ['1 no: the corpus holds them.', '1 yes'])
    expect(result).toMatchObject({ status: 'completed', answer: `${kept} [1]`, unsupported: [] })
    expect(prompts).toEqual(['synthesis', 'second-reading', 'synthesis', 'second-reading'])
    expect(heard[1]).toContain(question)
    expect(heard[1]).toContain('Claim 1: It disposed of 81.1 million pages.\n<passage document="The Marble corpus"')
    expect(heard[1]).toContain(
      '\nThe Marble corpus holds 81.1 million pages. It was released in 2021 by the Lund group.\n</passage>',
    )
    expect(heard[2]).toContain(
      '“It disposed of 81.1 million pages.”: on a second reading, its quotes do not say so: the corpus holds them.',
    )
  })

  it('shows a refused sentence among what could not be verified, and its footnotes are numbered without it', async () => {
    const released = cited('Lund released it.', 'P1', 'released in 2021 by the Lund group')
    const { result } = await ask([`${copied} ${lie} ${released}`], ['1 no: it holds them\n2 yes'])
    expect(result.answer).toMatch(/^The Marble corpus holds 81\.1 million pages\. \[1\] Lund released it\. \[2\]/)
    expect(result.unsupported).toEqual([
      {
        text: 'It disposed of 81.1 million pages.',
        reason: 'on a second reading, its quotes do not say so: it holds them',
      },
    ])
    expect(result.citations.map(({ marker }) => marker)).toEqual([1, 2])
  })

  it('costs no call where each sentence is nearly a copy of its quote, or where nothing holds', async () => {
    expect((await ask([copied], [])).prompts).toEqual(['synthesis'])
    const invented = cited('It holds 90 million pages.', 'P1', 'holds 90 million pages')
    const { prompts } = await ask([invented, copied], [])
    expect(prompts).toEqual(['synthesis', 'synthesis'])
  })

  it('is read again after a repair only where it has changed, and what was refused stays so', async () => {
    const released = cited('Lund released it.', 'P1', 'released in 2021 by the Lund group')
    const { result, prompts, heard } = await ask(
      [`${lie} ${released}`, `${right} ${released}`],
      ['1 no\n2 yes', '1 yes'],
    )
    expect(prompts).toEqual(['synthesis', 'second-reading', 'synthesis', 'second-reading'])
    expect(heard[1]).toContain('Claim 2: Lund released it.')
    expect(heard[3]).not.toContain('Lund released it.')
    expect(result.answer).toBe(`${kept} [1] Lund released it. [2]`)
    const same = await ask([`${copied} ${lie}`, copied], ['1 no'])
    expect(same.prompts).toEqual(['synthesis', 'second-reading'])
    const stubborn = await ask([lie, lie, lie, lie], ['1 no', '1 no'], { settings: { research: 'thorough' } })
    expect(stubborn.prompts.filter((id) => id === 'second-reading')).toHaveLength(1)
    expect(stubborn.result.abstained).toBe(true)
  })

  it.each([
    ['says nothing of it', '?', 'second_reading_incomplete', /no verdict on 1 of 1 sentences/],
    ['is empty', ' ', 'second_reading_incomplete', /no verdict on 1 of 1 sentences/],
    [
      'fails',
      new EndpointUnavailable('It is down.'),
      'endpoint_unavailable',
      /^The second reading was left out: It is/,
    ],
  ])('stands as it was where the reply %s, and the log says so', async (_, reply, code, message) => {
    const { result, notices, quaero } = await ask([lie], [reply])
    expect(result).toMatchObject({ status: 'completed', answer: 'It disposed of 81.1 million pages. [1]' })
    expect(notices[0]).toEqual({ code, message: expect.stringMatching(message) })
    expect(notices).toHaveLength(1)
    expect((await quaero.runs.replay(result.runId)).result).toMatchObject({ answer: result.answer })
  })

  it('stands as it was where a limit leaves no call for it', async () => {
    for (const limits of [{ modelCalls: 1 }, { tokens: 5 }]) {
      const script = { synthesis: [lie], secondReading: ['1 no'] }
      const log: StreamEvent[] = []
      const { quaero } = await openWorkflow(script, {
        usage: { inputTokens: 100, outputTokens: 10 },
        subscribers: [(event: StreamEvent) => void log.push(event)],
        settings: { ...settings, limits },
      })
      expect(await quaero.ask(question)).toMatchObject({
        answer: 'It disposed of 81.1 million pages. [1]',
        error: null,
      })
      const notices = log.flatMap(({ type, payload }) => (type === 'notice' ? [payload.message] : []))
      expect(notices).toEqual([expect.stringMatching(/^The second reading was left out: The limit of/)])
    }
  })

  it('counts its calls, tokens and cost', async () => {
    const script = { synthesis: [right], secondReading: ['1 yes'] }
    const usage = { inputTokens: 100, outputTokens: 10 }
    const { quaero } = await openWorkflow(script, { usage, settings })
    expect((await quaero.ask(question)).usage).toMatchObject({ modelCalls: 2, inputTokens: 200, outputTokens: 20 })
  })

  it('is not read by a model unless the setting says so, nor where it is made of quotes', async () => {
    const never = await ask([lie], [], { settings: { answer: { secondReading: 'never' } } })
    expect(never.prompts).toEqual(['synthesis'])
    const { prompts } = await ask([new EndpointUnavailable('It is down.')], [])
    expect(prompts).toEqual(['synthesis'])
  })
})

describe('a process that is killed as soon as a call of such a run is finished', { timeout: 300_000 }, () => {
  it('leaves a run that goes on without asking the second reading again', async () => {
    const dataDir = await libraryFolder()
    const folders = await Promise.all(Array.from({ length: 10 }, temporaryFolder))
    const { ends, subscriber } = leftovers(dataDir, folders)
    const script = { synthesis: [lie, right], secondReading: ['1 no: it holds them', '?'] }
    const { quaero } = await openWorkflow(script, { dataDir, subscribers: [subscriber], settings })
    const { runId, answer, usage } = await quaero.ask(question)
    expect([answer, usage.modelCalls]).toEqual([`${kept} [1]`, 4])
    for (const { folder, log } of ends) {
      const done = log.flatMap(({ type, payload }) => (type === 'model.started' ? [payload.promptId] : []))
      const saidBy = (id: string) => done.filter((each) => each === id).length
      const unsaid = {
        synthesis: script.synthesis.slice(saidBy('synthesis')),
        secondReading: script.secondReading.slice(saidBy('second-reading')),
      }
      const resumed = await openWorkflow(unsaid, { dataDir: folder, settings })
      const where = `after ${done.at(-1)} ${done.length}`
      expect(await resumed.quaero.resume(runId), where).toMatchObject({ answer, usage: { modelCalls: 4 } })
      expect(resumed.model.heard, where).toHaveLength(4 - done.length)
      const types: string[] = []
      for await (const { type } of resumed.quaero.runs.events(runId)) types.push(type)
      expect(
        types.filter((type) => type === 'notice'),
        where,
      ).toHaveLength(1)
    }
  })
})
