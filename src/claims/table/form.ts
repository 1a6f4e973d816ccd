import { z } from 'zod'
import { decimalMarkOf, figuresIn } from '../../library/index.ts'

/** What a cell of a column holds: any short value, a number with its unit, yes or no, or one of these. */
export const columnForm = z.union([
  z.enum(['text', 'number', 'yes/no']),
  z.array(z.string().trim().min(1).max(100)).min(2).max(20),
])
export type ColumnForm = z.output<typeof columnForm>

/** A form in words: "one of low | high". */
export function formInWords(form: ColumnForm): string {
  return typeof form === 'string' ? form : `one of ${form.join(' | ')}`
}

/** The form that words name: "number", "one of low | high"; null if they name none. */
export function readForm(words: string): ColumnForm | null {
  const options = /^one of (.*)$/is.exec(words.trim())?.[1]
  return (
    columnForm.safeParse(options ? options.split('|').map((each) => each.trim()) : words.trim().toLowerCase()).data ??
    null
  )
}

const wanted = {
  text: 'with the shortest value that answers the question (a name, a date, a few words)',
  number: 'with the number and its unit as the passage has them',
  'yes/no': 'with Yes or No',
} as const

/** Tells the writer of an answer how it begins, so that its value can be read. */
export function formForWriter(form: ColumnForm): string {
  const value = typeof form === 'string' ? wanted[form] : `with one of these, word for word (${form.join('; ')})`
  return `The first sentence begins ${value}, then a colon, then what the passage says.`
}

/** The value of a sentence that was written in this form; null where it has none. */
export function valueIn(form: ColumnForm, sentence: string): string | null {
  const [, head = '', said = sentence] = /^\s*([^:]{1,120}):\s+(.*)$/s.exec(sentence) ?? []
  if (form === 'text') return head.trim() || said.trim()
  if (form === 'yes/no') return /^\W*(yes|no)\b/i.exec(sentence)?.[1]?.toLowerCase() ?? null
  if (form === 'number') return numberIn(head) ?? numberIn(said)
  const begun = longestOf(form.filter((option) => beginsWith(head || sentence, option)))
  const named = form.filter((option) => folded(said).includes(folded(option)))
  return begun ?? (named.length === 1 ? (named[0] ?? null) : null)
}

const longestValue = 40

/** The first number of a text with its unit, as written: "12.5 mg", "CHF 3.2 million". */
function numberIn(text: string): string | null {
  const stated = text.trim()
  const [figure, another] = figuresIn(stated, decimalMarkOf(stated) ?? '.')
  if (!figure) return null
  // Where a few words hold one number, they are its unit and its sign: "12.5 mg/kg", "about 3".
  return stated.length <= longestValue && !another ? stated : figure.written
}

function longestOf(options: readonly string[]): string | null {
  return [...options].sort((a, b) => b.length - a.length)[0] ?? null
}

function beginsWith(text: string, option: string): boolean {
  return folded(text).startsWith(folded(option))
}

function folded(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
