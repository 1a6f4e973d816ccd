import { Annotation, START, StateGraph } from '@langchain/langgraph'
import { type Context, type Event, silentContext } from '../../../src/events/index.ts'
import type { ChatModel } from '../../../src/models/port/model.ts'
import type { Prompt } from '../../../src/prompts.ts'

/** Does work inside a node of a graph, where steps may be taken, and keeps what it reports. */
export async function inGraph<T>(
  work: (context: Context) => Promise<T>,
  overrides: Partial<Context> = {},
): Promise<{ readonly result: T; readonly log: readonly Event[] }> {
  const log: Event[] = []
  const context: Context = {
    ...silentContext('run-1'),
    threadId: 't',
    agent: 'research',
    emit: async (event) => void log.push(event),
    ...overrides,
  }
  let working: Promise<T> | undefined
  const graph = new StateGraph(Annotation.Root({}))
    .addNode('node', async () => {
      working = work(context)
      await working
      return {}
    })
    .addEdge(START, 'node')
    .compile()
  // LangGraph gives up on a node whose step throws; the node itself goes on to its end.
  await graph.invoke({}).catch(() => {})
  if (!working) throw new Error('The node did not run.')
  return { result: await working, log }
}

/** A model as agents know it; of unknown price. */
export function chatOf(model: ChatModel['model'], name = 'scripted'): ChatModel {
  return { kind: name === 'extractive' ? 'rules' : 'language', name, model, contextWindow: null, price: null }
}

/** A prompt that shows all that an agent fills in. */
export function promptOf(...inputs: readonly string[]): Prompt {
  const user = inputs.map((name) => `${name}: {{${name}}}`).join('\n')
  return { id: 'test', version: 1, inputs: [...inputs], system: 'Work.', user }
}
