import { isRow } from '../../library/language/table.ts'
import { stems } from '../../library/language/terms.ts'
import { unbrokenSentences } from '../../library/language/unbroken-sentences.ts'
import type { Span } from '../../library/quote.ts'
import { readRow, readTable, type TableRow } from './table.ts'

/** A passage among which the answer is looked for. */
export interface EvidenceText {
  readonly id: string
  readonly documentId?: string
  readonly title: string | null
  readonly source?: string
  readonly section: string | null
  readonly kind: 'text' | 'table' | 'references'
  readonly text: string
  /** 0 to 1: how much of what the query asks for the passage holds. */
  readonly score: number
}

/** A sentence or table row of the evidence before it is rated. */
export interface SentenceUnit {
  readonly passage: EvidenceText
  readonly start: number
  readonly end: number
  readonly text: string
  /** What is shown of it: a sentence with its neighbours as far as they fit, a row with the header of its table. */
  readonly snippet: Span
  /** Stems of its words in order; of a row also those of its caption and header. */
  readonly own: readonly string[]
  /** Stems of what stands before it in the passage, the nearest sentence first, up to 30. Rows and their neighbours have none. */
  readonly before: readonly ReadonlySet<string>[]
  readonly next: ReadonlySet<string>
  /** Stems of the title and the heading above the passage. */
  readonly headings: ReadonlySet<string>
  readonly row: TableRow | null
}

/** Takes a passage apart; the header of a table is no row, and no question answers another. */
export function unitsOf(passage: EvidenceText): readonly SentenceUnit[] {
  const spans = unbrokenSentences(passage.text).slice(0, MOST_SENTENCES)
  const headings = new Set(stems(`${passage.title ?? ''} ${passage.section ?? ''}`))
  const lines = spans.map((span) => passage.text.slice(span.start, span.end))
  const said = lines.map(stems)
  const present = said.map((words) => new Set(words))
  const table = lines.some(isRow) ? readTable(lines) : null
  return spans.flatMap((span, i): SentenceUnit[] => {
    const text = lines[i] ?? ''
    if (text.endsWith('?')) return []
    const own = said[i] ?? []
    const snippet = snippetAround(i, spans, passage.text)
    const place = { passage, ...span, text, snippet, headings }
    if (table === null || !isRow(text)) {
      const before = present.slice(Math.max(0, i - MOST_BEFORE), i).reverse()
      return [{ ...place, own, before, next: present[i + 1] ?? NONE, row: null }]
    }
    if (i < table.body) return []
    const row = readRow(text, table, lines.slice(0, i))
    // A row says what its caption and header say of it, and nothing of what its neighbours do.
    const inTable = [...own, ...stems(contextOf(row))]
    return [{ ...place, own: inTable, before: [], next: NONE, row }]
  })
}

const NONE: ReadonlySet<string> = new Set()
/** No passage of prose or of a table has as many. */
const MOST_SENTENCES = 400
/** A passage of prose has fewer sentences; what stands further up counts for nothing. */
const MOST_BEFORE = 30

function contextOf({ table, group }: TableRow): string {
  return `${table.caption} ${table.header.join(' ')} ${group ?? ''}`
}

/** Characters of a snippet; a longer sentence stands alone. */
const LONGEST_SNIPPET = 700

/** A sentence with those behind it that fit, then with those before it, as far as they are prose. */
function snippetAround(at: number, spans: readonly Span[], text: string): Span {
  let [first, last] = [at, at]
  const fits = (from: number, to: number, added: number) => {
    const [start, end, next] = [spans[from]?.start, spans[to]?.end, spans[added]]
    if (start === undefined || end === undefined || !next) return false
    return end - start <= LONGEST_SNIPPET && isProse(text.slice(next.start, next.end))
  }
  while (fits(first, last + 1, last + 1)) last += 1
  while (fits(first - 1, last, first - 1)) first -= 1
  return { start: spans[first]?.start ?? 0, end: spans[last]?.end ?? 0 }
}

/** Mostly words: no formula, address, or line of a figure. */
function isProse(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const others = text.match(/[^\p{L}\s]/gu)?.length ?? 0
  return !text.includes('://') && letters >= 2 * others && !/\S{100}/.test(text)
}
