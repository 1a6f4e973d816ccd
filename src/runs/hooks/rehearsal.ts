import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { HumanMessage } from '@langchain/core/messages'
import { Annotation, MemorySaver, START, StateGraph } from '@langchain/langgraph'
import { converse } from '../../agents/index.ts'
import { type Context, type Hooks, silentContext } from '../../events/index.ts'
import type { ChatModel } from '../../models/index.ts'
import { checkpointSerializer } from '../../storage/index.ts'

/** Told by `fetch` of every request of the process, when it is made, and when the whole of it has been sent. */
const channels = { made: 'undici:request:create', sent: 'undici:request:bodySent' } as const

/**
 * Rehearses a call while the endpoint thinks about the first one: what is done for the first time takes ten times as long,
 * and a reply is lost with a process that is killed before its end is stored.
 */
export function rehearsal({ rehearsal: rehearsed }: ChatModel): readonly Hooks[] {
  if (!rehearsed) return []
  let isDue = true
  const model: NonNullable<Hooks['model']> = (request, next, context) => {
    if (!isDue) return next(request)
    isDue = false
    return onceSent(
      () => next(request),
      () => void rehearse(rehearsed(), context).catch(() => {}),
    )
  }
  return [{ name: 'rehearsal', model }]
}

/** Marks what is done inside a call. */
const inside = new AsyncLocalStorage<symbol>()

/** Makes a call; does the work when the first request of this call has been sent. Listens no longer than the call lasts. */
function onceSent<T>(call: () => Promise<T>, work: () => void): Promise<T> {
  const mark = Symbol('call')
  let own: unknown
  const made = (message: unknown) => {
    if (inside.getStore() === mark) own ??= requestIn(message)
  }
  const sent = (message: unknown) => {
    if (own === undefined || requestIn(message) !== own) return
    stop()
    setImmediate(work)
  }
  const stop = () => {
    unsubscribe(channels.made, made)
    unsubscribe(channels.sent, sent)
  }
  subscribe(channels.made, made)
  subscribe(channels.sent, sent)
  return inside.run(mark, call).finally(stop)
}

function requestIn(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'request' in message ? message.request : undefined
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
