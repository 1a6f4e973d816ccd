/** Where something stands across a table, in columns of its markup or in points. */
export interface Interval {
  readonly from: number
  readonly to: number
}

/**
 * The columns of a table, from left to right, by where its cells stand: the rows with most cells tell them first; a cell of
 * another row that lies over one column belongs to that, over none is a column of its own, over several spans them.
 */
export function columnsOf(rows: readonly (readonly Interval[])[]): readonly Interval[] {
  const columns: Interval[] = []
  for (const { from, to } of distinctCells(rows)) {
    const { first, end } = overlapped(columns, { from, to })
    if (end - first > 1) continue
    const [before, own, after] = [columns[first - 1], columns[first], columns[end]]
    if (end === first || !own) {
      columns.splice(first, 0, { from, to })
      continue
    }
    const grown = { from: Math.min(own.from, from), to: Math.max(own.to, to) }
    columns[first] = {
      from: Math.max(grown.from, before?.to ?? grown.from),
      to: Math.min(grown.to, after?.from ?? grown.to),
    }
  }
  return columns
}

/** Each place once, those of the rows with most cells first, and among these the narrow ones. */
function distinctCells(rows: readonly (readonly Interval[])[]): readonly Interval[] {
  const cells = new Map<string, Interval & { readonly count: number }>()
  for (const row of rows) {
    for (const { from, to } of row) {
      const key = `${from} ${to}`
      if ((cells.get(key)?.count ?? 0) < row.length) cells.set(key, { from, to, count: row.length })
    }
  }
  return [...cells.values()].sort((one, other) => other.count - one.count || widthOf(one) - widthOf(other))
}

function widthOf({ from, to }: Interval): number {
  return to - from
}

/** Which of the columns, `first` to before `end`, a place lies over; none where `end` is `first`, which then follows it. */
export function overlapped(columns: readonly Interval[], { from, to }: Interval): { first: number; end: number } {
  let [low, high] = [0, columns.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((columns[middle]?.to ?? 0) <= from) low = middle + 1
    else high = middle
  }
  let end = low
  while (end < columns.length && (columns[end]?.from ?? 0) < to) end += 1
  return { first: low, end }
}
