import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Loaded, PageOfDocument } from '../api/requests.ts'
import { isIn, type Mark, type Stretch } from './marks.ts'

export interface PageProps {
  readonly documentId: string
  readonly page: number
  readonly marks: readonly Mark[]
}

interface PageTextProps extends Pick<PageProps, 'marks'> {
  readonly read: Loaded<PageOfDocument>
  readonly quote: Stretch | null
}

/** The stored text of a page, what its quotes were compared with, and its tables as tables. */
export function PageText({ read: { value: found, error }, marks, quote }: PageTextProps) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => frame.current?.querySelector('mark:not(.other)')?.scrollIntoView(atCentre), [found, quote?.start])
  if (error) return <p class="problem">{error}</p>
  if (!found) return <p class="waiting">Opening the page …</p>
  const { text, tables } = found
  const marked = { text, marks }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll what has the focus
    <div class="page-text" tabIndex={0} ref={frame}>
      {wholeTables(tables).map((parts, index, all) => {
        const before = behind(text, all[index - 1]?.at(-1)?.end)
        const [first] = parts
        return (
          <>
            {markedText(marked, { start: before, end: first?.start ?? before })}
            <PrintedTable parts={parts} marked={marked} />
          </>
        )
      })}
      {markedText(marked, { start: behind(text, tables.at(-1)?.end), end: text.length })}
    </div>
  )
}

/** Where the text behind a table begins: the table has a margin in place of empty lines. */
function behind(text: string, table = 0): number {
  let at = table
  while (table > 0 && text[at] === '\n') at += 1
  return at
}

const atCentre = { block: 'center', inline: 'nearest' } as const

/** The parts of each table together. */
function wholeTables(tables: PageOfDocument['tables']): readonly PageOfDocument['tables'][] {
  const starts = new Set(tables.map(({ whole }) => whole.start))
  return [...starts].map((start) => tables.filter(({ whole }) => whole.start === start))
}

interface MarkedPage {
  readonly text: string
  readonly marks: readonly Mark[]
}

/** A stretch of a page, with what is marked of it. */
function markedText({ text, marks }: MarkedPage, { start, end }: Stretch): readonly ComponentChildren[] {
  const pieces: ComponentChildren[] = []
  let from = start
  for (const mark of marks.filter((each) => isIn(each, { start, end }))) {
    const begin = Math.max(mark.start, start)
    pieces.push(text.slice(from, begin))
    from = Math.min(mark.end, end)
    pieces.push(<mark class={mark.isAsked ? undefined : 'other'}>{text.slice(begin, from)}</mark>)
  }
  return [...pieces, text.slice(from, end)]
}

type Part = PageOfDocument['tables'][number]
type Row = Part['rows'][number]

interface PrintedTableProps {
  /** Of one table, in their order. */
  readonly parts: readonly Part[]
  readonly marked: MarkedPage
}

/** A table of a page, with the quoted cells marked; what stands above its rows and names no column, above it. */
function PrintedTable({ parts, marked }: PrintedTableProps) {
  const [first] = parts
  if (!first) return null
  const { columns } = first
  const rows = headerRows(columns)
  const lines = linesAbove(first, marked.text)
  const header = lines.filter((line) => rows.length > 0 && marked.text.slice(line.start, line.end).includes('| '))
  const quoted = marked.marks.find((mark) => header.some((line) => isIn(mark, line)))
  return (
    <>
      {lines
        .filter((line) => !header.includes(line))
        .map((line) => (
          <>
            {markedText(marked, line)}
            {'\n'}
          </>
        ))}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll a wide table that has the focus */}
      <div class="table" tabIndex={0}>
        <table>
          {rows.length > 0 && (
            <thead>
              {rows.map((cells) => (
                <tr>
                  {cells.map(({ name, colSpan, rowSpan }) => (
                    <th scope={colSpan > 1 ? 'colgroup' : 'col'} colSpan={colSpan} rowSpan={rowSpan}>
                      {quoted && name ? <mark class={quoted.isAsked ? undefined : 'other'}>{name}</mark> : name}
                    </th>
                  ))}
                </tr>
              ))}
            </thead>
          )}
          <tbody>{parts.flatMap((part) => part.rows.map((row) => <PrintedRow {...{ row, columns, marked }} />))}</tbody>
        </table>
      </div>
    </>
  )
}

/** The lines of the page before the first row: the caption, and the rows of the header. */
function linesAbove({ start, end, rows }: Part, text: string): readonly Stretch[] {
  let at = start
  const lines = text.slice(start, rows[0]?.start ?? end).trimEnd()
  return lines.split('\n').flatMap((line) => {
    at += line.length + 1
    return line === '' ? [] : [{ start: at - line.length - 1, end: at - 1 }]
  })
}

interface HeaderCell {
  readonly name: string
  readonly colSpan: number
  readonly rowSpan: number
}

/** The names of the columns as rows: a name over several columns once, and one without others below it down to the last row. */
function headerRows(columns: Part['columns']): readonly (readonly HeaderCell[])[] {
  const depth = Math.max(0, ...columns.map(({ path }) => path.length))
  return Array.from({ length: depth }, (_, row) => headerRow(columns, row, depth))
}

function headerRow(columns: Part['columns'], row: number, depth: number): readonly HeaderCell[] {
  const cells: (HeaderCell & { readonly over: string })[] = []
  for (const { path } of columns.filter((each) => row === 0 || each.path.length > row)) {
    const isLast = path.length <= row + 1
    const over = isLast ? '' : JSON.stringify(path.slice(0, row + 1))
    const before = cells.at(-1)
    if (before && over !== '' && before.over === over) cells.splice(-1, 1, { ...before, colSpan: before.colSpan + 1 })
    else cells.push({ name: path[row] ?? '', colSpan: 1, rowSpan: isLast ? depth - row : 1, over })
  }
  return cells
}

interface PrintedRowProps {
  readonly row: Row
  readonly columns: Part['columns']
  readonly marked: MarkedPage
}

function PrintedRow({ row, columns, marked }: PrintedRowProps) {
  const [only, ...others] = row.cells
  // A name over the rows below it.
  if (only && others.length === 0 && only[0] === 0) {
    return (
      <tr>
        <th scope="row" colSpan={columns.length}>
          {markedText(marked, { start: only[1] ?? 0, end: only[2] ?? 0 })}
        </th>
      </tr>
    )
  }
  return (
    <tr>
      {columns.map(({ isLabel }, column) => {
        const [, start = 0, end = 0] = row.cells.find(([at]) => at === column) ?? []
        const words = markedText(marked, { start, end })
        return isLabel ? <th scope="row">{words}</th> : <td>{words}</td>
      })}
    </tr>
  )
}
