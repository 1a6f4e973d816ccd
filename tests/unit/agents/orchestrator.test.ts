import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { Orchestrator, type OrchestratorOptions } from '../../../src/agents/orchestrator.ts'
import { type AgentState, createInitialState, emptyContext, tell } from '../../../src/agents/state.ts'
import { EndpointUnavailable, KeyRejected, ModelNotFound } from '../../../src/models/port/errors.ts'
import { type Line, scriptedModel } from '../../../src/models/scripted.ts'
import { route } from '../../fixtures/workflow.ts'
import { chatOf, inGraph, promptOf } from './in-graph.ts'

const question = 'What about the second one?'
const vague = route({
  route: 'clarification',
  standaloneQuestion: 'Which of the two is better?',
  missingContext: ['which two'],
  candidates: ['Marble', 'Halden'],
})

/** What the orchestrator does with a state, when its model says these lines. */
async function decide(
  lines: readonly Line[],
  state: Partial<AgentState> = {},
  options: Partial<OrchestratorOptions> = {},
) {
  const model = scriptedModel(lines)
  const orchestrator = new Orchestrator({
    chat: chatOf(model),
    prompt: promptOf('history', 'documents', 'question'),
    temperature: 0,
    maxHistory: 10,
    ask: 'auto',
    skipRouting: false,
    completed: async (question) => question,
    maxClarifications: 2,
    documentTitles: async () => ['The Marble corpus', 'The Halden filter'],
    ...options,
  })
  const before = Object.freeze({ ...createInitialState([new HumanMessage(question)], 't'), ...state })
  const { result, log } = await inGraph((context) => orchestrator.execute(before, context))
  return { update: result, log, heard: model.heard }
}

/** The state after a clarification: what was asked back about, and what the person replied. */
function replied(reply: string, clarificationCount = 1): Partial<AgentState> {
  return {
    messages: [new HumanMessage('Compare them'), new AIMessage('Which two?'), new HumanMessage(reply)],
    clarificationNeeded: true,
    clarificationCount,
    standaloneQuestion: 'Compare them',
    missingContext: ['which two'],
    context: tell(emptyContext(), { candidates: ['Marble', 'Halden'] }),
  }
}

describe('the orchestrator', () => {
  it('leads to research, and leaves nothing to clarify', { tags: ['R34'] }, async () => {
    const { update } = await decide([route({ standaloneQuestion: 'How many pages does Marble hold?' })])
    expect(update).toEqual({
      nextAgent: 'research',
      lastAgent: 'orchestrator',
      iteration: 1,
      clarificationNeeded: false,
      missingContext: [],
      standaloneQuestion: 'How many pages does Marble hold?',
      context: tell(emptyContext(), {}),
    })
  })

  it('or to clarification, counting it and saying what is missing', { tags: ['R34'] }, async () => {
    const { update } = await decide([vague])
    expect(update).toEqual({
      nextAgent: 'clarification',
      lastAgent: 'orchestrator',
      iteration: 1,
      clarificationNeeded: true,
      clarificationCount: 1,
      missingContext: ['which two'],
      standaloneQuestion: 'Which of the two is better?',
      context: tell(emptyContext(), { candidates: ['Marble', 'Halden'] }),
    })
  })

  it('asks for a decision of a strict form, with every key required and no route but two', {
    tags: ['R11'],
  }, async () => {
    const { log, heard } = await decide([route()])
    expect(heard[0]?.map(({ text }) => text)).toEqual([
      'Work.',
      `history: No previous conversation.\ndocuments: - The Marble corpus\n- The Halden filter\nquestion: ${question}`,
    ])
    expect(log.filter(({ type }) => type === 'model.started')).toHaveLength(1)
  })

  it.each([
    ['words around the object', `Sure!\n\`\`\`json\n${vague}\n\`\`\` I hope this helps.`],
    ['no candidates', JSON.stringify({ ...JSON.parse(vague), candidates: undefined })],
  ])('reads a decision with %s', { tags: ['R11'] }, async (_, reply) => {
    expect((await decide([reply])).update.nextAgent).toBe('clarification')
  })

  it.each([
    ['a text that merely contains a route', 'I think this needs clarification.'],
    ['another route', vague.replace('"clarification"', '"clarify"')],
    ['an object with more in it', vague.replace('{', '{"sure":true,')],
    ['a route in a list', '["clarification"]'],
    ['broken JSON', vague.slice(0, -1)],
    ['nothing', ''],
  ])('has %s repaired once, then goes to research', { tags: ['R11'] }, async (_, reply) => {
    const { update, heard } = await decide([reply, reply])
    expect(heard).toHaveLength(2)
    expect(heard[1]?.at(-1)?.text).toMatch(/JSON object/)
    expect(update).toMatchObject({ nextAgent: 'research', standaloneQuestion: question, clarificationNeeded: false })
    expect((await decide([reply, vague])).update.nextAgent).toBe('clarification')
  })

  it('names the keys that are missing, unknown or wrong when it asks again', { tags: ['R11'] }, async () => {
    const { heard } = await decide(['{"standalone": "x", "missingContext": "year"}', vague])
    expect(heard[1]?.at(-1)?.text).toBe(
      'That is not the JSON object asked for: "route" is missing and must be "research" or "clarification"; ' +
        '"standaloneQuestion" is missing and must be a text; "missingContext" must be a list; "standalone" is not known. ' +
        'Answer with that object and nothing else.',
    )
  })

  it.each([
    ['its model fails', [new EndpointUnavailable('It is down.')], {}, 'endpoint_unavailable'],
    ['the repair fails', ['?', new EndpointUnavailable('It is down.')], {}, 'endpoint_unavailable'],
    ['its model throws anything', [new TypeError('x is not a function')], {}, 'unexpected'],
    ['the documents cannot be listed', [], { documentTitles: () => Promise.reject(new Error('disk')) }, 'unexpected'],
  ] as const)(
    'goes to research when %s, and says what went wrong',
    { tags: ['R12', 'R5'] },
    async (_, lines, options, code) => {
      const { update } = await decide(lines, {}, options)
      expect(update).toMatchObject({
        nextAgent: 'research',
        lastAgent: 'orchestrator',
        iteration: 1,
        clarificationNeeded: false,
        standaloneQuestion: question,
        context: { error: { code } },
      })
    },
  )

  it('ends the run when the endpoint rejects the key or the model: no other agent could do better', async () => {
    await expect(decide([new KeyRejected('No.')])).rejects.toMatchObject({ code: 'key_rejected' })
    await expect(decide([new ModelNotFound('No.')])).rejects.toMatchObject({ code: 'model_not_found' })
  })

  it('shows the conversation, and takes the question as the model says it stands alone', {
    tags: ['R14'],
  }, async () => {
    const messages = [new HumanMessage('What is Marble?'), new AIMessage('A corpus.'), new HumanMessage('Who made it?')]
    const { update, heard } = await decide([route({ standaloneQuestion: ' Who made Marble? ' })], { messages })
    expect(heard[0]?.at(-1)?.text).toContain('history: User: What is Marble?\nAssistant: A corpus.\n')
    expect(update.standaloneQuestion).toBe('Who made Marble?')
    expect((await decide([route()], { messages })).update.standaloneQuestion).toBe('Who made it?')
  })

  it('asks back never, or before every first answer, where the settings say so', async () => {
    expect((await decide([], {}, { ask: 'never' })).update.nextAgent).toBe('research')
    const messages = [new HumanMessage('a'), new AIMessage('b'), new HumanMessage('c')]
    expect((await decide([vague], { messages }, { ask: 'never' })).update.nextAgent).toBe('research')
    expect((await decide([route()], {}, { ask: 'always' })).update.nextAgent).toBe('clarification')
    expect((await decide([route()], { messages }, { ask: 'always' })).update.nextAgent).toBe('research')
  })
})

describe('a reply to the orchestrator’s question', () => {
  it('goes to research without a model call, merged with the question, and the count is 0 again', {
    tags: ['R8'],
  }, async () => {
    const { update, heard, log } = await decide([], replied('The Halden filter and Marble'))
    expect(heard).toEqual([])
    expect(log.map(({ type }) => type)).toEqual(['agent.started', 'agent.completed'])
    expect(update).toMatchObject({
      nextAgent: 'research',
      clarificationNeeded: false,
      clarificationCount: 0,
      missingContext: [],
      standaloneQuestion: 'Compare them (The Halden filter and Marble)?',
    })
  })

  it.each(["I don't know", ''])(
    'that resolves nothing (%j) is asked about again, with what was missing',
    { tags: ['R9'] },
    async (reply) => {
      const { update, heard } = await decide([], replied(reply))
      expect(heard).toEqual([])
      expect(update).toMatchObject({
        nextAgent: 'clarification',
        clarificationNeeded: true,
        clarificationCount: 2,
        missingContext: ['which two'],
        standaloneQuestion: 'Compare them',
        context: { turn: { candidates: ['Marble', 'Halden'] } },
      })
    },
  )

  it('is never asked for beyond the cap', { tags: ['R9'] }, async () => {
    expect((await decide([], { clarificationCount: 2 })).update.nextAgent).toBe('research')
  })
})
