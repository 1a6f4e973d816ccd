import { hasLetterOrDigit } from '../../library/language/characters.ts'
import { handleOf } from './marks.ts'
import { withoutControls } from './readable-text.ts'

/**
 * Removes what a model writes around its answer: thoughts, tool calls, a fence or a JSON object around it all, control
 * characters.
 * Runs before anything else reads the draft.
 */
export function answerIn(draft: string): string {
  const plain = withoutThoughts(withoutControls(draft).replace(/[\u2028\u2029]/g, ' ')).replace(WRITTEN_CALL, '')
  return answerOfObject(plain) ?? plain.replace(FENCE, '')
}

// A line of its own, with the empty lines around it, which are looked at once: from the end of the text before them.
const FENCE = /(?<=^|\S[^\S\n]*\n)\s*```[a-z]*\s*(?=\n|$)/gi

// A tool call as text, in the forms of Hermes, Qwen and Mistral, and tokens of a chat template.
const WRITTEN_CALL = /<tool_call>[^<]*(?:<\/tool_call>)?|\[TOOL_CALLS\][^\n]*|<\|[a-z_]{1,40}\|>/g

/** The text after the last thoughts; thoughts that are not closed hold no answer. */
function withoutThoughts(draft: string): string {
  const closing = /<\/(?:think|thinking|reasoning|scratchpad)>/gi
  const last = [...draft.matchAll(closing)].at(-1)
  const after = last ? draft.slice(last.index + last[0].length) : draft
  const open = after.search(/<(?:think|thinking|reasoning|scratchpad)>/i)
  return open < 0 ? after : after.slice(0, open)
}

/** An answer that was written as a JSON object, as text with its citations in tags; null if it is none. */
function answerOfObject(draft: string): string | null {
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
