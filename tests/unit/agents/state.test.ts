import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { MemorySaver, START, StateGraph } from '@langchain/langgraph'
import { describe, expect, it } from 'vitest'
import {
  AgentState,
  type AgentUpdate,
  agentState,
  createInitialState,
  currentQuestion,
  emptyContext,
  tell,
  toldIn,
  turnReset,
} from '../../../src/agents/state.ts'

const fields = [
  'messages',
  'sessionId',
  'runId',
  'nextAgent',
  'lastAgent',
  'clarificationNeeded',
  'clarificationCount',
  'missingContext',
  'standaloneQuestion',
  'context',
  'iteration',
  'finalAnswer',
  'confidenceScore',
  'citations',
  'calculations',
  'sentences',
  'unsupported',
]

/** The state of a thread after these updates, one after the other, in a graph of one node. */
async function after(...updates: readonly AgentUpdate[]) {
  const graph = new StateGraph(agentState({ messageWindow: 4 }))
    .addNode('node', () => ({}))
    .addEdge(START, 'node')
    .compile({ checkpointer: new MemorySaver() })
  const thread = { configurable: { thread_id: 't' } }
  for (const update of updates) await graph.invoke(update as never, thread)
  return (await graph.getState(thread)).values as AgentState
}

describe('the state', () => {
  it('has exactly the fields of the table', { tags: ['R1'] }, async () => {
    expect(Object.keys(AgentState.fields).sort()).toEqual([...fields].sort())
    expect(Object.keys(createInitialState([], 't')).sort()).toEqual([...fields].sort())
  })

  it('begins at the orchestrator, with zero counters, empty lists and nulls', { tags: ['R1'] }, async () => {
    const question = new HumanMessage({ id: 'q', content: 'What?' })
    const initial = {
      messages: [question],
      sessionId: 't',
      runId: null,
      nextAgent: 'orchestrator',
      lastAgent: null,
      clarificationNeeded: false,
      clarificationCount: 0,
      missingContext: [],
      standaloneQuestion: null,
      context: {
        effort: 'thorough',
        observations: [],
        toolHistory: [],
        finalOutput: null,
        ending: null,
        error: null,
        agents: {},
      },
      iteration: 0,
      finalAnswer: null,
      confidenceScore: null,
      citations: [],
      calculations: [],
      sentences: [],
      unsupported: [],
    }
    expect(createInitialState([question], 't')).toEqual(initial)
    expect(await after({ messages: [question], sessionId: 't' })).toEqual(initial)
  })

  it('a new turn clears what the last one found, and keeps messages and clarification tracking', {
    tags: ['R33'],
  }, () => {
    expect(turnReset()).toEqual({
      iteration: 0,
      context: emptyContext(),
      missingContext: [],
      standaloneQuestion: null,
      finalAnswer: null,
      confidenceScore: null,
      citations: [],
      calculations: [],
      sentences: [],
      unsupported: [],
    })
  })

  it('is never shared between two conversations', () => {
    const [one, other] = [createInitialState([], 'a'), createInitialState([], 'b')]
    one.context.toolHistory.push('pdf_retrieval')
    one.missingContext.push('x')
    expect(other.context.toolHistory).toEqual([])
    expect(other.missingContext).toEqual([])
    expect(turnReset().context).toEqual(emptyContext())
  })

  it('holds what agents tell each other, also as an earlier version stored it, by agent', () => {
    const told = tell(tell(emptyContext(), { candidates: ['Marble'] }), { first: ['a.1'] })
    expect(toldIn(told)).toMatchObject({ candidates: ['Marble'], first: ['a.1'], declined: [], unclear: null })
    const before = {
      orchestrator: { candidates: ['Marble'], isAfterReply: true },
      research: { first: ['a.1'], found: ['a.2'], notFound: true },
      synthesis: { declined: ['a.1'], unclear: null },
      selection: { leftOut: 3 },
    }
    const { orchestrator, research, synthesis } = before
    const all = { ...orchestrator, ...research, ...synthesis, cited: [], assumed: null, abstained: false }
    expect(toldIn({ agents: before })).toEqual({ ...all, highlights: [] })
    expect(toldIn(tell({ ...emptyContext(), agents: before }, { declined: [] })).first).toEqual(['a.1'])
    expect(toldIn({ agents: { synthesis: { abstained: true } } }).abstained).toBe(true)
    expect(toldIn({ agents: { research: { first: 'none' } } }).first).toEqual([])
  })

  it('refuses an update that does not fit', async () => {
    await expect(after({ iteration: -1 })).rejects.toThrow()
    await expect(after({ confidenceScore: 2 })).rejects.toThrow()
    await expect(after({ context: { ...emptyContext(), observations: [{}] as never } })).rejects.toThrow()
  })
})

describe('the messages of the state', () => {
  it('are those of people and the answers to them: no tool messages, no calls, no doubles', async () => {
    const call = { id: 'c', name: 'pdf_retrieval', args: {} }
    const { messages } = await after({
      messages: [
        new HumanMessage({ id: 'q', content: 'What?' }),
        new SystemMessage({ id: 's', content: 'Be brief.' }),
        new AIMessage({ id: 'call', content: '', tool_calls: [call] }),
        new ToolMessage({ id: 'r', content: 'found', tool_call_id: 'c' }),
        new AIMessage({ id: 'a', content: 'Draft.', tool_calls: [] }),
        new AIMessage({ id: 'a', content: 'This.' }),
      ],
    })
    expect(messages.map(({ text }) => text)).toEqual(['What?', 'This.'])
  })

  it('are the last few only', async () => {
    const say = (n: number) => ({ messages: [new HumanMessage({ id: `m${n}`, content: `${n}` })] })
    const { messages } = await after(say(1), say(2), say(3), say(4), say(5))
    expect(messages.map(({ text }) => text)).toEqual(['2', '3', '4', '5'])
  })

  it('hold the question of the turn: the last thing a person said', () => {
    const messages = [
      new HumanMessage('First?'),
      new AIMessage('Yes.'),
      new HumanMessage(' Second? '),
      new AIMessage(''),
    ]
    expect(currentQuestion({ messages })).toBe('Second?')
    expect(currentQuestion({ messages: [] })).toBe('')
  })
})
