import { z } from 'zod'
import { decimalMarkOf, endWithout, figuresIn } from '../../library/index.ts'

const forms = 'It must be "text", "number", "yes/no", or a list of 2 to 20 different options'
const options = z.array(z.string().trim().min(1).max(100)).min(2).max(20).refine(areDifferent, forms)

/** What a cell of a column holds: any short value, a number with its unit, yes or no, or one of these. */
export const columnForm = z.union([z.enum(['text', 'number', 'yes/no']), options], forms)
export type ColumnForm = z.output<typeof columnForm>

function areDifferent(options: readonly string[]): boolean {
  return new Set(options.map((each) => each.toLowerCase())).size === options.length
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
  const [, head = '', said = sentence] = /^\s*([^:]{1,120}):\s+(.*)$/s.exec(sentence)?.map(bare) ?? []
  if (form === 'text') return head || bare(said)
  // "No data" is no "no".
  if (form === 'yes/no') return /^\W*(yes|no)\s*(?:$|[^\s\p{L}\p{N}])/iu.exec(sentence)?.[1]?.toLowerCase() ?? null
  if (form === 'number') return numberIn(head, said)
  return optionIn(form, head) ?? optionIn(form, bare(said))
}

/** Without the marks of emphasis and quotation around it. */
function bare(text: string): string {
  const begun = text.replace(/^[\s*_`"“]+/, '')
  return begun.slice(
    0,
    endWithout(begun, (character) => /[\s*_`"”]/.test(character)),
  )
}

const longestValue = 40

/** The number of a sentence as written: a short head whole, "12.5 mg/kg", "3–5 days", "0·82 (95% CI 0·65–1·03)". */
function numberIn(head: string, said: string): string | null {
  const [inHead, inSaid] = [head, said].map((text) => figuresIn(text, decimalMarkOf(text) ?? '.'))
  if (inHead?.length && head.length <= longestValue) return head
  const [figure, another] = (inHead?.length ? inHead : inSaid) ?? []
  // Of several none is chosen, since the first may be a year; nor one whose unit goes on: "12.5 mg" of "12.5 mg/kg".
  return figure && !another && !`${head}${said}`.includes(`${figure.written}/`) ? figure.written : null
}

/** The option that a text begins with, the longest of those; null where it begins with none. */
function optionIn(options: readonly string[], text: string): string | null {
  const begun = options.filter((option) => beginsWith(text.toLowerCase(), option.toLowerCase()))
  // Where signs carry no meaning, they may be written otherwise: "non-significant", "non significant".
  const worded = options.filter((option) => /^[\p{L}\s-]+$/u.test(option) && beginsWith(wordsOf(text), wordsOf(option)))
  return [...begun, ...worded].sort((a, b) => b.length - a.length)[0] ?? null
}

/** The beginning ends where a word does: "low" does not begin "lower". */
function beginsWith(text: string, beginning: string): boolean {
  const next = text.slice(beginning.length)
  return text.startsWith(beginning) && (!/[\p{L}\p{N}]$/u.test(beginning) || !/^[\p{L}\p{N}]/u.test(next))
}

function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
