import type { DocumentWriter } from '../common/document-writer.ts'

/** A cell as the markup states it. */
export interface HtmlCell {
  readonly text: string
  /** `td` or `th`. */
  readonly isHeader: boolean
  /** How many columns and rows it spans. */
  readonly columns: number
  readonly rows: number
}

/** A cell, or what one above reaches down with, in the column where it begins. */
interface Placed {
  readonly cell: HtmlCell
  readonly column: number
  readonly text: string
}

const longestRepeated = 200
const mostSpanned = 100

/** How far a `colspan` or `rowspan` reaches: what is no number counts as 1. */
function spanOf(stated: string | undefined): number {
  const span = /^\s*\d{1,5}\s*$/.test(stated ?? '') ? Number(stated) : 1
  return Math.min(Math.max(span, 1), mostSpanned)
}

/** A cell covers at most so many places: each is looked at again for every row. */
const mostCovered = 1000

/** How many columns and rows a cell spans, by what its markup states. */
export function spansOf(columns: string | undefined, rows: string | undefined): Pick<HtmlCell, 'columns' | 'rows'> {
  const across = spanOf(columns)
  return { columns: across, rows: Math.min(spanOf(rows), Math.ceil(mostCovered / across)) }
}

/** Writes a table row by row; what has one cell in each row only places its text, and is written as text. */
export function writeTable(writer: DocumentWriter, cells: readonly (readonly HtmlCell[])[]): void {
  const rows = tableRows(cells)
  if (rows.filter((row) => row.length > 1).length > 1) writer.table(rows.map((row) => row.join(' | ').trim()))
  else for (const row of rows) writer.paragraph(row.join(' ').trim())
}

/**
 * The rows of a table as cells of text, each below the name of its column: a header over several columns stands above
 * each of them, a label next to several rows in each of these. Columns that only space the page are left out, an empty
 * cell between others is an empty text. A row of one cell has one text.
 */
function tableRows(rows: readonly (readonly HtmlCell[])[]): string[][] {
  const placed = place(withoutExtraSigns(rows)).map(joinSigns)
  const columns = filledColumns(placed)
  return placed.map((row) => rowTexts(row, columns)).filter((row) => row.length > 0)
}

const openSign = /^[$€£(]+$/u
const closeSign = /^[)%]+$/u

/** Where cells of signs make a row longer than the others, no column is theirs. */
function withoutExtraSigns(rows: readonly (readonly HtmlCell[])[]): (readonly HtmlCell[])[] {
  const isSign = ({ text }: HtmlCell): boolean => openSign.test(text) || closeSign.test(text)
  const width = Math.max(0, ...rows.filter((row) => !row.some(isSign)).map((row) => row.length))
  return rows.map((row) => (row.length > width && width > 0 && row.some(isSign) ? joinCells(row) : row))
}

function joinCells(row: readonly HtmlCell[]): HtmlCell[] {
  const placed = row.map((cell, column) => ({ cell, column, text: cell.text }))
  return joinSigns(placed).map(({ cell, text }) => ({ ...cell, text }))
}

function place(rows: readonly (readonly HtmlCell[])[]): Placed[][] {
  let reaching: { readonly placed: Placed; readonly rows: number }[] = []
  return rows.map((cells) => {
    const isHeaderRow = cells.every((cell) => cell.isHeader || cell.text === '')
    const above = new Map(reaching.map(({ placed }) => [placed.column, placed]))
    const row: Placed[] = []
    let column = 0
    const passReaching = (): void => {
      for (let placed = above.get(column); placed; placed = above.get(column)) {
        // A name next to two lines of names does not belong to the second.
        const isRepeated = !isHeaderRow && placed.cell.text.length <= longestRepeated
        row.push({ ...placed, text: isRepeated ? placed.cell.text : '' })
        above.delete(column)
        column += placed.cell.columns
      }
    }
    const begun: Placed[] = []
    for (const cell of cells) {
      passReaching()
      begun.push({ cell, column, text: cell.text })
      row.push({ cell, column, text: cell.text })
      column += cell.columns
    }
    passReaching()
    reaching = [
      ...reaching.map(({ placed, rows: left }) => ({ placed, rows: left - 1 })),
      ...begun.map((each) => ({ placed: each, rows: each.cell.rows - 1 })),
    ].filter(({ rows: left }) => left > 0)
    return row
  })
}

// Filings set currency signs and closing brackets in cells of their own.
function joinSigns(row: readonly Placed[]): Placed[] {
  const joined: Placed[] = []
  let sign = ''
  for (const placed of row) {
    const last = joined.at(-1)
    if (placed.text === '') continue
    if (openSign.test(placed.text)) sign += placed.text
    else if (sign === '' && last && closeSign.test(placed.text)) {
      joined[joined.length - 1] = { ...last, text: last.text + placed.text }
    } else {
      joined.push({ ...placed, text: sign + placed.text })
      sign = ''
    }
  }
  return joined
}

/** The columns in which cells of their own stand, in order; one that only spans counts where it covers none of these. */
function filledColumns(rows: readonly (readonly Placed[])[]): ReadonlySet<number> {
  const all = rows.flat()
  const filled = new Set(all.filter(({ cell }) => cell.columns === 1).map(({ column }) => column))
  for (const placed of all) if (covered(placed, filled).length === 0) filled.add(placed.column)
  return new Set([...filled].sort((one, other) => one - other))
}

function covered({ column, cell }: Placed, columns: ReadonlySet<number>): readonly number[] {
  return Array.from({ length: cell.columns }, (_, at) => column + at).filter((each) => columns.has(each))
}

function rowTexts(row: readonly Placed[], columns: ReadonlySet<number>): string[] {
  if (row.length <= 1) return row.map(({ text }) => text)
  const texts = new Map<number, string>()
  for (const placed of row) {
    const own = covered(placed, columns)
    for (const column of placed.cell.isHeader ? own : own.slice(0, 1)) {
      texts.set(column, [texts.get(column), placed.text].filter(Boolean).join(' '))
    }
  }
  return trimmed([...columns].map((column) => texts.get(column) ?? ''))
}

/** Without the empty cells behind the last that is filled, and with one before the first at most. */
function trimmed(texts: readonly string[]): string[] {
  const first = texts.findIndex((text) => text !== '')
  const last = texts.findLastIndex((text) => text !== '')
  return texts.slice(Math.max(0, first - 1), last + 1)
}
