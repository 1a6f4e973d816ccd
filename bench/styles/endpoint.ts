import { type KeptReplies, replyTo } from '../kept-replies.ts'
import { passagesIn, type ScriptedModel, scriptedModel } from '../scripted-model.ts'

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

export interface ScriptedEndpoint extends Pick<ScriptedModel, 'url' | 'close'> {
  /** What the model says from now on. */
  play(script: Script): void
  said(): Said
}

const taskOfReader = 'Your task: check the answer below'

/** A model that writes the same draft each time, and abstains where no passage holds its words. Second readings are passed to `reader`. */
export async function scriptedEndpoint(reader: KeptReplies | null = null): Promise<ScriptedEndpoint> {
  const nothing: Said = { draft: '', missing: [] }
  let said = nothing
  const { url, close, play } = await scriptedModel((request, words) =>
    reader && words.includes(taskOfReader) ? replyTo(request, reader).then((raw) => ({ raw })) : undefined,
  )
  return {
    url,
    close,
    play({ question, queries, draft }) {
      said = nothing
      const write = (prompt: string) => {
        const { text, missing } = filled(draft, passagesIn(prompt))
        said = { draft: text, missing }
        return missing.length > 0 ? '<abstain/>' : text
      }
      play({ standalone: question, queries, write })
    },
    said: () => said,
  }
}

/** The draft with ids and words of the passages in its placeholders. */
function filled(draft: string, passages: ReturnType<typeof passagesIn>): { text: string; missing: readonly string[] } {
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

function find(words: string, passages: ReturnType<typeof passagesIn>): { id: string; quote: string } | null {
  const wanted = words.match(wordsAndSigns) ?? []
  for (const { id, text } of passages) {
    const tokens = [...text.matchAll(wordsAndSigns)]
    const at = tokens.findIndex((_, from) => wanted.every((word, offset) => tokens[from + offset]?.[0] === word))
    const [first, last] = [tokens[at], tokens[at + wanted.length - 1]]
    if (first && last) return { id, quote: text.slice(first.index, last.index + last[0].length) }
  }
  return null
}
