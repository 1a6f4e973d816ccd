import { z } from 'zod'
import { UsageError } from '../../errors.ts'
import { documentName, type Library } from '../../library/index.ts'
import { checkOptions, type Shape } from '../../options.ts'
import {
  type AskOptions,
  type AttemptChoices,
  cellThreads,
  type GroupRuns,
  type ReadRun,
  type RunResult,
  runIdOf,
} from '../../runs/index.ts'
import { type AskingRequest, askingRequest, usualAtOnce } from '../asking/asking-request.ts'
import { type DocumentsAsked, documentsOf } from '../asking/documents.ts'
import { inParallel } from '../asking/in-parallel.ts'
import { type KnownRun, knownRun } from '../asking/known-runs.ts'
import { cellOf } from './cell.ts'
import { formForWriter } from './form.ts'
import { type AnswerCell, askedColumn, type QuestionColumn, type Table } from './table.ts'
import { formInWords } from './table-text.ts'

/** Which questions are asked of which documents. */
export interface TableRequest extends AskingRequest {
  /** Questions; a column may have an id of its own, and state what its cells hold: `text`, if absent. */
  readonly columns: readonly (string | (Pick<QuestionColumn, 'question'> & Partial<QuestionColumn>))[]
  readonly approve?: 'all' | 'none' | 'ask'
}

/** What a table has, before it is filled. */
export interface TablePlan extends DocumentsAsked {
  readonly columns: readonly QuestionColumn[]
  /** Cells that were answered before: their runs are read, and nothing is paid. */
  readonly known: number
  /** Cells to ask for. */
  readonly open: number
  /** Of known cells that a model has answered, in the median; null where there are none. */
  readonly perCell: { readonly modelCalls: number; readonly tokens: number; readonly costUsd: number | null } | null
}

/** A cell that has got its value, and where it stands in the table. */
export interface FilledCell {
  readonly row: number
  readonly column: number
  readonly cell: AnswerCell
  /** It was answered before. */
  readonly isKnown: boolean
}

/** A table on its way: nothing is asked until its cells, or all of it, are waited for. */
export interface TableWork {
  plan(): Promise<TablePlan>
  /** The cells in the order in which they are filled, those that are known first. Leaving the loop stops those under way. */
  cells(): AsyncIterable<FilledCell>
  result(): Promise<Table>
}

export interface TableParts extends CellAsker {
  readonly library: Pick<Library, 'add' | 'list'>
  /** The models that answer: another one is asked anew. */
  readonly modelNames: readonly string[]
  readonly group: GroupRuns
}

/** Makes it of what reads the engine's own runs. */
export type CellAskerFrom = (read: ReadRun) => CellAsker

/** How the cells of a table are asked: a server asks them as its user, within that user's limits. */
export interface CellAsker {
  /** Whose runs they are; nobody's, if absent. */
  readonly owner?: string
  readonly read: ReadRun
  /** Asks a question, or reads or resumes its run if it was asked before. */
  readonly ask: (question: string, options: AskOptions) => Promise<RunResult>
}

const request = z.strictObject({
  columns: z.array(askedColumn).min(1),
  ...askingRequest,
  // Checked with each question.
  approve: z.unknown().optional(),
} satisfies Shape<TableRequest>)

const mostColumns = 200

/** A table over the documents of an engine. Throws `UsageError`. */
export function fillTable(given: TableRequest, parts: TableParts): TableWork {
  const columns = columnsOf(given)
  const planned = once(() => plan(given, columns, parts))
  const filled: Filled = new Map()
  const cells = () => fill(given, planned, parts, filled)
  return {
    cells,
    plan: async () => (await planned()).plan,
    async result() {
      for await (const _ of cells());
      return arranged(await planned(), [...filled.values()])
    },
  }
}

/** The table of these cells; those that are not filled have what was known of them, or are open. */
function arranged(
  { plan: { columns, documents, limitedTo }, cells: planned }: Planned,
  filled: readonly FilledCell[],
): Table {
  const open: AnswerCell = {
    value: null,
    state: 'open',
    text: '',
    quotes: [],
    reason: 'It was not asked.',
    runId: null,
  }
  const cellAt = (row: number, { form }: QuestionColumn, at: number) => {
    const cell = filled.find((each) => each.row === row && each.column === at)?.cell ?? open
    const before = planned[row * columns.length + at]?.before
    return cell.state === 'open' && before ? cellOf(before, form) : cell
  }
  const rows = documents.map((document, row) => {
    const cells = columns.map((column, at) => cellAt(row, column, at))
    return { document: documentName(document), documentId: document.documentId, cells }
  })
  return { columns: [...columns], limitedTo, rows }
}

/** The columns of a request. Throws `UsageError` for a request that cannot be used. */
export function columnsOf(given: TableRequest): readonly QuestionColumn[] {
  checkOptions('The table', request, given)
  const { columns } = given
  if (columns.length > mostColumns)
    throw new UsageError(`A table has at most ${mostColumns} questions, and these are ${columns.length}.`)
  const found = columns.map((given, index) => {
    const { id = `${index + 1}`, question, form = 'text' } = typeof given === 'string' ? { question: given } : given
    return { id, question: question.trim(), form } satisfies QuestionColumn
  })
  const twice = found.find(({ id }, index) => found.findIndex((each) => each.id === id) < index)
  if (twice) throw new UsageError(`Two columns have the id "${twice.id}". Give each one of its own.`)
  return found
}

/** A cell before it is filled. */
interface PlannedCell extends KnownRun {
  readonly row: number
  readonly column: number
}

/** The cells that were filled so far, by the keys of their runs. */
type Filled = Map<string, FilledCell>

interface Planned {
  readonly plan: TablePlan
  readonly cells: readonly PlannedCell[]
}

async function plan(given: TableRequest, columns: readonly QuestionColumn[], parts: TableParts): Promise<Planned> {
  const asked = await documentsOf(given, parts.library)
  const places = asked.documents.flatMap((document, row) => columns.map((each, at) => ({ document, row, each, at })))
  const find = async ({ document, row, each, at }: (typeof places)[number]): Promise<PlannedCell> => {
    const key = [document.documentId, each.question, formInWords(each.form), ...parts.modelNames]
    return { row, column: at, ...(await knownRun(key, given.afresh === true, parts.read)) }
  }
  const cells = await Promise.all(places.map(find))
  const known = cells.flatMap((cell) => cell.known ?? [])
  return {
    plan: { columns, ...asked, known: known.length, open: cells.length - known.length, perCell: perCell(known) },
    cells,
  }
}

async function* fill(given: TableRequest, planned: () => Promise<Planned>, parts: TableParts, filled: Filled) {
  const { plan, cells } = await planned()
  const left = new AbortController()
  const signal = given.signal ? AbortSignal.any([given.signal, left.signal]) : left.signal
  const { limits, approve, atOnce = usualAtOnce } = given
  const options = { ...(limits && { limits }), ...(approve && { approve }), signal }
  const known = cells.filter((cell) => cell.known !== null)
  const open = cells.filter((cell) => cell.known === null)
  const name = plan.columns.map(({ question }) => question).join('\n')
  const size = { documents: plan.documents.length, known: plan.known, open: plan.open }
  const keys = cells.map(({ key }) => key)
  const group = parts.group(['table', parts.owner ?? '', ...keys], { kind: 'table', name, ...size })
  const ask = group.around(parts.ask)
  const work = async (each: PlannedCell) => {
    const before = filled.get(each.key)
    const cell = before && before.cell.state !== 'open' ? before : await fillCell(each, plan, options, ask)
    if (cell) filled.set(each.key, cell)
    return cell
  }
  try {
    const filling = inParallel([...known, ...open], atOnce, work)
    for await (const cell of group.during(filling, (each) => (each ? [each.cell.state] : []), signal))
      if (cell) yield cell
  } finally {
    left.abort()
  }
}

/** null if it was not begun before the table was stopped. */
async function fillCell(
  { row, column: at, key, known }: PlannedCell,
  { columns, documents }: TablePlan,
  options: AttemptChoices,
  ask: CellAsker['ask'],
): Promise<FilledCell | null> {
  const [column, document] = [columns[at], documents[row]]
  if (!column || !document || (!known && options.signal?.aborted)) return null
  const { question, form } = column
  const result =
    known ??
    (await ask(question, {
      ...options,
      threadId: `${cellThreads}${runIdOf(key)}`,
      documentIds: [document.documentId],
      idempotencyKey: key,
      form: formForWriter(form),
    }))
  return { row, column: at, cell: cellOf(result, form), isKnown: known !== null }
}

function perCell(known: readonly RunResult[]): TablePlan['perCell'] {
  const asked = known.filter(({ usage }) => usage.inputTokens > 0)
  if (asked.length === 0) return null
  const of = (amount: (result: RunResult) => number) => median(asked.map(amount))
  const isPriced = asked.every(({ usage }) => usage.costUsd !== null)
  return {
    modelCalls: of(({ usage }) => usage.modelCalls),
    tokens: of(({ usage }) => usage.inputTokens + usage.outputTokens),
    costUsd: isPriced ? of(({ usage }) => usage.costUsd ?? 0) : null,
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}
