import type { Candidate } from './parts.ts'

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
  if (candidate.table) return phraseRow(candidate.text, candidate.table, asked, stems)
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

/** "Table 2 — Not English: 15.2M", with the names of the columns where they are known. */
function phraseRow(
  row: string,
  { caption, header, headerText }: NonNullable<Candidate['table']>,
  asked: ReadonlySet<string>,
  stems: (text: string) => readonly string[],
): Claim {
  const [label = '', ...cells] = row.split(' | ').map((cell) => cell.trim())
  const number = /^(Table|Tab\.|Figure|Fig\.)\s?[A-Z]?\d[\w.]*?(?=[.:]?(\s|$))/i.exec(caption)?.[0]
  const before = number ? `${number} — ` : ''
  const columns = header.length === cells.length + 1 ? header.slice(1) : header.length === cells.length ? header : []
  if (columns.length === 0) return { text: `${before}${label}: ${cells.join(', ')}.`, quotes: [row] }
  const wanted = columns.map((column) => stems(column).some((word) => asked.has(word)))
  const some = wanted.some(Boolean) && !wanted.every(Boolean)
  const said = cells.map((cell, i) => `${columns[i]} ${cell}`).filter((_, i) => !some || wanted[i])
  return { text: `${before}${label}: ${said.join(', ')}.`, quotes: [row, headerText] }
}
