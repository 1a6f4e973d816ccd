import type { Block } from '../port/document.ts'
import { tableNamedIn } from '../table-name.ts'

/** Lines between two parts of a table, as "Current liabilities:", and above it, as "(in millions)". */
const mostLines = 4
const longestLine = 100

/**
 * Joins what a reader took apart: the parts of one table, between which lines without figures stand, and the short lines
 * right above it, which say what it is, in which unit, and name its columns.
 */
export function* wholeTables(blocks: readonly Block[], textOf: (page: number) => string): Generator<Block> {
  let waiting: readonly Block[] = []
  for (const block of blocks) {
    const [table, ...between] = waiting
    const follows = table !== undefined && block.page === table.page
    if (follows && table.kind === 'table') {
      if (block.kind === 'table' && isLoose(textOf(block.page).slice(table.end, block.start))) {
        waiting = [{ ...table, end: block.end }]
        continue
      }
      if (
        block.kind === 'text' &&
        between.length < mostLines &&
        isLoose(textOf(block.page).slice(table.end, block.end))
      ) {
        waiting = [...waiting, block]
        continue
      }
    }
    if (block.kind === 'table') {
      const above = waiting.at(-1)
      const start = above ? labelStart(above, block, textOf(block.page)) : block.start
      yield* waiting.slice(0, -1)
      if (above && start > above.start) yield { ...above, end: Math.min(above.end, start) }
      waiting = [{ ...block, start }]
    } else {
      yield* waiting
      waiting = [block]
    }
  }
  yield* waiting
}

/** True for a few short lines that are neither sentences nor the caption of another table. */
function isLoose(text: string): boolean {
  const lines = linesOf(text)
  return lines.length <= mostLines && lines.every(isLabel) && tableNamedIn(text) === null
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

function isLabel(line: string): boolean {
  return line.trim().length <= longestLine && !/[.!?;]$/u.test(line.trim())
}

/** Where the labels of a table begin, at the end of the text above it. */
function labelStart(above: Block, table: Block, text: string): number {
  if (above.kind !== 'text' || above.page !== table.page || text.slice(above.end, table.start).trim() !== '') {
    return table.start
  }
  const lines = text.slice(above.start, above.end).trimEnd().split('\n')
  const labels = lines.length - 1 - lines.findLastIndex((line) => !isLabel(line))
  const taken = Math.min(labels, mostLines)
  return taken === 0
    ? table.start
    : above.start + lines.slice(0, -taken).reduce((sum, line) => sum + line.length + 1, 0)
}
