import { type SectionStart, type Span, sectionAt, stems, unbrokenSentences } from '../../library/index.ts'
import { contextOf, rowAt, type TableRow, type TablesAround } from './table.ts'

/** A passage among which the answer is looked for. */
export interface EvidenceText {
  readonly id: string
  readonly documentId?: string
  readonly page?: number
  readonly title: string | null
  readonly source?: string
  readonly section: string | null
  /** Where in the text its sections begin; absent where it has one, or they are not known. */
  readonly sections?: readonly SectionStart[] | undefined
  readonly kind: 'text' | 'table' | 'references'
  readonly text: string
  /** Absent where it holds no table, or none was kept with its page. */
  readonly around?: TablesAround
  /** 0 to 1: how much of what the query asks for the passage holds. */
  readonly score: number
}

/** A sentence or table row of the evidence before it is rated. */
export interface SentenceUnit {
  readonly passage: EvidenceText
  readonly start: number
  readonly end: number
  readonly text: string
  /** Nothing but headings stands before it in the passage. */
  readonly opens: boolean
  /** What is shown of it: the line with its neighbours as far as they fit. */
  readonly snippet: Span
  /** Stems of its words in order; of a row also those of its caption and header. */
  readonly own: readonly string[]
  /** Stems of what stands before it in the passage, the nearest sentence first, up to 30. Rows and their neighbours have none. */
  readonly before: readonly ReadonlySet<string>[]
  readonly next: ReadonlySet<string>
  /** What it stands in. */
  readonly section: string | null
  /** Stems of the title and of the headings above it. */
  readonly headings: ReadonlySet<string>
  readonly row: TableRow | null
}

/** Takes a passage apart; its headings and the header of a table say nothing, and no question answers another. */
export function unitsOf(passage: EvidenceText): readonly SentenceUnit[] {
  const sections = [passage.section, ...(passage.sections ?? []).map(([, name]) => name)].filter(
    (name) => name !== null,
  )
  const headingLines = new Set([...sections.flatMap((name) => name.split(' > ')), passage.title ?? ''])
  const spans = unbrokenSentences(passage.text, headingLines).slice(0, MOST_SENTENCES)
  const lines = spans.map((span) => passage.text.slice(span.start, span.end))
  const said = lines.map(stems)
  const present = said.map((words) => new Set(words))
  return spans.flatMap((span, i): SentenceUnit[] => {
    const text = lines[i] ?? ''
    const row = passage.around ? rowAt(passage.text, span.start, passage.around) : null
    if (text.endsWith('?') || row === 'header' || headingLines.has(text)) return []
    const own = said[i] ?? []
    const opens = lines.slice(0, i).every((line) => headingLines.has(line))
    const section = sectionAt(passage, span.start)
    const headings = new Set(stems(`${passage.title ?? ''} ${section ?? ''}`))
    const place = { passage, ...span, text, section, headings, opens }
    // A row says what its table says of it, and nothing of what its neighbours do.
    const snippet = snippetAround(i, spans, (at) => headingLines.has(lines[at] ?? ''))
    if (row) return [{ ...place, snippet, own: [...own, ...stems(contextOf(row))], before: [], next: NONE, row }]
    const before = present.slice(Math.max(0, i - MOST_BEFORE), i).reverse()
    return [{ ...place, snippet, own, before, next: present[i + 1] ?? NONE, row: null }]
  })
}

const NONE: ReadonlySet<string> = new Set()
/** No passage of prose or of a table has as many. */
const MOST_SENTENCES = 400
/** A passage of prose has fewer sentences; what stands further up counts for nothing. */
const MOST_BEFORE = 30

/** Characters of a snippet; a longer line stands alone. */
const LONGEST_SNIPPET = 700

/** A line with those behind it that fit, then with those before it as far as the next heading. */
function snippetAround(at: number, spans: readonly Span[], isHeading: (at: number) => boolean): Span {
  let [first, last] = [at, at]
  const fits = (from: number, to: number) => {
    const [start, end] = [spans[from]?.start, spans[to]?.end]
    return start !== undefined && end !== undefined && end - start <= LONGEST_SNIPPET
  }
  while (fits(first, last + 1)) last += 1
  while (isHeading(last) && last > at) last -= 1
  while (fits(first - 1, last) && !isHeading(first - 1)) first -= 1
  return { start: spans[first]?.start ?? 0, end: spans[last]?.end ?? 0 }
}
