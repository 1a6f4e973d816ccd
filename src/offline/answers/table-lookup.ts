import type { EvidencePassage } from '../../events/index.ts'
import type { Candidate, ExtractiveParts, Row } from '../parts/parts.ts'
import type { AnswerStrategy } from '../parts/strategy.ts'
import { bold, isShare, tableNumber } from './phrase-row.ts'
import { writeClaim } from './write.ts'

/** A row whose values all have the name of their column, or that has just one value. */
type TableRow = Candidate & { readonly row: Row }

/**
 * Answers from a table where the question names one row and one column, or asks which row has most or least of one
 * column. Null where more than one cell fits, so that no value is ever paired with a wrong name.
 */
export const answerFromTable: AnswerStrategy = async ({ question, evidence }, parts, ranked) => {
  const rows = ranked.filter(isCertain)
  // "The maximum speed of the R-12": of a row that the question names, "maximum" is part of the column's name.
  const isNamed = rows.some(({ row }) => namesRow(row, parts.readQuestion(question).stems, parts))
  const extreme = isNamed ? null : extremeRow(question, rows, parts)
  const text = extreme ?? namedCell(question, rows, evidence, parts)
  return text === null ? null : { text, basis: 'cell', remarks: [] }
}

function isCertain(candidate: Candidate): candidate is TableRow {
  const { row } = candidate
  return (
    row !== null && row.label !== '' && (row.values.length === 1 || row.values.every(({ column }) => column !== null))
  )
}

/** Whether the question says the whole label, or a name that it begins with: "R-12" of "R-12, 12 x 5 ml". */
function namesRow({ name, label }: Row, asked: readonly string[], { contentStems }: ExtractiveParts): boolean {
  const areAsked = (words: readonly string[]) => words.length > 0 && words.every((word) => asked.includes(word))
  return areAsked(contentStems(label)) || (/\p{L}/u.test(name) && areAsked(contentStems(name)))
}

/** The words that name a column: without its unit, and an abbreviation such as "Max." as the question spells it out. */
function wordsOfColumn(
  column: string | null,
  asked: readonly string[],
  { contentStems }: ExtractiveParts,
): readonly string[] {
  const withoutUnit = (column ?? '').replace(/\([^()]*\)/g, ' ')
  const short = new Set(
    Array.from(withoutUnit.matchAll(/(?<!\p{L})(\p{L}{2,})\./gu), ([, word]) => word?.toLowerCase() ?? ''),
  )
  const name = contentStems(withoutUnit).length > 0 ? withoutUnit : (column ?? '')
  return contentStems(name).map((word) =>
    short.has(word) ? (asked.find((each) => each.startsWith(word)) ?? word) : word,
  )
}

/** The share of the question's words other than row and column that the table and its surroundings must hold. */
const LEAST_SETTING = 0.5

function namedCell(
  question: string,
  rows: readonly TableRow[],
  evidence: readonly EvidencePassage[],
  parts: ExtractiveParts,
): string | null {
  const { readQuestion, contentStems } = parts
  const { kind, stems } = readQuestion(question)
  const asked = [...new Set(stems)]
  const areAsked = (words: readonly string[]) => words.length > 0 && words.every((word) => asked.includes(word))
  const cells = rows.flatMap((candidate) => {
    const { row } = candidate
    const label = contentStems(row.label)
    const named = row.values.filter(({ column, value }) => {
      const words = wordsOfColumn(column, asked, parts)
      const isNamed = areAsked(words) && words.some((word) => !label.includes(word))
      return kind === 'share' ? isShare(column, value) : isNamed
    })
    const [cell] = named
    if (!cell || named.length > 1 || !namesRow(row, asked, parts)) return []
    const passage = evidence.find(({ id }) => id === candidate.id)
    const around = contentStems(
      `${row.table.caption} ${row.table.headerText} ${passage?.title ?? ''} ${passage?.section ?? ''}`,
    )
    const column = wordsOfColumn(cell.column, asked, parts)
    const rest = asked.filter((word) => !label.includes(word) && !column.includes(word))
    const held = rest.filter((word) => around.includes(word)).length
    return held >= LEAST_SETTING * rest.length ? [{ candidate, cell, fits: asked.length - rest.length + held }] : []
  })
  const [best, other] = cells.sort((a, b) => b.fits - a.fits)
  if (!best || (other && other.fits === best.fits)) return null
  return writeCell(best.candidate, best.cell)
}

const ASKED_FOR = /\b(?:which|what)\s+(\p{L}+)/iu
const EXTREME =
  /\b(?:(most|highest|largest|biggest|greatest|maximum|longest)|(least|lowest|smallest|fewest|minimum|shortest))\b/i
/** Rows that sum up the others. */
const SUMMARY = /\b(?:total|sum|all|overall|average|mean|median)\b/i

function extremeRow(question: string, rows: readonly TableRow[], parts: ExtractiveParts): string | null {
  const [asked = '', noun] = ASKED_FOR.exec(question) ?? []
  const [, most, least] = EXTREME.exec(question.slice(question.indexOf(asked) + asked.length)) ?? []
  // "What is the highest speed?" names no kind of row.
  if (!noun || parts.contentStems(noun).length === 0 || (!most && !least)) return null
  for (const id of new Set(rows.map((each) => each.id))) {
    const own = rows.filter((each) => each.id === id && !SUMMARY.test(each.row.label))
    const measured = measuredIn(own, noun, question, parts)
    if (measured.length < 2 || measured.length < own.length) continue
    const [first, second] = measured.sort((a, b) => (most ? b.value - a.value : a.value - b.value))
    if (!first || !second || first.value === second.value) continue
    const next = {
      text: `Next comes ${second.candidate.row.label}: ${second.cell.value}.`,
      quotes: [second.candidate.text],
    }
    return `${writeCell(first.candidate, first.cell)} ${writeClaim(next, id)}`
  }
  return null
}

interface Measured {
  readonly candidate: TableRow
  readonly cell: Row['values'][number]
  readonly value: number
}

/** The value of each row in the one column that the question asks about; empty if it is not certain which that is. */
function measuredIn(
  rows: readonly TableRow[],
  noun: string,
  question: string,
  { readQuestion, contentStems, numbers }: ExtractiveParts,
): Measured[] {
  const [first] = rows
  if (!first) return []
  const { table, values } = first.row
  if (!contentStems(noun).every((word) => contentStems(`${table.caption} ${table.headerText}`).includes(word)))
    return []
  const asked = new Set(readQuestion(question).stems)
  const named = (text: string) => new Set(contentStems(text).filter((word) => asked.has(word))).size
  const rated = values
    .map(({ column }, i) => ({ i, named: named(values.length === 1 ? table.headerText : (column ?? '')) }))
    .sort((a, b) => b.named - a.named)
  const [column, rival] = rated
  if (!column || column.named === 0 || rival?.named === column.named) return []
  const measured = rows.flatMap((candidate) => {
    const cell = candidate.row.values[column.i]
    const found = cell && candidate.row.values.length === values.length ? numbers(cell.value) : []
    return cell && found[0] !== undefined ? [{ candidate, cell, value: found[0] }] : []
  })
  return new Set(measured.map(({ cell }) => unitOf(cell.value))).size === 1 ? measured : []
}

/** What is left of a value without its figures: rows in other units cannot be compared. */
function unitOf(value: string): string {
  return value.replace(/[\d.,\s±()–-]|[kKMB](?!\p{L})/gu, '')
}

function writeCell({ id, text, row }: TableRow, { column, value }: Row['values'][number]): string {
  const name = tableNumber(row.table.caption)
  const said = `${name ? `${name} — ` : ''}${row.label}: ${column ? `${column} ` : ''}${bold(value)}.`
  return writeClaim({ text: said, quotes: [text, row.table.headerText] }, id)
}
