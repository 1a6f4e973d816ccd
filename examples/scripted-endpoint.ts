/** The smallest server that speaks OpenAI's protocol, for examples: it answers one question, and always the same. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts it on a free port of this machine. */
export async function startScriptedEndpoint(): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      // "quaero doctor" asks which models there are.
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ data: [{ id: 'my-model' }] }))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(streamOf(replyTo(await readBody(request))))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, close: () => void server.close().closeAllConnections() }
}

interface ChatRequest {
  readonly messages: readonly { readonly role: string }[]
  readonly tools?: readonly unknown[]
  readonly response_format?: unknown
}

interface Delta {
  readonly content?: string
  readonly tool_calls?: readonly object[]
}

/** Each agent's request looks different: one wants JSON, one offers tools, and the last wants the answer. */
function replyTo({ messages, tools, response_format }: ChatRequest): Delta {
  if (response_format) {
    const standaloneQuestion = 'Who described leases first?'
    return { content: JSON.stringify({ route: 'research', standaloneQuestion, missingContext: [] }) }
  }
  if (!tools) return { content: `Gray and Cheriton described leases in 1989.${quote}` }
  if (messages.at(-1)?.role === 'tool') return { content: 'The glossary says it.' }
  const search = { name: 'pdf_retrieval', arguments: '{"query":"who described leases"}' }
  return { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: search }] }
}

const quote = '<cite id="P1">Gray and Cheriton described leases in 1989</cite>'

function streamOf(delta: Delta): string {
  const finish_reason = delta.tool_calls ? 'tool_calls' : 'stop'
  const usage = { prompt_tokens: 120, completion_tokens: 20, total_tokens: 140 }
  const chunks = [
    { choices: [{ index: 0, delta, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason }], usage },
  ]
  return [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('')
}

async function readBody(request: IncomingMessage): Promise<ChatRequest> {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += piece
  return JSON.parse(text)
}
