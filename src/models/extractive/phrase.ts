import type { Candidate, Row } from './parts.ts'

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

/** "Table 2 — Not English: 15.2M"; of several columns, those that the question names. */
function phraseRow(
  text: string,
  { label, values, table }: Row,
  asked: ReadonlySet<string>,
  stems: (text: string) => readonly string[],
): Claim {
  const named = values.filter(({ column }) => column && stems(column).some((word) => asked.has(word)))
  const said = named.length > 0 ? named : values
  const number = /^(Table|Tab\.|Figure|Fig\.)\s?[A-Z]?\d+(\.\d+)?/i.exec(table.caption)?.[0]
  const cells = said.map(({ column, value }) => (column && values.length > 1 ? `${column} ${value}` : value))
  const columnsSaid = said.some(({ column }) => column) && values.length > 1
  return {
    text: `${number ? `${number} — ` : ''}${label}: ${cells.join(', ')}.`,
    quotes: columnsSaid ? [text, table.headerText] : [text],
  }
}
