import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { loadPrompt } from '../../src/prompts.ts'
import { type ChatRequest, startEndpoint, type TestEndpoint } from '../../tests/fixtures/openai-endpoint.ts'

/** What the scripted model says for one question. */
export interface Script {
  readonly question: string
  /** Each is searched for. */
  readonly queries: readonly string[]
  readonly draft: string
}

/** What was said to and by the model about one question. */
export interface Said {
  /** The draft as the model wrote it last. */
  readonly draft: string
  /** Words of the draft that no passage of the last request held. */
  readonly missing: readonly string[]
  /** Why sentences of the draft failed, as the program told the model; empty if it asked for no repair. */
  readonly complaint: string
  /** The claims that were read a second time, with what they rest on. */
  readonly reread: readonly string[]
}

export interface ScriptedEndpoint extends Pick<TestEndpoint, 'url' | 'close'> {
  /** What the model says from now on. */
  play(script: Script): void
  said(): Said
}

const nothing: Said = { draft: '', missing: [], complaint: '', reread: [] }

/**
 * A model that routes each question to research, searches once for each query, and writes the same draft each time.
 * A second reading finds nothing wrong; or else its requests are passed to `reader`, the base URL of another endpoint.
 */
export async function scriptedEndpoint(reader: string | null = null): Promise<ScriptedEndpoint> {
  let script: Script = { question: '', queries: [], draft: '' }
  let said = nothing
  const { url, close } = await startEndpoint(async (body) => {
    const texts = body.messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    const claims = claimsIn(texts)
    said = { ...said, reread: [...said.reread, ...claims] }
    if (claims.length > 0) return judgements(claims, body, reader)
    if (isOffered(body.tools)) return research(body, script)
    if (body.response_format || texts.some((text) => text.includes('standaloneQuestion'))) return route(script)
    const { text: draft, missing } = filled(script.draft, passagesIn(texts.join('\n')))
    const isRepair = body.messages.some(({ role }) => role === 'assistant')
    said = { ...said, draft, missing, complaint: isRepair ? (texts.at(-1) ?? '') : said.complaint }
    return { content: missing.length > 0 ? '<abstain/>' : draft }
  })
  return {
    url,
    close,
    play: (next) => {
      script = next
      said = nothing
    },
    said: () => said,
  }
}

/** The claims of a second reading; none in any other request. */
function claimsIn([system = '', user = '']: readonly string[]): readonly string[] {
  return system.startsWith(readingBegins) ? user.split(/\n\n(?=Claim \d+[:,])/).slice(1) : []
}

async function judgements(claims: readonly string[], body: ChatRequest, reader: string | null) {
  if (reader !== null) return { raw: await passedOn(body, reader) }
  return { content: claims.map((_, at) => `${at + 1} yes`).join('\n') }
}

const [readingBegins = ''] = loadPrompt('second-reading').system.split('\n')

/** The reply of another endpoint to the same request, however long it takes. */
async function passedOn(body: ChatRequest, baseUrl: string): Promise<Buffer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(`${baseUrl}/chat/completions`, { method: 'POST', headers }, resolve)
    sent.on('error', reject).end(JSON.stringify(body))
  })
  const reply = await buffer(response)
  if (response.statusCode === 200) return reply
  throw new Error(`${baseUrl} answers with ${response.statusCode}: ${reply.toString().slice(0, 200)}`)
}

function isOffered(tools: unknown): boolean {
  return Array.isArray(tools) && tools.length > 0
}

function route({ question }: Script) {
  const decision = { route: 'research', standaloneQuestion: question, missingContext: [], candidates: [] }
  return { content: JSON.stringify(decision) }
}

function research({ messages }: ChatRequest, { queries }: Script) {
  if (messages.at(-1)?.role === 'tool') return { content: 'The passages found hold the answer.' }
  return { toolCalls: queries.map((query) => ({ name: 'pdf_retrieval', args: { query } })) }
}

interface Passage {
  readonly id: string
  readonly text: string
}

function passagesIn(prompt: string): readonly Passage[] {
  const found = prompt.matchAll(/<passage id="(P\d+)"[^>]*>\n([\s\S]*?)\n<\/passage>/g)
  return Array.from(found, ([, id = '', text = '']) => ({ id, text }))
}

/** The draft with ids and words of the passages in its placeholders. */
function filled(draft: string, passages: readonly Passage[]): { text: string; missing: readonly string[] } {
  const missing: string[] = []
  const text = draft.replace(/\{\{(##|#|=|)([^}]*)\}\}/g, (_, kind: string, words: string) => {
    const found = find(words, passages)
    if (!found) missing.push(words)
    const { id = '', quote = '' } = found ?? {}
    if (kind === '##') return id.slice(1)
    if (kind === '#') return id
    // In JSON a quote is escaped, as the rest of the draft is.
    if (kind === '=') return draft.startsWith('```json') ? JSON.stringify(quote).slice(1, -1) : quote
    return `<cite id="${id}">${quote}</cite>`
  })
  return { text, missing }
}

/** Words and signs, without the bars of a table and the back ticks of code, which a passage may lack. */
const wordsAndSigns = /[\p{L}\p{N}]+|[^\s\p{L}\p{N}|`]/gu

function find(words: string, passages: readonly Passage[]): { id: string; quote: string } | null {
  const wanted = words.match(wordsAndSigns) ?? []
  for (const { id, text } of passages) {
    const tokens = [...text.matchAll(wordsAndSigns)]
    const at = tokens.findIndex((_, from) => wanted.every((word, offset) => tokens[from + offset]?.[0] === word))
    const [first, last] = [tokens[at], tokens[at + wanted.length - 1]]
    if (first && last) return { id, quote: text.slice(first.index, last.index + last[0].length) }
  }
  return null
}
