import { hasLetterOrDigit } from '../../library/language/characters.ts'
import { handleOf } from './marks.ts'

/** An answer that was written as a JSON object, as text with its citations in tags; null if it is none. */
export function answerOfObject(draft: string): string | null {
  const from = draft.indexOf('{')
  const to = draft.lastIndexOf('}')
  if (from < 0 || to < from || hasLetterOrDigit(draft.slice(0, from).replace(/```[a-z]*/i, ''))) return null
  try {
    return answerOf(partsOf(JSON.parse(draft.slice(from, to + 1))))
  } catch {
    return null
  }
}

/** Words of the answer, or a citation of what was said before it. */
interface Part {
  readonly text: string
  readonly isCitation: boolean
}

const CITES = /<cite\b|<abstain|\[P\d/i

/** The words that cite; those that citations follow; else the first. A word beside them ("high") is no part of the answer. */
function answerOf(parts: readonly Part[]): string | null {
  const words = parts.filter(({ isCitation }) => !isCitation)
  const citing = words.filter(({ text }) => CITES.test(text))
  if (citing.length > 0) return citing.map(({ text }) => text).join('\n')
  const isSaid = (part: Part) => part.isCitation || part === words[0] || /\S\s+\S/.test(part.text)
  const said = words.length < parts.length ? parts.filter(isSaid) : words.slice(0, 1)
  return said.length > 0 ? said.map(({ text, isCitation }) => (isCitation ? text : ` ${text}`)).join('') : null
}

const PASSAGE = /^(?:id|passage|source|ref|reference|citation|doc|document)(?:_?id)?$/i
const QUOTE = /quote|text|excerpt|span|snippet|words|verbatim|evidence/i
const HANDLE = /^\[?P\d{1,3}\]?$/i

/** Words before citations, whatever the order of the fields. */
function partsOf(value: unknown): readonly Part[] {
  if (typeof value === 'string')
    return [HANDLE.test(value.trim()) ? citation(value) : { text: value, isCitation: false }]
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(partsOf)
  const entries = Object.entries(value)
  const [, id] =
    entries.find(([name, each]) => PASSAGE.test(name) && HANDLE.test(`P${each}`.replace(/^PP/i, 'P'))) ?? []
  const [, quote] = entries.find(([name, each]) => QUOTE.test(name) && typeof each === 'string') ?? []
  if (id !== undefined) return [citation(String(id), String(quote ?? ''))]
  const isText = ([, each]: [string, unknown]) => typeof each === 'string'
  return [...entries.filter(isText), ...entries.filter((entry) => !isText(entry))].flatMap(([, each]) => partsOf(each))
}

function citation(id: string, quote = ''): Part {
  return { text: `<cite id="${handleOf(id.trim().replace(/[[\]]/g, ''))}">${quote}</cite>`, isCitation: true }
}
