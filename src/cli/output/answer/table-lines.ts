import { columnsOf, padded, wrapped } from '../columns.ts'

export interface TableShape {
  readonly align: readonly ('left' | 'right' | 'center' | null)[]
  /** Columns of the terminal. */
  readonly width: number
  readonly bold: (text: string) => string
}

const gap = '  '
/** A column is not wrapped to less than this. */
const narrowest = 16

/**
 * A table in aligned columns. Where it is too wide its widest column is wrapped; where that is not enough, each row is a
 * block, with the name of the column before each cell.
 */
export function tableLines(names: readonly string[], rows: readonly (readonly string[])[], shape: TableShape): string {
  const widths = names.map((name, column) =>
    Math.max(...[name, ...rows.map((row) => row[column] ?? '')].map(columnsOf)),
  )
  const whole = widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1))
  const widest = widths.indexOf(Math.max(...widths))
  const left = (widths[widest] ?? 0) - Math.max(0, whole - shape.width)
  if (left < Math.min(narrowest, widths[widest] ?? 0)) return rows.map((row) => record(names, row, shape)).join('\n\n')
  const fitting = widths.with(widest, left)
  const rule = fitting.map((width) => '─'.repeat(width)).join(gap)
  const lines = (row: readonly string[]) => rowLines(row, fitting, shape)
  return [...lines(names.map(shape.bold)), rule, ...rows.flatMap(lines)].join('\n')
}

/** A row, over several lines where one of its cells is wrapped. */
function rowLines(row: readonly string[], widths: readonly number[], { align }: TableShape): readonly string[] {
  const cells = widths.map((width, column) => wrapped(row[column] ?? '', width).split('\n'))
  const height = Math.max(...cells.map(({ length }) => length))
  return Array.from({ length: height }, (_, at) => {
    const pieces = cells.map((lines, column) => padded(lines[at] ?? '', widths[column] ?? 0, align[column] ?? 'left'))
    return pieces.join(gap).trimEnd()
  })
}

function record(names: readonly string[], row: readonly string[], { width, bold }: TableShape): string {
  return row
    .flatMap((cell, column) => (cell === '' ? [] : [`${names[column] ? `${bold(names[column])}: ` : ''}${cell}`]))
    .map((line) => wrapped(line, width, '  '))
    .join('\n')
}
