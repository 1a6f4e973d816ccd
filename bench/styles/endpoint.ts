import { type ChatRequest, startEndpoint, type TestEndpoint } from '../../tests/fixtures/openai-endpoint.ts'
import { type KeptReplies, replyTo } from '../kept-replies.ts'

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
}

export interface ScriptedEndpoint extends Pick<TestEndpoint, 'url' | 'close'> {
  /** What the model says from now on. */
  play(script: Script): void
  said(): Said
}

const nothing: Said = { draft: '', missing: [] }

/**
 * A model that routes each question to research, searches once for each query, and writes the same draft each time.
 * Second readings are passed to `reader`.
 */
export async function scriptedEndpoint(reader: KeptReplies | null = null): Promise<ScriptedEndpoint> {
  let script: Script = { question: '', queries: [], draft: '' }
  let said = nothing
  const { url, close } = await startEndpoint(async (body) => {
    const texts = body.messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    if (reader && texts.some((text) => text.includes(taskOfReader))) return { raw: await replyTo(body, reader) }
    if (isOffered(body.tools)) return research(body, script)
    if (body.response_format || texts.some((text) => text.includes('standaloneQuestion'))) return route(script)
    const { text: draft, missing } = filled(script.draft, passagesIn(texts.join('\n')))
    said = { draft, missing }
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

const taskOfReader = 'Your task: check the answer below'

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
