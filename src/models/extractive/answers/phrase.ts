import type { Candidate, Row } from '../parts.ts'

/** A sentence of the answer and the words of its passage that bear it out. */
export interface Claim {
  readonly text: string
  readonly quotes: readonly string[]
}

/** Says a sentence or row so that it reads as an answer. Words and figures stay those of the passage. */
export function phrase(
  candidate: Candidate,
  asked: ReadonlySet<string>,
  stems: (text: string) => readonly string[],
): Claim {
  if (candidate.row) return phraseRow(candidate.text, candidate.row, asked, stems)
  return { text: closed(capitalised(withoutLead(candidate.text))), quotes: [candidate.text] }
}

const LIST_MARK = /^(?:[•◦▪‣·*–—-]\s+|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+)/
const CONNECTIVE =
  /^(?:however|moreover|furthermore|in addition|additionally|thus|therefore|hence|finally|also|besides|nevertheless|nonetheless|consequently|as a result|in contrast|on the other hand|for example|for instance|in particular|specifically|indeed|in fact|likewise|similarly|meanwhile|overall|interestingly|notably|importantly|first|second|third|firstly|secondly|lastly|then),\s+/i

function withoutLead(sentence: string): string {
  const bare = sentence.replace(LIST_MARK, '').replace(CONNECTIVE, '')
  return bare.length > 0 ? bare : sentence
}

function capitalised(sentence: string): string {
  // A name such as "eBay" or "mRNA" keeps its small letter.
  return /^\p{Ll}(?!\p{Lu})/u.test(sentence) ? sentence.charAt(0).toUpperCase() + sentence.slice(1) : sentence
}

function closed(sentence: string): string {
  return /[.!?…]["”’)\]]*$/.test(sentence) ? sentence : `${sentence.replace(/[\s,;:–—-]+$/, '')}.`
}

/**
 * "Table 2 — Not English: 15.2M"; of several columns, those that the question names. Where it is not certain which name
 * belongs to which value, the whole row as it stands, with the header quoted beside it.
 */
function phraseRow(
  text: string,
  { label, values, table }: Row,
  asked: ReadonlySet<string>,
  stems: (text: string) => readonly string[],
): Claim {
  const lead = tableNumber(table.caption)
  const begun = `${lead ? `${lead} — ` : ''}${label}: `
  if (values.length <= 1) return { text: `${begun}${values[0]?.value ?? ''}.`, quotes: [text] }
  const quotes = [text, table.headerText]
  if (values.some(({ column }) => column === null)) {
    return { text: `${begun}${values.map(({ value }) => value).join(' | ')}.`, quotes }
  }
  // What the label says already tells no column from another.
  const inLabel = new Set(stems(label))
  const isNamed = (column: string) => stems(column).some((word) => asked.has(word) && !inLabel.has(word))
  const named = values.filter(({ column }) => column !== null && isNamed(column))
  const cells = (named.length > 0 ? named : values).map(({ column, value }) => `${column} ${value}`)
  return { text: `${begun}${cells.join(', ')}.`, quotes }
}

function tableNumber(caption: string): string | undefined {
  return /^(Table|Tab\.|Figure|Fig\.)\s?[A-Z]?\d+(\.\d+)?/i.exec(caption)?.[0]
}
