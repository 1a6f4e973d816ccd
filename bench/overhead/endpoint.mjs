/**
 * A process that plays an OpenAI-compatible endpoint, always with the same story: a route, two searches, closing words,
 * a cited answer. Run by `fork`; sends its base URL to the parent.
 */
import { createServer } from 'node:http'

const server = createServer(async (request, response) => {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += piece
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(streamOf(replyTo(JSON.parse(text))))
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${server.address().port}/v1`))
process.on('disconnect', () => process.exit(0))

const queries = ['checkpoint growth over the turns of a conversation', 'bytes stored when old checkpoints are deleted']

function replyTo({ messages, tools, response_format }) {
  if (response_format) return { content: route(messages.at(-1).content) }
  if (!tools) return { content: answer(messages.at(-1).content) }
  const round = messages.filter(({ role }) => role === 'tool').length
  const query = queries[round]
  if (query === undefined) return { content: 'The passages found say how the store grows and what keeps it small.' }
  return { call: { id: `call_${round}`, name: tools[0].function.name, args: JSON.stringify({ query }) } }
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

/** Four characters a chunk, about a token each, as models stream them. */
function streamOf({ content = '', call }) {
  answers += 1
  const frame = { id: `chatcmpl-${answers}`, object: 'chat.completion.chunk', created: 1, model: 'scripted' }
  const event = (delta, finish_reason = null) =>
    `data: ${JSON.stringify({ ...frame, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const called = (part) => event({ tool_calls: [{ index: 0, ...part }] })
  const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }
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
