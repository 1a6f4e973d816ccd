/** Asks a running server with OpenAI's client. Run it: npx tsx examples/12-openai-client.ts */
import assert from 'node:assert/strict'
import OpenAI from 'openai'
import { startServer } from './running-server.ts'

// Stands for "npx quaero serve papers" in another terminal.
const { origin, token, close } = await startServer()

const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: token })
const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'user', content: 'How fast was NORMAL compared with FULL?' },
]
const first = await client.chat.completions.create({ model: 'quaero', messages })
const said = first.choices[0]?.message
console.log(said?.content)
for (const { url_citation: at } of said?.annotations ?? []) console.log(`${at.title}: ${at.url}`)

// The conversation goes on where the earlier messages are sent along.
messages.push({ role: 'assistant', content: said?.content ?? '' })
messages.push({ role: 'user', content: 'How many bytes did it write per event?' })
let next = ''
const stream = await client.chat.completions.create({ model: 'quaero', messages, stream: true })
for await (const { choices } of stream) next += choices[0]?.delta.content ?? ''
console.log(`Then: ${next}`)
await close()

assert.match(said?.content ?? '', /19\.6 times as fast as FULL/)
assert.match(next, /4,361 bytes/)
