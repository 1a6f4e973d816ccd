import { Client as LangGraphClient } from '@langchain/langgraph-sdk'
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import { OpenAI } from 'openai'
import { onTestFinished } from 'vitest'
import type { RunResult } from '../../../src/index.ts'
import { eventsIn, fetchOver, read, type Send, tokens } from './served.ts'
import { assembled, commanding, eventsUntil } from './thread-stream.ts'

const origin = 'http://127.0.0.1:7710'

export function openaiOver(send: Send, options: ConstructorParameters<typeof OpenAI>[0] = {}): OpenAI {
  return new OpenAI({
    apiKey: tokens.alice,
    baseURL: `${origin}/v1`,
    fetch: fetchOver(send),
    maxRetries: 0,
    ...options,
  })
}

export function langgraphOver(send: Send): LangGraphClient {
  return new LangGraphClient({
    apiUrl: origin,
    apiKey: tokens.alice,
    callerOptions: { fetch: fetchOver(send), maxRetries: 0 },
  })
}

export async function mcpOver(send: Send): Promise<McpClient> {
  const client = new McpClient({ name: 'test', version: '1.0.0' })
  const requestInit = { headers: { authorization: `Bearer ${tokens.alice}` } }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { fetch: fetchOver(send), requestInit }),
  )
  onTestFinished(() => client.close())
  return client
}

export function chatOver(send: Send): DefaultChatTransport<UIMessage> {
  const headers = { authorization: `Bearer ${tokens.alice}` }
  return new DefaultChatTransport({ api: `${origin}/api/chat`, headers, fetch: fetchOver(send) })
}

/** What a client was told of a question: the answer as it shows it, and everything. */
interface Told {
  readonly text: string
  readonly said: unknown
}

/** One conversation of a client; a question that fails is thrown, or told. */
type Ask = (question: string) => Promise<Told>

const human = (content: string) => ({ messages: [{ type: 'human', content }] })

/** Every protocol, by the clients that people have for it. */
export const clients: Readonly<Record<string, (send: Send) => Ask>> = {
  'the JSON API': (send) => async (question) => {
    const result = await read<RunResult>(send('/api/ask', { body: { question, threadId: 'chat' } }))
    const hits = await read(send(`/api/search?q=${encodeURIComponent(question)}`))
    return { text: result.answer, said: [result, hits, await read(send('/api/threads/chat'))] }
  },
  'its events': (send) => async (question) => {
    const headers = { accept: 'text/event-stream' }
    const said = eventsIn(await (await send('/api/ask', { body: { question, threadId: 'chat' }, headers })).text())
    const end = said.find(({ event }) => event === 'run.completed')?.data as { payload: { answer: string } } | undefined
    return { text: end?.payload.answer ?? '', said }
  },
  'the AI SDK': (send) => {
    const messages: UIMessage[] = []
    return async (text) => {
      messages.push({ id: `question-${messages.length}`, role: 'user', parts: [{ type: 'text', text }] })
      const options = { chatId: 'chat', messageId: undefined, abortSignal: undefined }
      const stream = await chatOver(send).sendMessages({ ...options, trigger: 'submit-message', messages })
      const errors: unknown[] = []
      let last: UIMessage | undefined
      const onError = (error: unknown) => void errors.push(String(error))
      for await (const message of readUIMessageStream({ stream, onError })) last = message
      if (last) messages.push(last)
      const words = last?.parts.map((part) => (part.type === 'text' ? part.text : '')) ?? []
      return { text: words.join(''), said: [last, errors] }
    }
  },
  OpenAI: (send) => chatOf(send, false),
  'OpenAI, as a stream': (send) => chatOf(send, true),
  'OpenAI’s responses': (send) => {
    let previous: string | undefined
    return async (input) => {
      const more = previous === undefined ? {} : { previous_response_id: previous }
      const said = await openaiOver(send).responses.create({ model: 'quaero', input, ...more })
      previous = said.id
      return { text: said.output_text, said }
    }
  },
  'OpenAI’s responses, as a stream': (send) => {
    let previous: string | undefined
    return async (input) => {
      const more = previous === undefined ? {} : { previous_response_id: previous }
      const stream = openaiOver(send).responses.stream({ model: 'quaero', input, ...more })
      const events: unknown[] = []
      let text = ''
      for await (const event of stream) {
        events.push(event)
        if (event.type === 'response.output_text.delta') text += event.delta
      }
      previous = (await stream.finalResponse()).id
      return { text, said: [events, text] }
    }
  },
  LangGraph: (send) => async (question) => {
    const options = { input: human(question), streamMode: ['values' as const] }
    const said: { event: string; data: unknown }[] = []
    for await (const frame of langgraphOver(send).runs.stream('chat', 'quaero', options)) said.push(frame)
    const values = said.findLast(({ event }) => event === 'values')?.data as { messages: { content: string }[] }
    return { text: values.messages.at(-1)?.content ?? '', said }
  },
  'LangGraph’s thread streams': (send) => {
    let asked = 0
    return async (question) => {
      asked += 1
      await commanding(send).start(question, `m${asked}`)
      const said = await eventsUntil(send, /completed|failed/)
      return { text: assembled(said), said }
    }
  },
  MCP: (send) => async (question) => {
    const client = await mcpOver(send)
    const said = await client.callTool({ name: 'ask', arguments: { question, threadId: 'chat' } })
    const found = await client.callTool({ name: 'search', arguments: { query: question } })
    return { text: (said.structuredContent as { answer: string }).answer, said: [said, found] }
  },
}

/** A client that sends all of the conversation each time. */
function chatOf(send: Send, isStream: boolean): Ask {
  const messages: { role: 'user' | 'assistant'; content: string }[] = []
  return async (content) => {
    messages.push({ role: 'user', content })
    const { completions } = openaiOver(send).chat
    const said: unknown[] = []
    let text = ''
    if (isStream) {
      for await (const chunk of await completions.create({ model: 'quaero', messages, stream: true })) {
        said.push(chunk)
        text += chunk.choices[0]?.delta.content ?? ''
      }
    } else {
      const whole = await completions.create({ model: 'quaero', messages })
      said.push(whole)
      text = whole.choices[0]?.message.content ?? ''
    }
    messages.push({ role: 'assistant', content: text })
    return { text, said: [said, text] }
  }
}
