/**
 * A process that plays an OpenAI-compatible endpoint, always with the same story: a route, rounds of tool calls, closing
 * words, a cited answer. Run by `fork`, with the story as JSON; sends its address to the parent. What stands before `/v1`
 * in the path names who asks: `/calls` tells the calls and bytes of each.
 *
 * Questions may carry a case, as in "(case-17)", or the address. `/journal/17` tells its calls, in order, so that one that is paid twice is
 * seen where it is paid; `/stall/17?at=2` lets the second stop in the middle of its reply, which the parent is told of.
 *
 * `kind` makes it a backend of traces instead: `sink` takes whatever is posted, `silent` never answers.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

const queries = ['checkpoint growth over the turns of a conversation', 'bytes stored when old checkpoints are deleted']

const story = {
  kind: 'model',
  /** Milliseconds until a reply begins, and those that each of its pieces takes; 0: it comes as a whole. */
  delayMs: 0,
  pieceMs: 0,
  /** The tools that are called in each round, of those that are offered; null: the first one, whatever it is called. */
  rounds: queries.map((query) => [[null, { query }]]),
  /** Sentences of the answer, and words of each; each is a quote from a passage. */
  sentences: 4,
  /** What each sentence begins with: with words of its own it is read a second time. */
  opening: '',
  words: 12,
  /** Characters of a piece: four are about a token, as models stream them. */
  pieceCharacters: 4,
  ...JSON.parse(process.argv[2] ?? '{}'),
}

const asked = new Map()
const journals = new Map()
const stalls = new Map()

const server = createServer(async (request, response) => {
  if (story.kind !== 'model') {
    request.resume()
    return story.kind === 'sink' && request.on('end', () => response.end('{}'))
  }
  const { pathname, searchParams } = new URL(request.url, 'http://x')
  const [, action, name] = pathname.split('/')
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += piece
  if (action === 'calls') return response.end(JSON.stringify(Object.fromEntries(asked)))
  if (action === 'journal') return response.end(JSON.stringify(journals.get(name) ?? []))
  if (action === 'stall') {
    stalls.set(name, Number(searchParams.get('at')))
    return response.end()
  }
  count(action, Buffer.byteLength(text))
  await reply(JSON.parse(text), journalOf(text, action), response)
})
// A client that waits for its turn for minutes must not find its connection closed.
server.keepAliveTimeout = 3_600_000
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${server.address().port}`))
process.on('disconnect', () => process.exit(0))

function count(who, bytes) {
  const { calls, bytes: earlier } = asked.get(who) ?? { calls: 0, bytes: 0 }
  asked.set(who, { calls: calls + 1, bytes: earlier + bytes })
}

/** The case of a request, with its calls up to this one; null where it names none. */
function journalOf(text, path) {
  const name = [...`${text} ${path}`.matchAll(/case-(\d+)/g)].at(-1)?.[1]
  if (name === undefined) return null
  const calls = journals.get(name) ?? journals.set(name, []).get(name)
  // `endedAt`: when its last byte was sent. Milliseconds of a clock that all processes of the machine share.
  const entry = { hash: hashOf(text), speaker: speakerOf(JSON.parse(text)), answered: false, endedAt: null }
  return { name, entry, number: calls.push(entry) }
}

function hashOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

async function reply(body, journal, response) {
  const pieces = body.stream ? streamOf(replyTo(body)) : [wholeOf(replyTo(body))]
  if (story.delayMs > 0) await wait(story.delayMs)
  response.writeHead(200, { 'content-type': body.stream ? 'text/event-stream' : 'application/json' })
  if (journal && stalls.get(journal.name) === journal.number) {
    const whole = pieces.join('')
    response.write(whole.slice(0, whole.length / 2))
    process.send?.({ stalled: journal.name })
    return
  }
  if (story.pieceMs > 0)
    for (const piece of pieces.splice(0, pieces.length - 1)) {
      response.write(piece)
      await wait(story.pieceMs)
    }
  if (journal) journal.entry.endedAt = performance.timeOrigin + performance.now()
  response.end(pieces.join(''))
  if (!journal) return
  journal.entry.answered = true
  process.send?.({ ended: journal.name, call: journal.number })
}

function speakerOf({ messages, tools, response_format }) {
  if (response_format || textOf(messages[0]).includes('You route questions')) return 'orchestrator'
  if (tools?.length) return 'research'
  return textOf(messages.at(-1)).includes('check the answer below') ? 'secondReading' : 'synthesis'
}

/** Some clients send a text as the one part of a list. */
function textOf({ content }) {
  return typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('')
}

function replyTo(body) {
  const { messages, tools } = body
  const speaker = speakerOf(body)
  if (speaker === 'orchestrator') return { content: route(textOf(messages.at(-1))) }
  if (speaker === 'secondReading') return { content: verdicts() }
  if (speaker === 'synthesis') return { content: answer(textOf(messages.at(-1))) || 'none' }
  const offered = tools.map(({ function: { name } }) => name)
  const asking = messages.findLastIndex(({ role }) => role === 'user')
  const round = messages.slice(asking).filter(({ role, tool_calls }) => role === 'assistant' && tool_calls).length
  const calls = (story.rounds[round] ?? []).map(([tool, args]) => [tool ?? offered[0], args])
  const possible = calls.filter(([tool]) => offered.includes(tool))
  if (possible.length === 0) return { content: 'The passages found say what was asked.' }
  // The same ids for the same request, so that the request after it is the same when it is repeated.
  const id = hashOf(JSON.stringify(messages))
  return {
    calls: possible.map(([name, args], index) => {
      return { id: `call_${id}_${index}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }
    }),
  }
}

function route(prompt) {
  const standaloneQuestion = prompt.trim().split('\n').at(-1)
  return JSON.stringify({ route: 'research', standaloneQuestion, missingContext: [], candidates: [] })
}

/** Sentences, each with the first words of a passage as its quote. */
function answer(prompt) {
  const passages = [...prompt.matchAll(/<passage id="(P\d+)"[^>]*>\n([\s\S]*?)\n<\/passage>/g)]
  return passages
    .slice(0, story.sentences)
    .map(([, id, text]) => {
      const quote = text.split(/\s/).slice(0, story.words).join(' ')
      return `${story.opening}${quote.replace(/[<>]/g, '')}.<cite id="${id}">${quote}</cite>`
    })
    .join(' ')
}

/** Each sentence follows from the passage of its number. */
function verdicts() {
  const lines = Array.from({ length: story.sentences }, (_, at) => `${at + 1} yes P${at + 1}`)
  return [...lines, 'answers: 1'].join('\n')
}

let answers = 0
const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }

/** For clients that do not ask for a stream. */
function wholeOf({ content = '', calls }) {
  answers += 1
  const message = { role: 'assistant', content, ...(calls && { tool_calls: calls }) }
  const choices = [{ index: 0, message, finish_reason: calls ? 'tool_calls' : 'stop' }]
  return JSON.stringify({ id: `chatcmpl-${answers}`, object: 'chat.completion', model: 'scripted', choices, usage })
}

/** The events of a reply. */
function streamOf({ content = '', calls = [] }) {
  answers += 1
  const frame = { id: `chatcmpl-${answers}`, object: 'chat.completion.chunk', created: 1, model: 'scripted' }
  const event = (delta, finish_reason = null) =>
    `data: ${JSON.stringify({ ...frame, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const called = (index, part) => event({ tool_calls: [{ index, ...part }] })
  return [
    event({ role: 'assistant', content: '' }),
    ...piecesOf(content).map((piece) => event({ content: piece })),
    ...calls.flatMap(({ function: { name, arguments: args }, ...call }, index) => [
      called(index, { ...call, function: { name, arguments: '' } }),
      ...piecesOf(args).map((piece) => called(index, { function: { arguments: piece } })),
    ]),
    event({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    `data: ${JSON.stringify({ ...frame, choices: [], usage })}\n\n`,
    'data: [DONE]\n\n',
  ]
}

function piecesOf(text) {
  return text.match(new RegExp(`[\\s\\S]{1,${story.pieceCharacters}}`, 'g')) ?? []
}
