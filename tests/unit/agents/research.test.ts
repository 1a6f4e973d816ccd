import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { QuickOptions } from '../../../src/agents/hand-over.ts'
import { Research } from '../../../src/agents/research.ts'
import { createInitialState } from '../../../src/agents/state.ts'
import type { Observation } from '../../../src/events/index.ts'
import { EndpointUnavailable } from '../../../src/models/port/errors.ts'
import { type Line, scriptedModel } from '../../../src/models/scripted.ts'
import { defineTool, type Tool } from '../../../src/tools/tool.ts'
import { calls, search } from '../../fixtures/workflow.ts'
import { chatOf, inGraph, promptOf } from './in-graph.ts'
import { observation } from './observation.ts'

const documents = observation({ passageId: 'own' })
const page = observation({ passageId: 'page', origin: 'web', source: 'https://example.org' })

/** A tool that always finds the same. */
function finding(name: string, found: readonly Observation[], asked: string[] = []): Tool {
  return defineTool({
    name,
    description: name,
    input: z.object({ query: z.string() }),
    run: async ({ query }) => {
      asked.push(query)
      return { content: `${found.length} found`, observations: found }
    },
  })
}

const both = [finding('pdf_retrieval', [documents]), finding('web_search', [page])]

async function research(
  lines: readonly Line[],
  tools: readonly Tool[] = both,
  overrides = {},
  quick: QuickOptions | null = null,
) {
  const model = scriptedModel(lines)
  const agent = new Research({
    chat: chatOf(model),
    prompt: promptOf('history', 'question', 'tools'),
    temperature: 0,
    maxHistory: 10,
    tools: () => tools,
    documentTitles: async () => [],
    passageAt: async () => null,
    quick,
    maxClarifications: 2,
    toolTimeoutMs: 60_000,
    observationCharacters: 1000,
  })
  const messages = [new HumanMessage('What is Marble?'), new AIMessage('A corpus.'), new HumanMessage('How big is it?')]
  const state = Object.freeze({
    ...createInitialState(messages, 't'),
    standaloneQuestion: 'How big is Marble?',
    iteration: 1,
  })
  const { result, log } = await inGraph((context) => agent.execute(state, context), overrides)
  return { update: result, log, heard: model.heard }
}

describe('the research agent', () => {
  it('hands its evidence, tools and closing words to synthesis, and its draft alone to the thread', {
    tags: ['R34'],
  }, async () => {
    const { update } = await research([search('marble size'), 'Found in one passage.'])
    expect(update).toEqual({
      nextAgent: 'synthesis',
      lastAgent: 'research',
      iteration: 2,
      messages: [expect.objectContaining({ id: 'run-1-answer', content: 'Found in one passage.' })],
      context: {
        effort: 'thorough',
        observations: [documents],
        toolHistory: ['pdf_retrieval'],
        finalOutput: 'Found in one passage.',
        ending: null,
        error: null,
        turn: expect.objectContaining({ first: [], found: ['own'], cited: [], notFound: false }),
        agents: {},
      },
    })
  })

  it('searches the documents itself when the model does not', { tags: ['R17'] }, async () => {
    const asked: string[] = []
    const { update, log } = await research(['I know this.'], [finding('pdf_retrieval', [documents], asked)])
    expect(asked).toEqual(['How big is Marble?'])
    expect(update.context).toMatchObject({ observations: [documents], toolHistory: ['pdf_retrieval'] })
    expect(log.filter(({ type }) => type === 'tool.completed')).toHaveLength(1)
    const misled = await research([calls(['fly', {}]), 'Done.'])
    expect(misled.update.context).toMatchObject({ observations: [documents], toolHistory: ['pdf_retrieval'] })
  })

  it('keeps what comes from documents and what from the web apart', { tags: ['R18'] }, async () => {
    const { update } = await research([search('x'), calls(['web_search', { query: 'x' }]), 'Done.'])
    expect(update.context).toMatchObject({ toolHistory: ['pdf_retrieval', 'web_search'] })
    expect(update.context?.observations?.map(({ passageId, origin }) => [passageId, origin])).toEqual([
      ['own', 'documents'],
      ['page', 'web'],
    ])
    expect(update.context?.observations?.[0]).toEqual(documents)
  })

  it('leaves out what the first search found far below the rest, unless it was read or named', async () => {
    const at = (passageId: string, score: number) => observation({ passageId, text: passageId, score })
    const found = new Map([['better words', [at('right', 0.9)]]])
    const weak = [at('near', 0.4), at('far', 0.1), at('named', 0.1)]
    const tool = defineTool({
      name: 'pdf_retrieval',
      description: 'Searches.',
      input: z.object({ query: z.string() }),
      run: async ({ query }) => ({ content: query, observations: found.get(query) ?? weak }),
    })
    const quick = { strongScore: 0.5, passages: 10, scoreShare: 0.4, firstTokens: 3000, evidenceTokens: 3000 }
    const plan = new AIMessage({ content: 'One is in named.', tool_calls: search('better words').tool_calls ?? [] })
    const { update } = await research([plan], [tool], {}, quick)
    const handedOn = update.context?.observations?.map(({ passageId }) => passageId)
    expect(handedOn).toEqual(['near', 'named', 'right'])
    expect(update.context?.turn?.first).toEqual(['named', 'right'])
    const { update: alone } = await research(['Nothing more.'], [tool], {}, quick)
    expect(alone.context?.observations).toHaveLength(3)
  })

  it('hands on what the searches of its first reply find, the best of each first, and is asked again where one fails', async () => {
    const at = (passageId: string) => observation({ passageId, text: passageId, score: 0.1 })
    const found = new Map([
      ['a', [at('a1'), at('a2')]],
      ['b', [at('b1')]],
      ['c', []],
    ])
    const tool = defineTool({
      name: 'pdf_retrieval',
      description: 'Searches.',
      input: z.object({ query: z.string() }),
      run: async ({ query }) => {
        if (query === 'broken') throw new Error('disk')
        return { content: query, observations: found.get(query) ?? [at('first')] }
      },
    })
    const quick = { strongScore: 0.5, passages: 10, scoreShare: 0.4, firstTokens: 3000, evidenceTokens: 3000 }
    const { update } = await research([search('a', 'b')], [tool], {}, quick)
    expect(update.context).toMatchObject({ effort: 'quick', turn: { first: ['a1', 'b1', 'a2'] } })
    for (const query of ['broken', 'c']) {
      const again = await research([search(query), 'See first.'], [tool], {}, quick)
      expect(again.update.context).toMatchObject({ effort: 'thorough', turn: { first: ['first'] } })
    }
  })

  it.each([
    [1, ['overview', 'found']],
    [2, ['found']],
  ])('puts an overview of %i documents in the place of what was read if it is one', async (count, first) => {
    const ids = ['a', 'b'].slice(0, count)
    const shown = ids.map((documentId) =>
      observation({ documentId, passageId: documentId === 'a' ? 'overview' : 'b', score: 0 }),
    )
    const tools = [finding('pdf_retrieval', [observation({ passageId: 'found' })]), finding('document_overview', shown)]
    const lines = [search('x'), calls(['document_overview', { query: 'x' }]), 'See found.']
    const { update } = await research(lines, tools)
    expect(new Set(update.context?.turn?.first)).toEqual(new Set(first))
  })

  it('leads to synthesis with what was gathered when its model fails, and says what went wrong', {
    tags: ['R22', 'R5'],
  }, async () => {
    const { update } = await research([search('x'), new EndpointUnavailable('It is down.')])
    expect(update).toMatchObject({
      nextAgent: 'synthesis',
      lastAgent: 'research',
      iteration: 2,
      context: {
        observations: [documents],
        error: { code: 'endpoint_unavailable', message: 'It is down.' },
        ending: null,
      },
    })
  })

  it('leads to synthesis with nothing when no tool can be used at all', { tags: ['R22'] }, async () => {
    const { update } = await research([new TypeError('x')], [])
    expect(update).toMatchObject({
      nextAgent: 'synthesis',
      context: { observations: [], error: { code: 'unexpected' } },
    })
  })

  it('keeps nothing between two turns', { tags: ['R3'] }, async () => {
    const model = scriptedModel([search('x'), 'One.', 'Two.'])
    const agent = new Research({
      chat: chatOf(model),
      prompt: promptOf('question'),
      temperature: 0,
      maxHistory: 10,
      tools: () => [],
      documentTitles: async () => [],
      passageAt: async () => null,
      quick: null,
      maxClarifications: 2,
      toolTimeoutMs: 1000,
      observationCharacters: 1000,
    })
    const state = () => createInitialState([new HumanMessage('q')], 't')
    await inGraph((context) => agent.execute(state(), context))
    const { result } = await inGraph((context) => agent.execute(state(), context))
    expect(result.context).toMatchObject({ observations: [], toolHistory: [], finalOutput: 'Two.' })
  })
})
