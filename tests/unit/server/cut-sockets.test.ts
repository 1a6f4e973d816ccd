import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Client } from '@langchain/langgraph-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import { serve } from '../../../src/server/serve.ts'
import { speakingEndpoint } from '../../fixtures/speaking-endpoint.ts'
import { gate, openQuaero } from '../../fixtures/workflow.ts'

const marble = 'How many pages does the Marble corpus hold?'
const token = 'a-token-for-this-test'

/** Every connection to a port passes here, and can be cut. */
async function wireTo(port: number) {
  const sockets = new Set<Socket>()
  const wire = createServer((from) => {
    const to = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy())
      socket.on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void wire.close())
  const cut = () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  onTestFinished(cut)
  return { port: (wire.address() as AddressInfo).port, cut }
}

/** A client whose connections can be cut, of a server whose model stops in the middle of a word of its answer. */
async function writing() {
  const rest = gate()
  const text = 'It holds 81.1 million pages of text, which were collected.'
  const content = `${text}<cite id="P1">holds 81.1 million pages</cite>`
  const endpoint = await speakingEndpoint({ synthesis: { content, secondHalf: rest.opened } })
  const quaero = await openQuaero({ model: 'openai:test-model', settings: { endpoint: { baseUrl: endpoint.url } } })
  const { settings } = loadConfig({ overrides: { server: { hosts: ['127.0.0.1'] } }, env: {} })
  const host = '127.0.0.1'
  const server = await serve({
    quaero,
    openAt: async () => quaero,
    version: '0',
    settings,
    dataDir: ':memory:',
    port: 0,
    host,
    token,
  })
  onTestFinished(() => server.close(() => quaero.close()))
  const wire = await wireTo(Number(new URL(server.url).port))
  return { ...wire, rest, client: new Client({ apiUrl: `http://${host}:${wire.port}`, apiKey: token }) }
}

/** Markers are put in when the answer has been verified. */
function withoutMarkers(text = ''): string {
  return text.replace(/ ?\[1\]/g, '').trim()
}

const asking = { messages: [{ type: 'human', id: 'm1', content: marble }] }

describe('a connection that is cut in the middle of a word', { timeout: 30_000 }, () => {
  it('costs the stream of a run no character, and repeats none', async () => {
    const { client, cut, rest } = await writing()
    const { thread_id: thread } = await client.threads.create()
    let words = ''
    let pieces = 0
    let last: unknown
    const modes = ['messages-tuple' as const, 'values' as const, 'updates' as const]
    const run = { input: asking, streamMode: modes, streamResumable: true, onDisconnect: 'continue' as const }
    for await (const { event, data } of client.runs.stream(thread, 'quaero', run)) {
      if (event === 'values') last = data
      if (event !== 'messages') continue
      words += (data as unknown as readonly { content: string }[])[0]?.content ?? ''
      pieces += 1
      cut()
      rest.open()
    }
    const { messages } = last as { messages: readonly { content: string }[] }
    expect(pieces).toBeGreaterThan(1)
    expect(messages[1]?.content).toContain('81.1 million pages')
    expect(withoutMarkers(words)).toBe(withoutMarkers(messages[1]?.content))
  })

  it('costs the stream of a thread nothing, in protocol v2', async () => {
    const { client, cut, rest } = await writing()
    const thread = client.threads.stream('chat', { assistantId: 'quaero' })
    onTestFinished(() => thread.close())
    await thread.run.start({ input: asking })
    let text = ''
    for await (const message of thread.messages) {
      for await (const piece of message.text) {
        if (text === '') {
          cut()
          rest.open()
        }
        text += piece
      }
      text = (await message.text) || text
    }
    const { messages } = (await thread.output) as { messages: readonly { text: string }[] }
    expect(messages[1]?.text).toContain('81.1 million pages')
    expect(withoutMarkers(text)).toBe(withoutMarkers(messages[1]?.text))
  })
})
