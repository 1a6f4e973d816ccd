import type { AnswerCell, FilledCell, TablePlan as Planned, Table } from 'quaero'
import { body, send } from '../api/requests.ts'
import type { QuestionChoice } from '../api/run-events.ts'
import { useKept } from '../controls.tsx'
import { cut, eventsOf, useWork } from './use-work.ts'

/** A table as its server names it: by its questions and documents. */
interface TableRequest extends QuestionChoice {
  /** As a person writes them, one a line. */
  readonly columns: string
}

export interface TablePlan extends Omit<Planned, 'documents'> {
  readonly documents: readonly Pick<Table['rows'][number], 'document' | 'documentId'>[]
}

/** The table that is shown. */
export interface TableShown {
  readonly request: TableRequest
  readonly plan: TablePlan
  /** Cells that are there, each under its `place`. */
  readonly cells: ReadonlyMap<string, AnswerCell>
  /** How far it is: cells that were asked for since it was begun last, and milliseconds since then. */
  readonly asked: number
  readonly elapsedMs: number
  readonly state: 'planned' | 'filling' | 'stopped' | 'filled'
}

export function place(row: number, column: number): string {
  return `${row} ${column}`
}

/** A table that is planned, then filled cell by cell, stopped, and gone on with. */
export function useTable() {
  const [questions, write] = useKept('quaero table questions')
  const work = useWork<TableShown>((last) => ({ ...last, state: 'stopped' }))
  const { shown: table, show, problem, attempt, run, stop } = work
  const fill = (planned: Pick<TableShown, 'request' | 'plan' | 'cells'>) => run((signal) => filling(planned, signal))
  return {
    ...{ questions, write, table, problem, fill, stop },
    plan: (choice: QuestionChoice) =>
      attempt(async () => {
        const request = { columns: questions, ...choice }
        const plan: TablePlan = await (await send('/api/tables/plan', body(request))).json()
        const planned = { request, plan, cells: new Map() }
        show({ ...planned, asked: 0, elapsedMs: 0, state: 'planned' })
        // What is known costs nothing.
        if (plan.open === 0) await fill(planned)
      }),
    save: (request: TableRequest, format: string) => work.save(`/api/tables/file?format=${format}`, request),
  }
}

/** The table as it is filled; known cells may come by thousands, and are shown together. */
async function* filling(
  { request, plan, cells: before }: Pick<TableShown, 'request' | 'plan' | 'cells'>,
  signal: AbortSignal,
): AsyncGenerator<TableShown> {
  const begun = performance.now()
  const cells = new Map(before)
  let [asked, now] = [0, plan]
  const shown = (state: TableShown['state']): TableShown => {
    return { request, plan: now, cells: new Map(cells), asked, elapsedMs: performance.now() - begun, state }
  }
  yield shown('filling')
  const events = eventsOf<TablePlan | FilledCell | object>('/api/tables', request, signal)
  for await (const { event, data } of events) {
    if (event === 'end') return yield shown('filled')
    // What was open when the table was planned may be known by now.
    if ('open' in data) now = data
    if (!('cell' in data)) continue
    cells.set(place(data.row, data.column), data.cell)
    if (!data.isKnown) asked += 1
    if (cells.size >= now.known) yield shown('filling')
  }
  throw new Error(cut)
}
