/**
 * A process that plays an OpenAI-compatible endpoint, always with the same story: a route, two rounds of tool calls side
 * by side, closing words, a cited answer. It keeps a journal of what it was asked, so that a call that is paid twice is
 * seen where it is paid. Run by `fork`; sends its address to the parent.
 *
 * Questions carry a case, as in "(case-17)". `GET /journal/17` tells its calls, in order; `POST /stall/17?at=2` lets the
 * second of them stop in the middle of its reply, which the parent is told of. The arguments are how long each reply takes to
 * begin, and how long each of its pieces then takes, in milliseconds; without the second, it comes as a whole.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

const [delayMs = 0, pieceMs = 0] = process.argv.slice(2).map(Number)

const journals = new Map()
const stalls = new Map()

const server = createServer(async (request, response) => {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += piece
  const [, action, name] = new URL(request.url, 'http://x').pathname.split('/')
  if (action === 'journal') return response.end(JSON.stringify(journals.get(name) ?? []))
  if (action === 'stall') {
    stalls.set(name, Number(new URL(request.url, 'http://x').searchParams.get('at')))
    return response.end()
  }
  await reply(JSON.parse(text), text, response)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${server.address().port}`))
process.on('disconnect', () => process.exit(0))

async function reply(body, text, response) {
  const name = [...text.matchAll(/case-(\d+)/g)].at(-1)?.[1] ?? 'none'
  const journal = journals.get(name) ?? journals.set(name, []).get(name)
  const entry = {
    hash: createHash('sha256').update(text).digest('hex').slice(0, 16),
    speaker: speakerOf(body),
    answered: false,
    /** When its last byte was sent. Milliseconds of a clock that all processes of the machine share. */
    endedAt: null,
  }
  journal.push(entry)
  const stream = streamOf(replyTo(body))
  if (delayMs > 0) await wait(delayMs)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (stalls.get(name) === journal.length) {
    response.write(stream.slice(0, stream.length / 2))
    process.send?.({ stalled: name })
    return
  }
  if (pieceMs > 0)
    for (const piece of stream.match(/.+\n\n/g).slice(0, -1)) {
      response.write(piece)
      await wait(pieceMs)
    }
  entry.endedAt = performance.timeOrigin + performance.now()
  response.end(pieceMs > 0 ? stream.match(/.+\n\n/g).at(-1) : stream)
  entry.answered = true
  process.send?.({ ended: name, call: journal.length })
}

function speakerOf({ tools, response_format }) {
  return response_format ? 'orchestrator' : tools ? 'research' : 'synthesis'
}

function replyTo(body) {
  const { messages, tools } = body
  const speaker = speakerOf(body)
  if (speaker === 'orchestrator') return { content: route(messages.at(-1).content) }
  if (speaker === 'synthesis') return { content: answer(messages.at(-1).content) }
  const offered = tools.map(({ function: { name } }) => name)
  const round = messages.filter(({ role, tool_calls }) => role === 'assistant' && tool_calls).length
  const rounds = [
    [
      ['pdf_retrieval', { query: 'Marble corpus pages' }],
      ['append_line', { text: 'one' }],
      ['append_line', { text: 'two' }],
    ],
    [
      ['append_line', { text: 'three' }],
      ['pdf_retrieval', { query: 'Halden filter pages removed' }],
    ],
  ]
  const calls = (rounds[round] ?? []).filter(([tool]) => offered.includes(tool))
  if (calls.length === 0) return { content: 'The passages found say how large the corpus is.' }
  return {
    calls: calls.map(([tool, args], index) => ({ id: `call_${round}_${index}`, tool, args: JSON.stringify(args) })),
  }
}

function route(prompt) {
  const standaloneQuestion = prompt.trim().split('\n').at(-1)
  return JSON.stringify({ route: 'research', standaloneQuestion, missingContext: [], candidates: [] })
}

/** Two sentences, each with the first words of a passage as its quote. */
function answer(prompt) {
  const passages = [...prompt.matchAll(/<passage id="(P\d+)"[^>]*>\n([\s\S]*?)\n<\/passage>/g)].slice(0, 2)
  return passages
    .map(([, id, text]) => {
      const quote = text.split(/\s/).slice(0, 8).join(' ')
      return `${quote.replace(/[<>]/g, '')}.<cite id="${id}">${quote}</cite>`
    })
    .join(' ')
}

function streamOf({ content = '', calls = [] }) {
  const frame = { id: 'chatcmpl', object: 'chat.completion.chunk', created: 1, model: 'scripted' }
  const event = (delta, finish_reason = null) =>
    `data: ${JSON.stringify({ ...frame, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const tool_calls = calls.map(({ id, tool, args }, index) => ({
    index,
    id,
    type: 'function',
    function: { name: tool, arguments: args },
  }))
  const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }
  return [
    event({ role: 'assistant', content: '' }),
    ...(content.match(/[\s\S]{1,40}/g) ?? []).map((piece) => event({ content: piece })),
    ...tool_calls.map((call) => event({ tool_calls: [call] })),
    event({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    `data: ${JSON.stringify({ ...frame, choices: [], usage })}\n\n`,
    'data: [DONE]\n\n',
  ].join('')
}
