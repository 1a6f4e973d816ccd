import { sentences } from '../../library/language/sentences.ts'
import { isRow } from '../../library/language/table.ts'
import { stems } from '../../library/language/terms.ts'
import { readRow, readTable, type TableRow } from './table.ts'

/** A passage among which the answer is looked for. */
export interface EvidenceText {
  readonly id: string
  readonly title: string | null
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
  /** Stems of its words in order; of a row also those of its caption and header. */
  readonly own: readonly string[]
  /** Stems of what stands before it in the passage, the nearest sentence first, up to 30. Rows and their neighbours have none. */
  readonly before: readonly ReadonlySet<string>[]
  readonly next: ReadonlySet<string>
  /** Stems of the title and the heading above the passage. */
  readonly headings: ReadonlySet<string>
  readonly row: TableRow | null
  readonly isCaption: boolean
}

/** Takes a passage apart; the header of a table is no row. */
export function unitsOf(passage: EvidenceText): readonly SentenceUnit[] {
  const spans = sentences(passage.text).slice(0, MOST_SENTENCES)
  const headings = new Set(stems(`${passage.title ?? ''} ${passage.section ?? ''}`))
  const lines = spans.map((span) => passage.text.slice(span.start, span.end))
  const said = lines.map(stems)
  const present = said.map((words) => new Set(words))
  const table = lines.some(isRow) ? readTable(lines) : null
  return spans.flatMap((span, i): SentenceUnit[] => {
    const text = lines[i] ?? ''
    const own = said[i] ?? []
    if (table === null || !isRow(text)) {
      const before = present.slice(Math.max(0, i - MOST_BEFORE), i).reverse()
      const isCaption = passage.kind === 'table'
      return [{ passage, ...span, text, own, before, next: present[i + 1] ?? NONE, headings, row: null, isCaption }]
    }
    if (i < table.body) return []
    const row = readRow(text, table, lines.slice(0, i))
    // A row says what its caption and header say of it, and nothing of what its neighbours do.
    const inTable = [...own, ...stems(contextOf(row))]
    return [{ passage, ...span, text, own: inTable, before: [], next: NONE, headings, row, isCaption: false }]
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
