import { basename } from 'node:path'
import { isWebAddress, pageName } from '../../library/index.ts'
import type { ClaimQuote, ProvenClaim } from '../cards/claim.ts'
import type { ColumnForm } from './form.ts'
import type { AnswerCell, Table } from './table.ts'

/** A table with its footnotes, for every form that a reader gets it in. */
export interface NotedTable {
  readonly head: readonly string[]
  readonly rows: readonly (readonly { readonly text: string; readonly markers: readonly number[] }[])[]
  /** In the order of their markers, from 1. */
  readonly notes: readonly string[]
}

export function noted({ columns, rows }: Table): NotedTable {
  const notes = new Map<string, number>()
  const markerOf = (quote: ClaimQuote) => {
    const note = noteOf(quote)
    const marker = notes.get(note) ?? notes.size + 1
    notes.set(note, marker)
    return marker
  }
  const body = rows.map(({ document, cells }) => [
    { text: document, markers: [] },
    ...cells.map((cell) => ({ text: shownValue(cell), markers: [...new Set(cell.quotes.map(markerOf))] })),
  ])
  return { head: ['Document', ...columns.map(({ question }) => question)], rows: body, notes: [...notes.keys()] }
}

/** The value of a cell, or what it is without one; one that nobody read again says so. */
export function shownValue({ value, state }: AnswerCell): string {
  if (value === null) return state
  return state === 'quoted' ? `${value} (quoted, not read again)` : value
}

/** "Report 2024 (report.pdf), p. 12: “…”". */
export function noteOf(quote: Pick<ClaimQuote, 'title' | 'source' | 'page' | 'section' | 'text'>): string {
  const { title, source, page, section, text } = quote
  const file = isWebAddress(source) ? source : basename(source)
  const name = title === null || title === file ? file : `${title} (${file})`
  const place = section === null ? pageName(page) : `${pageName(page)}, ${section}`
  return `${name}, ${place}: “${text.replace(/\s+/g, ' ').trim()}”`
}

/** The cells that have a value, as claims: the value, and what it rests on. */
export function claimsOfTable({ columns, rows }: Table): readonly ProvenClaim[] {
  return rows.flatMap(({ documentId, cells }) =>
    cells.flatMap(({ value, state, quotes }, index) => {
      if (value === null || (state !== 'verified' && state !== 'quoted')) return []
      return { id: `${documentId}.${columns[index]?.id}`, text: value, state, quotes, formulas: [] }
    }),
  )
}

/** A form in words: "one of low | high". */
export function formInWords(form: ColumnForm): string {
  return typeof form === 'string' ? form : `one of ${form.join(' | ')}`
}

/** What a column asks for: its question, and the form of its cells. */
export function headOf({ question, form }: Table['columns'][number]): string {
  return form === 'text' ? question : `${question} (${formInWords(form)})`
}

/** What a comment on a cell says: its state and its quotes, with their pages. */
export function commentOf(cell: AnswerCell): string {
  return [cell.state, ...(cell.reason ? [cell.reason] : []), ...cell.quotes.map(noteOf)].join('\n')
}
