import { expect } from 'vitest'
import type { ProtocolEvent } from '../../../src/server/langgraph-v2/run-events.ts'
import { read, type Send, type tokens } from './served.ts'

export const channels = ['values', 'checkpoints', 'lifecycle', 'input', 'messages', 'tools']

interface Reply {
  readonly type: string
  readonly error?: string
  readonly result?: { readonly run_id: string }
  readonly meta: { readonly applied_through_seq: number }
}

/** The commands of a thread. */
export function commanding(send: Send, thread = 'chat', as: keyof typeof tokens = 'alice') {
  let id = 0
  const command = (method: string, params: object = {}) => {
    id += 1
    return read<Reply>(send(`/threads/${thread}/commands`, { as, body: { id, method, params } }))
  }
  const start = (content: string, messageId = 'm1', more: object = {}) =>
    command('run.start', {
      assistant_id: 'quaero',
      input: { messages: [{ type: 'human', id: messageId, content }] },
      ...more,
    })
  return { command, start }
}

interface Wanted {
  readonly thread?: string
  /** How often the ending comes. */
  readonly times?: number
  readonly channels?: readonly string[]
  readonly namespaces?: readonly (readonly string[])[]
  readonly since?: number
}

/** Opens the stream of a thread, and reads it until the event that is looked for has come so often. */
export async function eventsUntil(
  send: Send,
  ending: string | RegExp,
  { thread = 'chat', times = 1, ...filter }: Wanted = {},
) {
  const response = await send(`/threads/${thread}/stream/events`, { body: { channels, ...filter } })
  expect(response.status).toBe(200)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const events: ProtocolEvent[] = []
  const isEnding = (name = '') => (typeof ending === 'string' ? name === ending : ending.test(name))
  const found = () => events.filter(({ params: { data } }) => isEnding((data as { event?: string }).event)).length
  for (let rest = ''; found() < times; ) {
    const { value = '', done } = await reader.read()
    if (done) break
    const frames = (rest + value).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1]
      if (data) events.push(JSON.parse(data))
    }
  }
  await reader.cancel()
  return events
}

export const dataOf = (events: readonly ProtocolEvent[], method: string) =>
  events.filter((each) => each.method === method).map(({ params }) => params.data as Record<string, unknown>)

/** The text that a client assembles. */
export function assembled(events: readonly ProtocolEvent[]): string {
  return dataOf(events, 'messages').reduce((text, data) => {
    if (data.event === 'message-start') return ''
    if (data.event === 'content-block-delta') return text + (data.delta as { text: string }).text
    return data.event === 'content-block-finish' ? (data.content as { text: string }).text : text
  }, '')
}
