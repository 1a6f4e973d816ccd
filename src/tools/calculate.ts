import { z } from 'zod'
import { InvalidToolInput } from '../errors.ts'
import type { Observation } from '../events/index.ts'
import { evaluate } from '../library/arithmetic/evaluate.ts'
import { parseExpression } from '../library/arithmetic/expression.ts'
import { type Figure, figuresIn } from '../library/arithmetic/figure.ts'
import { tenTo, times } from '../library/arithmetic/fraction.ts'
import { decimalMarkOf } from '../library/arithmetic/numeral.ts'
import { sum } from '../library/arithmetic/operations.ts'
import { type Computed, isProblem, negative, type Quantity, shownValue } from '../library/arithmetic/quantity.ts'
import { cellsOf, headerOf, isRow } from '../library/language/table.ts'
import { chosenDocuments } from './pdf-retrieval.ts'
import { defineTool, type Tool } from './tool.ts'

export interface CalculateOptions {
  /** A passage of the library; null if there is no such passage. */
  readonly passageOf: (passageId: string) => Promise<Pick<Observation, 'documentId' | 'text'> | null>
}

const input = z.object({
  expression: z
    .string()
    .nullish()
    .describe(
      'With + - * / ^ ( ) and figures as the passages write them: "(1,875 + 689) / 3,720", "5 % * 1.2 million".',
    ),
  passage: z.string().nullish().describe('Id of a passage with a table.'),
  column: z.string().nullish().describe('The heading of a column, or its number, counted from 1.'),
})

/** The tool that computes a formula, or the sum of a column of a table, exactly. */
export function calculate({ passageOf }: CalculateOptions): Tool {
  return defineTool({
    name: 'calculate',
    description:
      'Computes a formula exactly, or with `passage` and `column` the sum of a column of a table. For each sum, difference, ' +
      'ratio, share or growth that the question needs and no passage states.',
    input,
    run: async ({ expression, passage, column }, { documents }) => {
      if (expression) return computed(expression)
      if (!passage || !column) {
        throw new InvalidToolInput('calculate: give an expression, or the id of a passage and a column of its table.')
      }
      const found = await passageOf(passage)
      if (found === null) {
        throw new InvalidToolInput(`calculate: there is no passage ${passage}; earlier results name the ids.`)
      }
      chosenDocuments([found.documentId], documents, 'calculate')
      return sumOfColumn(found.text, column)
    },
  })
}

function computed(text: string): string {
  const mark = decimalMarkOf(text) ?? '.'
  const expression = parseExpression(text, mark)
  if (expression === null) {
    throw new InvalidToolInput(
      `calculate: “${text}” cannot be read as a formula of figures, + - * / ^ and parentheses.`,
    )
  }
  return withValue(text, evaluate(expression, asWritten))
}

function withValue(text: string, result: Computed): string {
  if (isProblem(result)) throw new InvalidToolInput(`calculate: “${text}” has no value: ${result.problem}.`)
  return `${text} = ${shownValue(result)}`
}

/** A figure stands for itself, in the scale and unit that are written with it. */
function asWritten({ value, scale, unit }: Figure): Quantity {
  const power = scale ?? (unit === 'percent' || unit === 'point' ? -2 : 0)
  return { value: times(value, tenTo(power)), scale: power, isSpelled: scale !== null, unit }
}

/** "Total", "Sum of …": the column's own sum, which is not added. */
const TOTAL = /^(?:(?:sub)?total|sum|summe|gesamt|insgesamt|somme|suma)/iu

/** Adds up the figures of a column. */
function sumOfColumn(text: string, column: string): string {
  const lines = text.split('\n')
  const { rows, body } = headerOf(lines)
  const headings = headingsOf(rows)
  const index = headings.findIndex((heading) => heading.toLowerCase().includes(column.trim().toLowerCase()))
  const at = index >= 0 ? index : Number(column) - 1
  const mark = decimalMarkOf(text) ?? '.'
  const figures = lines
    .slice(Math.max(0, body))
    .filter(isRow)
    .map(cellsOf)
    .filter(([name = '']) => !TOTAL.test(name))
    .flatMap((cells) => figuresIn(cells[at] ?? '', mark).slice(0, 1))
  const [first, ...others] = figures.map(signed)
  if (first) {
    const written = figures.map((figure) => (figure.isNegative ? `(-${figure.written})` : figure.written))
    const add = (total: Computed, each: Quantity) => (isProblem(total) ? total : sum(total, each))
    return withValue(written.join(' + '), others.reduce(add, first))
  }
  const known =
    headings.length > 0 ? `the columns are: ${headings.join(' | ')}` : 'the passage has no table with headings'
  throw new InvalidToolInput(`calculate: there is no column “${column}” of figures; ${known}.`)
}

function headingsOf(rows: readonly string[]): readonly string[] {
  const names = rows.map(cellsOf)
  const width = Math.max(0, ...names.map((cells) => cells.length))
  return Array.from({ length: width }, (_, at) =>
    names
      .map((cells) => cells[at] ?? '')
      .join(' ')
      .trim(),
  )
}

function signed(figure: Figure): Quantity {
  const quantity = asWritten(figure)
  return figure.isNegative ? negative(quantity) : quantity
}
