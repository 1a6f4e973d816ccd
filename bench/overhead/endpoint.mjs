/**
 * A process that plays an OpenAI-compatible endpoint, always with the same story: a route, searches, closing words, a
 * cited answer. Run by `fork`, with the number of searches and the milliseconds before each reply; sends its base URL
 * to the parent. What stands before `/v1` in the path names who asks: `/calls` tells the calls and bytes of each.
 */
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

const [searches = 2, latencyMs = 0] = process.argv.slice(2).map(Number)
const asked = new Map()

const server = createServer(async (request, response) => {
  if (request.url === '/calls') return response.end(JSON.stringify(Object.fromEntries(asked)))
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += piece
  count(request.url, Buffer.byteLength(text))
  const body = JSON.parse(text)
  const reply = replyTo(body)
  if (latencyMs > 0) await wait(latencyMs)
  response.writeHead(200, { 'content-type': body.stream ? 'text/event-stream' : 'application/json' })
  response.end(body.stream ? streamOf(reply) : wholeOf(reply))
})
// A client that waits for its turn for minutes must not find its connection closed.
server.keepAliveTimeout = 3_600_000
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${server.address().port}/v1`))
process.on('disconnect', () => process.exit(0))

function count(path, bytes) {
  const who = path.split('/')[1]
  const { calls, bytes: earlier } = asked.get(who) ?? { calls: 0, bytes: 0 }
  asked.set(who, { calls: calls + 1, bytes: earlier + bytes })
}

const queries = ['checkpoint growth over the turns of a conversation', 'bytes stored when old checkpoints are deleted']

function replyTo({ messages, tools, response_format }) {
  const prompt = textOf(messages.at(-1))
  if (response_format || textOf(messages[0]).includes('You route questions')) return { content: route(prompt) }
  if (!tools?.length) return { content: answer(prompt) }
  const round = messages.length - 1 - messages.findLastIndex(({ role }) => role === 'user')
  const query = queries.slice(0, searches)[round / 2]
  if (query === undefined) return { content: 'The passages found say how the store grows and what keeps it small.' }
  calls += 1
  return { call: { id: `call_${calls}`, name: tools[0].function.name, args: JSON.stringify({ query }) } }
}

let calls = 0

/** Some clients send a text as the one part of a list. */
function textOf({ content }) {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('')
}

function route(prompt) {
  const standaloneQuestion = prompt.trim().split('\n').at(-1)
  return JSON.stringify({ route: 'research', standaloneQuestion, missingContext: [], candidates: [] })
}

/** Four sentences, each with the first words of a passage as its quote. */
function answer(prompt) {
  const passages = [...prompt.matchAll(/<passage id="(P\d+)"[^>]*>\n([\s\S]*?)\n<\/passage>/g)].slice(0, 4)
  return passages
    .map(([, id, text]) => {
      const quote = text.split(/\s/).slice(0, 12).join(' ')
      return `${quote.replace(/[<>]/g, '')}.<cite id="${id}">${quote}</cite>`
    })
    .join(' ')
}

let answers = 0
const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }

/** For clients that do not ask for a stream. */
function wholeOf({ content = '', call }) {
  answers += 1
  const tool_calls = call && [{ id: call.id, type: 'function', function: { name: call.name, arguments: call.args } }]
  const message = { role: 'assistant', content, ...(call && { tool_calls }) }
  const choices = [{ index: 0, message, finish_reason: call ? 'tool_calls' : 'stop' }]
  return JSON.stringify({ id: `chatcmpl-${answers}`, object: 'chat.completion', model: 'scripted', choices, usage })
}

/** Four characters a chunk, about a token each, as models stream them. */
function streamOf({ content = '', call }) {
  answers += 1
  const frame = { id: `chatcmpl-${answers}`, object: 'chat.completion.chunk', created: 1, model: 'scripted' }
  const event = (delta, finish_reason = null) =>
    `data: ${JSON.stringify({ ...frame, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const called = (part) => event({ tool_calls: [{ index: 0, ...part }] })
  return [
    event({ role: 'assistant', content: '' }),
    ...pieces(content).map((piece) => event({ content: piece })),
    ...(call ? [called({ id: call.id, type: 'function', function: { name: call.name, arguments: '' } })] : []),
    ...pieces(call?.args ?? '').map((piece) => called({ function: { arguments: piece } })),
    event({}, call ? 'tool_calls' : 'stop'),
    `data: ${JSON.stringify({ ...frame, choices: [], usage })}\n\n`,
    'data: [DONE]\n\n',
  ].join('')
}

function pieces(text) {
  return text.match(/[\s\S]{1,4}/g) ?? []
}
