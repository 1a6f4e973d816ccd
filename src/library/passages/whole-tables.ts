import { tableNamedIn } from '../language/table-name.ts'
import type { Block } from '../port/document.ts'

/** Lines between two parts of a table, as "Current liabilities:", and above it, as "(in millions)". */
const mostLines = 4
const longestLine = 100

type TextOf = (page: number) => string

/**
 * Joins what a reader took apart: the parts of one table, between which lines without figures stand, and the short lines
 * right above it, which say what it is, in which unit, and name its columns. A table with a numbered caption is whole.
 */
export function* wholeTables(blocks: readonly Block[], textOf: TextOf): Generator<Block> {
  let waiting: readonly Block[] = []
  let mayGoOn = false
  for (const block of blocks) {
    const [first, ...between] = waiting
    if (first && mayGoOn && between.length < mostLines && goesOn(first, block, textOf)) {
      waiting = block.kind === 'table' ? [{ ...first, end: block.end }] : [...waiting, block]
      continue
    }
    const labelled = block.kind === 'table' ? withLabels(waiting, block, textOf) : [...waiting, block]
    yield* labelled.slice(0, -1)
    waiting = labelled.slice(-1)
    // What is added to a table is looked at when it is added.
    mayGoOn = waiting.every((table) => table.kind === 'table' && isUnnamed(textIn(table, textOf)))
  }
  yield* waiting
}

/** The blocks before a table and the table, which takes the labels from the end of the text above it. */
function withLabels(before: readonly Block[], table: Block, textOf: TextOf): readonly Block[] {
  const above = before.at(-1)
  if (!above) return [table]
  const start = labelStart(above, table, textOf(table.page))
  if (start === table.start) return [...before, table]
  const rest = start > above.start ? [{ ...above, end: Math.min(above.end, start) }] : []
  return [...before.slice(0, -1), ...rest, { ...table, start }]
}

function textIn({ page, start, end }: Block, textOf: TextOf): string {
  return textOf(page).slice(start, end)
}

/** True if a block may belong to the unnamed table before it, which ends with its last rows. */
function goesOn(table: Block, block: Block, textOf: TextOf): boolean {
  if (block.page !== table.page) return false
  if (block.kind !== 'table' && block.kind !== 'text') return false
  const text = textOf(block.page)
  return (
    isUnnamed(text.slice(table.end, block.end)) &&
    isLoose(text.slice(table.end, block.kind === 'table' ? block.start : block.end))
  )
}

function isUnnamed(text: string): boolean {
  return tableNamedIn(text) === null
}

/** True for a few short lines, none of them a sentence. */
export function isLoose(text: string): boolean {
  const lines = linesOf(text)
  return lines.length <= mostLines && lines.every(isLabel)
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

function isLabel(line: string): boolean {
  return line.trim().length <= longestLine && !/[.!?;]$/u.test(line.trim())
}

/** Where the labels of a table begin, at the end of the text above it. */
function labelStart(above: Block, table: Block, text: string): number {
  const isRightAbove = above.page === table.page && text.slice(above.end, table.start).trim() === ''
  if (above.kind !== 'text' || !isRightAbove || !isUnnamed(text.slice(table.start, table.end))) return table.start
  const lines = text.slice(above.start, above.end).trimEnd().split('\n')
  const labels = lines.length - 1 - lines.findLastIndex((line) => !isLabel(line))
  const taken = Math.min(labels, mostLines)
  return taken === 0
    ? table.start
    : above.start + lines.slice(0, -taken).reduce((sum, line) => sum + line.length + 1, 0)
}
