import { columnsOf, type Interval, overlapped } from './intervals.ts'

/** A cell as a reader holds it. */
export interface GridCell {
  readonly text: string
  /** Whether the file says that it names a row or a column. */
  readonly isHeader: boolean
  /** How many columns and rows it spans; none of one that another covers. */
  readonly columns: number
  readonly rows: number
}

/** A table as a reader holds it: for each row its cells in order; cells that reach down from above are left out. */
export type Cells = readonly (readonly GridCell[])[]

/** A cell in the column where it begins, of those columns that hold anything. */
export interface PlacedText {
  readonly text: string
  readonly column: number
  readonly columns: number
  /** Whether it stands beside several rows. */
  readonly isGroup: boolean
}

export interface PlacedRow {
  /** Whether the file says that it names columns. */
  readonly isHeader: boolean
  readonly cells: readonly PlacedText[]
}

interface Placed extends Interval {
  readonly cell: GridCell
  readonly text: string
}

const longestRepeated = 200

export function plainCell(text: string): GridCell {
  return { text, isHeader: false, columns: 1, rows: 1 }
}

/**
 * The rows of a table with each cell below the name of its column: a header over several columns stands above each of
 * them, a label next to several rows in each of these. Columns that only space the page are left out. Rows that hold
 * nothing have no cells.
 */
export function placeCells(rows: Cells): readonly PlacedRow[] {
  const placed = place(withoutExtraSigns(rows)).map(joinSigns)
  const columns = columnsOf(placed)
  return placed.map((row, at) => ({
    isHeader: (rows[at] ?? []).some(isNamed) && (rows[at] ?? []).every((cell) => cell.isHeader || cell.text === ''),
    cells: rowCells(row, columns),
  }))
}

function isNamed({ isHeader, text }: GridCell): boolean {
  return isHeader && text !== ''
}

const openSign = /^[$€£(]+$/u
const closeSign = /^[)%]+$/u

/** Where cells of signs make a row longer than the others, no column is theirs. */
function withoutExtraSigns(rows: Cells): Cells {
  const isSign = ({ text }: GridCell): boolean => openSign.test(text) || closeSign.test(text)
  const widthOf = (row: readonly GridCell[]) => row.reduce((sum, { columns }) => sum + columns, 0)
  const width = rows.reduce((most, row) => (row.some(isSign) ? most : Math.max(most, widthOf(row))), 0)
  return rows.map((row) => (widthOf(row) > width && width > 0 && row.some(isSign) ? joinCells(row) : row))
}

function joinCells(row: readonly GridCell[]): readonly GridCell[] {
  const joined: GridCell[] = []
  let sign = ''
  for (const cell of row) {
    const last = joined.at(-1)
    if (openSign.test(cell.text)) sign += cell.text
    else if (last && closes(cell.text, last.text)) joined[joined.length - 1] = { ...last, text: last.text + cell.text }
    else {
      joined.push({ ...cell, text: sign + cell.text })
      sign = ''
    }
  }
  return joined
}

function place(rows: Cells): Placed[][] {
  let reaching: { readonly placed: Placed; readonly rows: number }[] = []
  return rows.map((cells) => {
    const isHeaderRow = cells.every((cell) => cell.isHeader || cell.text === '')
    const above = new Map(reaching.map(({ placed }) => [placed.from, placed]))
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
      if (cell.columns === 0) continue
      passReaching()
      const placed = { cell, from: column, to: column + cell.columns, text: cell.text }
      begun.push(placed)
      row.push(placed)
      column += cell.columns
    }
    passReaching()
    reaching = [
      ...reaching.map(({ placed, rows: left }) => ({ placed, rows: left - 1 })),
      ...begun.map((placed) => ({ placed, rows: placed.cell.rows - 1 })),
    ].filter(({ rows: left }) => left > 0)
    return row
  })
}

// Filings set currency signs and closing brackets in cells of their own.
function joinSigns(row: readonly Placed[]): Placed[] {
  const joined: Placed[] = []
  let sign: Placed | undefined
  for (const placed of row.filter(({ text }) => text !== '')) {
    const last = sign ? undefined : joined.at(-1)
    if (openSign.test(placed.text)) sign = behind(sign, placed)
    else if (last && closes(placed.text, last.text)) joined[joined.length - 1] = behind(last, placed)
    else {
      joined.push(behind(sign, placed))
      sign = undefined
    }
  }
  return joined
}

function behind(sign: Placed | undefined, placed: Placed): Placed {
  return sign ? { ...placed, from: sign.from, text: sign.text + placed.text } : placed
}

function closes(text: string, before: string): boolean {
  return closeSign.test(text) && /\d/.test(before)
}

function rowCells(row: readonly Placed[], columns: readonly Interval[]): readonly PlacedText[] {
  const cells = new Map<number, PlacedText>()
  for (const placed of row) {
    const { first, end } = overlapped(columns, placed)
    // A header is repeated above each of its columns, as long as something else stands beside it.
    const isRepeated = placed.cell.isHeader && row.length > 1
    const last = isRepeated ? end : first + 1
    for (let column = first; column < last; column += 1) {
      const text = joinTexts(cells.get(column)?.text, column === first ? placed.text : repeated(placed.text))
      cells.set(column, { text, column, columns: isRepeated ? 1 : end - first, isGroup: placed.cell.rows > 1 })
    }
  }
  return [...cells.values()].sort((one, other) => one.column - other.column)
}

function repeated(text: string): string {
  return text.slice(0, longestRepeated)
}

function joinTexts(before: string | undefined, text: string): string {
  return before ? `${before} ${text}` : text
}

const mostSpanned = 100

/** How far a `colspan` or `rowspan` reaches: what is no number counts as 1. */
function spanOf(stated: string | undefined): number {
  const span = /^\s*\d{1,5}\s*$/.test(stated ?? '') ? Number(stated) : 1
  return Math.min(Math.max(span, 1), mostSpanned)
}

/** A cell covers at most so many places: each is looked at again for every row. */
const mostCovered = 1000

/** How many columns and rows a cell spans, by what its markup states. */
export function spansOf(columns: string | undefined, rows: string | undefined): Pick<GridCell, 'columns' | 'rows'> {
  const across = spanOf(columns)
  return { columns: across, rows: Math.min(spanOf(rows), Math.ceil(mostCovered / across)) }
}
