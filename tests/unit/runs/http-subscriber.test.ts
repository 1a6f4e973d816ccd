import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Subscriber } from '../../../src/events/index.ts'
import { gate, openQuaero } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'

/** What a tracing service may do instead of taking an event. */
const troubles: Readonly<Record<string, RequestListener | null>> = {
  'is down': null,
  stalls: () => {},
  'answers 413': (_, response) => response.writeHead(413).end('too large'),
  'answers 401': (_, response) => response.writeHead(401).end('no such key'),
}

async function urlOf(listener: RequestListener | null): Promise<string> {
  const server = createServer(listener ?? (() => {})).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  if (listener === null) close()
  else onTestFinished(close)
  return `http://127.0.0.1:${port}/`
}

/** Sends each event as it comes, and takes no other answer than a good one. */
function sendTo(url: string): { readonly subscriber: Subscriber; readonly sent: () => number } {
  let sent = 0
  const leave = new AbortController()
  onTestFinished(() => leave.abort())
  const subscriber: Subscriber = async (event) => {
    sent += 1
    const { ok, status } = await fetch(url, { method: 'POST', body: JSON.stringify(event), signal: leave.signal })
    if (!ok) throw new Error(`The service answered ${status}`)
  }
  return { subscriber, sent: () => sent }
}

describe('a subscriber whose service', () => {
  it.each(Object.entries(troubles))(
    '%s changes nothing of the answer, and holds nothing up',
    { tags: ['F69'] },
    async (name, listener) => {
      const { subscriber, sent } = sendTo(await urlOf(listener))
      const notices: string[] = []
      const warned = gate()
      const onNotice = (notice: string) => {
        notices.push(notice)
        warned.open()
      }
      const watched = await openQuaero({ subscribers: [subscriber], onNotice })
      const alone = await openQuaero()
      const [result, expected] = [await watched.ask(question), await alone.ask(question)]
      const { runId: _, threadId: __, durationMs: ___, ...answer } = result
      expect(expected).toMatchObject(answer)
      expect(sent()).toBeGreaterThan(0)
      // It ends although the service that stalls has still answered nothing.
      await watched.close()
      if (name === 'stalls') return expect(notices).toEqual([])
      await warned.opened
      expect(notices).toEqual([expect.stringMatching(/^A subscriber failed and receives no more events: [^\n]+$/)])
    },
  )
})
