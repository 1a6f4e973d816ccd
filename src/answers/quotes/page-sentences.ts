import { hasLetterOrDigit, isRow, sentences, tokens } from '../../library/index.ts'
import type { TabledEvidence } from './quoted-table.ts'

/** What can be quoted for a sentence: a sentence, list item or table row of a passage. */
export class PageSentence {
  readonly evidence: TabledEvidence
  readonly text: string
  /** It stands in a table's passage beside the rows: its name, its header, a note. */
  readonly isBesideRows: boolean
  #words: string | undefined
  #forms: ReadonlySet<string> | undefined

  constructor(evidence: TabledEvidence, { text, isBesideRows }: Stretch) {
    this.evidence = evidence
    this.text = text
    this.isBesideRows = isBesideRows
  }

  /** Its words with single spaces between them. */
  get words(): string {
    this.#words ??= wordsOf(this.text)
    return this.#words
  }

  /** Its words and figures in the forms in which they are compared. */
  get forms(): ReadonlySet<string> {
    this.#forms ??= formsOf(this.text)
    return this.#forms
  }
}

/** Letters of a word that must agree: endings differ ("Beschäftigte", "beschäftigten"). */
const BEGINNING = 6

/** Words by their beginnings, and figures by their digits. */
export function formsOf(text: string): ReadonlySet<string> {
  const figures = text.match(FIGURES)?.map(digitsOf) ?? []
  const words = tokens(text).flatMap(({ word }) => (/\p{L}{2}/u.test(word) ? [word.slice(0, BEGINNING)] : []))
  return new Set([...words, ...figures])
}

const FIGURES = /\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?!\d)|\d+(?:[.,]\d+)?/g

/** "29,239" and "29.239" are one figure. */
function digitsOf(figure: string): string {
  return figure.replace(/\D/g, '')
}

const known = new WeakMap<TabledEvidence, readonly PageSentence[]>()

/** The sentences and rows of a passage. What its tables do not tell of, such as a header, is a row if it has bars. */
export function sentencesOf(evidence: TabledEvidence): readonly PageSentence[] {
  const found =
    known.get(evidence) ??
    rowsAndSentences(evidence)
      .filter(({ text }) => hasLetterOrDigit(text))
      .map((each) => new PageSentence(evidence, each))
  known.set(evidence, found)
  return found
}

interface Stretch {
  readonly text: string
  readonly isBesideRows: boolean
}

function rowsAndSentences({ observation: { text, start }, tables = [] }: TabledEvidence): readonly Stretch[] {
  const found: Stretch[] = []
  const isBesideRows = tables.some(({ rows }) => rows.length > 0)
  const beside = (stretch: string) => linesAndSentences(stretch).map((each) => ({ text: each, isBesideRows }))
  let from = 0
  for (const row of tables.flatMap(({ rows }) => rows)) {
    const [begins, ends] = [Math.max(row.start - start, from), Math.min(row.end - start, text.length)]
    if (begins >= ends) continue
    found.push(...beside(text.slice(from, begins)), { text: text.slice(begins, ends).trim(), isBesideRows: false })
    from = ends
  }
  return [...found, ...beside(text.slice(from))]
}

function linesAndSentences(text: string): readonly string[] {
  const lines = text.split('\n')
  const each = lines.flatMap((line) =>
    isRow(line) ? [line.trim()] : sentences(line).map(({ start, end }) => line.slice(start, end)),
  )
  return [...each, ...blocksOf(lines)]
}

/** Characters of a line that may be a cell, and of a block of such lines. */
const longestCell = 60
const longestBlock = 400

/** Short lines that follow each other: a table whose cells stand in a line each says its figures only together. */
function blocksOf(lines: readonly string[]): readonly string[] {
  const blocks: string[][] = []
  let isOpen = false
  for (const line of lines) {
    const isCell = line.trim() !== '' && line.length <= longestCell && !isRow(line) && !/[.!?:]\s*$/.test(line)
    if (isCell && isOpen) blocks.at(-1)?.push(line)
    else if (isCell) blocks.push([line])
    isOpen = isCell
  }
  return blocks
    .map((block) => block.join('\n').trim())
    .filter((block) => block.includes('\n') && block.length <= longestBlock)
}

/** The sentence or row with most of the claim's words, and the share of them that it has; null if none has any. */
export function nearestSentence(claim: string, among: readonly TabledEvidence[]) {
  const wanted = formsOf(claim)
  const all = among.flatMap(sentencesOf)
  const rarity = rarityOf(wanted, all)
  const total = [...wanted].reduce((sum, form) => sum + (rarity.get(form) ?? 0), 0)
  let best: { readonly sentence: PageSentence; readonly weight: number } | null = null
  for (const sentence of all) {
    const shared = [...sentence.forms].filter((form) => wanted.has(form))
    const weight = shared.reduce((sum, form) => sum + (rarity.get(form) ?? 0), -LENGTH * sentence.forms.size)
    if (shared.length > 0 && weight > (best?.weight ?? 0)) best = { sentence, weight }
  }
  return best && { sentence: best.sentence, share: total > 0 ? best.weight / total : 0 }
}

/** Of two that share the same, the shorter. */
const LENGTH = 0.01

/** How telling each word and figure of a claim is among the sentences of these passages. */
export function weightsOf(claim: string, among: readonly TabledEvidence[]): ReadonlyMap<string, number> {
  return rarityOf(formsOf(claim), among.flatMap(sentencesOf))
}

/** How telling each form is among these sentences; one that no sentence has counts as the rarest. */
function rarityOf(wanted: ReadonlySet<string>, all: readonly PageSentence[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { forms } of all) for (const form of forms) counts.set(form, (counts.get(form) ?? 0) + 1)
  return new Map([...wanted].map((form) => [form, Math.log(1 + all.length / (counts.get(form) ?? 1))]))
}

/** The sentence or row of the passages that consists of these words, in this order, and of no others; null if none does. */
export function sameSentence(claim: string, among: readonly TabledEvidence[]): PageSentence | null {
  const said = wordsOf(claim)
  const longest = said.split(' ').reduce((most, word) => (word.length > most.length ? word : most), '')
  if (longest === '') return null
  const near = among.filter(({ observation }) => mayHold(longest, observation.text)).flatMap(sentencesOf)
  return near.find((each) => mayHold(longest, each.text) && each.words === said) ?? null
}

/** False for a text of plain letters without this word: most texts need not be parted into words to know that. */
function mayHold(word: string, text: string): boolean {
  return /[^\x20-\x7e\n]/.test(text) || text.toLowerCase().includes(word)
}

function wordsOf(text: string): string {
  return tokens(text)
    .map(({ word }) => word)
    .join(' ')
}
