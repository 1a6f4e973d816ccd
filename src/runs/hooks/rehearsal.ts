import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { HumanMessage } from '@langchain/core/messages'
import { Annotation, MemorySaver, START, StateGraph } from '@langchain/langgraph'
import { converse } from '../../agents/loop/model-call.ts'
import { type Context, type Hooks, silentContext } from '../../events/index.ts'
import type { ChatModel } from '../../models/port/model.ts'
import { checkpointSerializer } from '../../storage/serializer.ts'

/** Told by `fetch` when the whole of a request has been sent. */
const sent = 'undici:request:bodySent'

/**
 * Rehearses a call while the endpoint thinks about the first one: what is done for the first time takes ten times as long,
 * and a reply is lost with a process that is killed before its end is stored.
 */
export function rehearsal({ rehearsal: rehearsed }: ChatModel): readonly Hooks[] {
  if (!rehearsed) return []
  let isDue = true
  const model: NonNullable<Hooks['model']> = (request, next, context) => {
    if (isDue) onceSent(() => void rehearse(rehearsed(), context).catch(() => {}))
    isDue = false
    return next(request)
  }
  return [{ name: 'rehearsal', model }]
}

function onceSent(work: () => void): void {
  const begin = () => {
    unsubscribe(sent, begin)
    setImmediate(work)
  }
  subscribe(sent, begin)
}

/** Has a call answered whose log and result nobody keeps. */
async function rehearse(chat: ChatModel, { credentials }: Context): Promise<void> {
  // A hook has its requests and results checked.
  const hooks: readonly Hooks[] = [{ name: 'rehearsal', model: (request, next) => next(request) }]
  const context = { ...silentContext('rehearsal'), agent: 'research', credentials, hooks }
  const request = {
    chat,
    messages: [new HumanMessage('?')],
    agentTask: { agent: 'research', question: '?' },
    prompt: { id: 'rehearsal', version: 1, system: '', user: '' },
    temperature: null,
    scope: 'scratch',
  } as const
  const graph = new StateGraph(Annotation.Root({}))
    .addNode('call', async () => {
      await converse(context, request)
      return {}
    })
    .addEdge(START, 'call')
    .compile({ checkpointer: new MemorySaver(checkpointSerializer) })
  await graph.invoke({}, { configurable: { thread_id: 'rehearsal' } })
}
