import { useEffect, useRef, useState } from 'preact/hooks'
import type { AnswerCell, FilledCell, TablePlan as Planned, Table } from 'quaero'
import { body, framesOf, send } from '../api/requests.ts'
import { saveAs } from '../controls.tsx'

/** A table as its server names it: by its questions and documents. */
interface TableRequest {
  /** As a person writes them, one a line. */
  readonly columns: string
  /** All, if absent. */
  readonly documentIds?: readonly string[]
}

export interface TablePlan extends Omit<Planned, 'documents'> {
  readonly documents: readonly Pick<Table['rows'][number], 'document' | 'documentId'>[]
}

export const formats = { xlsx: 'Excel', csv: 'CSV', md: 'Markdown', html: 'HTML', json: 'JSON' } as const
export type Format = keyof typeof formats

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

/** Questions stay in the tab, so that a reload finds the table again. */
const kept = 'quaero table questions'

const cut = 'The server has stopped. What it has answered is kept: continue once it is there again.'

/** A table that is planned, then filled cell by cell, stopped, and gone on with. */
export function useTable() {
  const [questions, setQuestions] = useState(() => sessionStorage.getItem(kept) ?? '')
  const [table, setTable] = useState<TableShown | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const work = useRef(new AbortController())
  useEffect(() => () => work.current.abort(), [])
  const attempt = async (doing: () => Promise<void>) => {
    setProblem(null)
    // What a browser says of a connection that is cut helps nobody.
    await doing().catch((error: Error) => setProblem(error instanceof TypeError ? cut : error.message))
  }
  const fill = (planned: Pick<TableShown, 'request' | 'plan' | 'cells'>) =>
    attempt(async () => {
      work.current = new AbortController()
      const { signal } = work.current
      try {
        for await (const shown of filling(planned, signal)) setTable(shown)
      } catch (error) {
        setTable(stopped)
        if (!signal.aborted) throw error
      }
    })
  return {
    ...{ questions, table, problem },
    write(text: string) {
      sessionStorage.setItem(kept, text)
      setQuestions(text)
    },
    plan: (documentIds: readonly string[]) =>
      attempt(async () => {
        const request = { columns: questions, ...(documentIds.length > 0 && { documentIds }) }
        const plan: TablePlan = await (await send('/api/tables/plan', body(request))).json()
        const planned = { request, plan, cells: new Map() }
        setTable({ ...planned, asked: 0, elapsedMs: 0, state: 'planned' })
        // What is known costs nothing.
        if (plan.open === 0) await fill(planned)
      }),
    fill,
    stop: () => work.current.abort(),
    save: (request: TableRequest, format: Format) =>
      attempt(async () => {
        const response = await send(`/api/tables/file?format=${format}`, body(request))
        saveAs(`table.${format}`, await response.blob())
      }),
  }
}

function stopped(last: TableShown | null): TableShown | null {
  return last && { ...last, state: 'stopped' }
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
  const asking = body(request)
  const response = await send('/api/tables', {
    ...asking,
    signal,
    headers: { ...asking.headers, accept: 'text/event-stream' },
  })
  for await (const { event, data } of framesOf<TablePlan | FilledCell | object>(response)) {
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
