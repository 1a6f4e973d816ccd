import { columnsOf, type Interval, overlapped } from '../../tables/intervals.ts'
import { middleOf } from './printed-cells.ts'

/** A line of names above columns. */
export interface NameLine {
  readonly y: number
  readonly size: number
  readonly names: readonly Interval[]
}

/** Columns from `first` to before `end`. */
export interface Reach {
  readonly first: number
  readonly end: number
}

/**
 * Which columns each name of some lines above them stands for, by line. Names one below the other have one place, and the
 * places stand for the columns in their order, each for one that is near: a name may begin where its column does, whose
 * figures end elsewhere. A name between the places of names below it, or in the middle of them, is meant for several.
 */
export function placeNames(lines: readonly NameLine[], columns: readonly Interval[]): readonly (readonly Reach[])[] {
  const places = placesOf(lines, columns)
  const columnAt = nearestInOrder(places, columns)
  const placeOf = columns.map((column, at) => {
    const own = places.filter((_, place) => columnAt[place] === at)
    return own.length > 0 ? own.reduce(hullOf) : column
  })
  return lines.map((line, at) => {
    const reaches = line.names.map((name): Reach => {
      const { first, end } = coveredBy(name, places)
      return { first: columnAt[first] ?? 0, end: (columnAt[end - 1] ?? 0) + 1 }
    })
    const wide: Wide = { line, reaches, below: lines[at + 1], columns, places: placeOf }
    const found = reaches.map((_, name) => widened(wide, name))
    return areSet(found, wide) ? found : (sharedOut(wide) ?? found)
  })
}

function hullOf(one: Interval, other: Interval): Interval {
  return { from: Math.min(one.from, other.from), to: Math.max(one.to, other.to) }
}

/** Where names stand; if one line has a name for each column of values, those between them have none of their own. */
function placesOf(lines: readonly NameLine[], columns: readonly Interval[]): readonly Interval[] {
  const rows = lines.map(({ names }) => names)
  const behind = columns[0]?.to ?? 0
  const fullest = rows
    .map((names) => names.filter((name) => middleOf(name) > behind))
    .reduce<readonly Interval[]>(longer, [])
  if (fullest.length < columns.length - 1) return columnsOf(rows)
  const [first, last] = [fullest[0]?.to ?? 0, fullest.at(-1)?.from ?? 0]
  const isBetween = (name: Interval) => {
    const { first: at, end } = overlapped(fullest, name)
    return at === end && name.from > first && name.to < last
  }
  return columnsOf(rows.map((names) => names.filter((name) => !isBetween(name))))
}

function longer<T>(one: readonly T[], other: readonly T[]): readonly T[] {
  return other.length > one.length ? other : one
}

/** The share of a place that a name covers if it stands there too. */
const covering = 0.2

/** The places that a name covers, or between which it stands. */
function coveredBy(name: Interval, places: readonly Interval[]): Reach {
  const { first, end } = overlapped(places, name)
  if (first === end) return { first: Math.max(0, first - 1), end: Math.min(places.length, first + 1) }
  const shared = ({ from, to }: Interval) => Math.min(to, name.to) - Math.max(from, name.from)
  const covered = places
    .slice(first, end)
    .flatMap((place, at) => (shared(place) >= covering * (place.to - place.from) ? [first + at] : []))
  const [one, last] = [covered[0], covered.at(-1)]
  return one === undefined || last === undefined ? { first, end } : { first: one, end: last + 1 }
}

/** What it costs, in points, that two places stand for one column. */
const sharing = 72

/** For each place the column it stands for, in their order, each another unless that is far, by the least distance. */
function nearestInOrder(places: readonly Interval[], columns: readonly Interval[]): readonly number[] {
  const distancesOf = (place: Interval) => columns.map((column, at) => distance(place, column, at === 0))
  const [first, ...others] = places
  let costs = first ? distancesOf(first) : [0]
  const steps = others.map((place) => {
    const before = columnsBefore(costs)
    costs = distancesOf(place).map((own, at) => own + (before[at]?.cost ?? 0))
    return before
  })
  const last = costs.indexOf(Math.min(...costs))
  const backwards = [last]
  for (const step of steps.toReversed()) backwards.push(step[backwards.at(-1) ?? 0]?.column ?? 0)
  return backwards.toReversed()
}

/** For each column that of the place before, one further left or the same, and what all places up to that one cost. */
function columnsBefore(costs: readonly number[]): readonly { readonly cost: number; readonly column: number }[] {
  let best = { cost: Number.POSITIVE_INFINITY, column: 0 }
  return costs.map((cost, column) => {
    const found = cost + sharing < best.cost ? { cost: cost + sharing, column } : best
    if (cost < best.cost) best = { cost, column }
    return found
  })
}

/**
 * The gap between two: figures end where their column does, so left of them is more of it, and names of rows begin there.
 * Where a name is over several, their middles tell.
 */
function distance(name: Interval, column: Interval, namesRows: boolean): number {
  const gap = Math.max(0, (column.from - name.to) / 2, (name.from - column.to) * (namesRows ? 2 : 1))
  return gap + Math.abs(middleOf(name) - middleOf(column)) / 20
}

/** A line, the columns under its names, and where those stand and are named. */
interface Wide {
  readonly line: NameLine
  readonly reaches: readonly Reach[]
  readonly below: NameLine | undefined
  readonly columns: readonly Interval[]
  readonly places: readonly Interval[]
}

/** In ems, between lines of one name. */
const pitch = 1.3
/** In points, between edges that are drawn at one place. */
const aligned = 1.5

/** Whether a name is one of its own, which goes on in no name of the next line. */
function isApart(name: Interval, { line, below }: Wide): boolean {
  if (!below) return false
  const isStacked = below.names.some((other) => other.from < name.to && other.to > name.from)
  return !isStacked || line.y - below.y > pitch * line.size
}

/** Whether each name stands in the middle of several columns. */
function areSet(found: readonly Reach[], { line, places }: Wide): boolean {
  return line.names.every((name, at) => {
    const { first, end } = found[at] ?? { first: 0, end: 1 }
    return first === 0 || (end - first > 1 && isInMiddle(name, places[first], places[end - 1], line))
  })
}

/** Names above all columns of values, each above as many, unless one stands right above a column. */
function sharedOut(wide: Wide): readonly Reach[] | null {
  const { line, reaches, columns, below } = wide
  const above = line.names.filter((_, at) => (reaches[at]?.end ?? 0) > 1)
  const share = (columns.length - 1) / above.length
  if (!Number.isInteger(share) || share < 2) return null
  const isOverGroup = (name: Interval, at: number) => {
    const [first, end] = [1 + at * share, 1 + (at + 1) * share]
    const [before, last] = [columns[first - 1], columns[end - 1]]
    const isWithin = before && last && middleOf(name) > before.to && middleOf(name) < last.to
    const own = [...columns.slice(first, end), ...(below?.names ?? [])]
    const second = columns[first + 1]?.from ?? 0
    return isWithin && isApart(name, wide) && !own.some((column) => isRightAbove(name, column, column.from < second))
  }
  if (!above.every(isOverGroup)) return null
  return line.names.map((name, at) => {
    const group = above.indexOf(name)
    return group < 0
      ? (reaches[at] ?? { first: 0, end: 1 })
      : { first: 1 + group * share, end: 1 + (group + 1) * share }
  })
}

/** A name that begins where the first of its columns does may be meant for all of them. */
function isRightAbove(name: Interval, column: Interval, isFirst: boolean): boolean {
  return (
    Math.abs(column.to - name.to) <= aligned ||
    Math.abs(middleOf(column) - middleOf(name)) <= aligned ||
    (Math.abs(column.from - name.from) <= aligned && (!isFirst || name.to <= column.to + aligned))
  )
}

/** A name of its own is meant too for the columns beside it that have none in its line, if it is set as theirs. */
function widened(wide: Wide, at: number): Reach {
  const { line, reaches, columns } = wide
  const [name, reach = { first: 0, end: 1 }] = [line.names[at], reaches[at]]
  if (!name || reach.first === 0 || !isApart(name, wide)) return reach
  const free = { first: reaches[at - 1]?.end ?? 1, end: reaches[at + 1]?.first ?? columns.length }
  const wider = widerThan(reach, free).find(
    ({ first, end }) =>
      isCentred(name, { first, end }, wide) ||
      (first === reach.first && end === free.end && beginsAt(name, first, wide)),
  )
  return wider ?? reach
}

/** What holds some columns and more of those that are free, from the widest on. */
function widerThan(reach: Reach, free: Reach): readonly Reach[] {
  const found: Reach[] = []
  for (let end = free.end; end >= reach.end; end -= 1) {
    for (let first = free.first; first <= reach.first; first += 1) found.push({ first, end })
  }
  return found.filter(({ first, end }) => first < reach.first || end > reach.end)
}

/** Whether a name begins where a column does, left of its figures. */
function beginsAt(name: Interval, column: number, { columns, places }: Wide): boolean {
  const before = Math.max(columns[column - 1]?.to ?? 0, places[column - 1]?.to ?? 0)
  return name.from > before && name.from <= (places[column]?.from ?? 0)
}

function isCentred(name: Interval, { first, end }: Reach, { line, columns, places }: Wide): boolean {
  return [columns, places].some((all) => isInMiddle(name, all[first], all[end - 1], line))
}

function isInMiddle(
  name: Interval,
  left: Interval | undefined,
  right: Interval | undefined,
  { size }: NameLine,
): boolean {
  return left !== undefined && right !== undefined && Math.abs(middleOf(name) - (left.from + right.to) / 2) <= size / 2
}
