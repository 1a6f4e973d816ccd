import { basename } from 'node:path'
import type { Quaero, RunResult, ThreadMessage } from '../../index.ts'
import { NotYours } from '../access/refusals.ts'

const inPlace = 'This answer rests on documents that you may not read.'

/**
 * Runs that show something of documents that their user may not read any more, or would search them as they go on. A later turn
 * of the same conversation has read what they say, so it is withheld with them.
 */
export class WithheldRuns {
  readonly #quaero: Pick<Quaero, 'runs' | 'library'>
  readonly #hidden: ReadonlySet<string>
  #records: ReturnType<Quaero['library']['list']> | undefined

  constructor(quaero: Pick<Quaero, 'runs' | 'library'>, hidden: ReadonlySet<string>) {
    this.#quaero = quaero
    this.#hidden = hidden
  }

  /** Those of a thread, as the store names it. */
  async of(threadId: string): Promise<ReadonlySet<string>> {
    if (this.#hidden.size === 0) return new Set()
    const { runs: log } = this.#quaero
    const [runs, open] = await Promise.all([log.list({ threadId }), log.list({ threadId, unfinished: true })])
    for (const [index, { runId }] of runs.entries())
      if (await this.#isWithheld(runId, { mayGoOn: open.some((run) => run.runId === runId) }))
        return new Set(runs.slice(index).map((run) => run.runId))
    return new Set()
  }

  /** Throws `NotYours` if the thread has such runs, or the run is one. */
  async refuse(threadId: string, runId?: string): Promise<void> {
    const withheld = await this.of(threadId)
    if (runId === undefined ? withheld.size > 0 : withheld.has(runId))
      throw new NotYours('This conversation rests on documents that you may not read. Begin a new one.')
  }

  /** True where a hidden document was among those that the run could search, and its log names it, or may come to do so. */
  async #isWithheld(runId: string, { mayGoOn }: { readonly mayGoOn: boolean }): Promise<boolean> {
    let marks: readonly string[] = []
    for await (const event of this.#quaero.runs.events(runId)) {
      if (event.type === 'run.created') marks = await this.#marksOf(event.payload.documents)
      const text = event.type === 'run.created' ? '' : JSON.stringify(event.payload).toLowerCase()
      if (marks.length === 0 || mayGoOn || marks.some((mark) => text.includes(mark))) return marks.length > 0
    }
    return false
  }

  /**
   * What names hidden documents among those that were searched: ids, and titles and files as they stand in JSON. One that is gone
   * has a mark that stands in any text.
   */
  async #marksOf(searched: readonly string[] | null): Promise<readonly string[]> {
    const reached = searched ? searched.filter((id) => this.#hidden.has(id)) : [...this.#hidden]
    if (reached.length === 0) return []
    this.#records ??= this.#quaero.library.list()
    const records = new Map((await this.#records).map((record) => [record.documentId, record]))
    return reached.flatMap((id) => {
      const { title = null, source = searched ? '' : id } = records.get(id) ?? {}
      return [id, basename(source), title ?? id].map((name) => JSON.stringify(name).slice(1, -1).toLowerCase())
    })
  }
}

export function withoutAnswer({ note: _, ...result }: RunResult): RunResult {
  const lists = { citations: [], calculations: [], sentences: [], highlights: [], unsupported: [], approvals: [] }
  const said = {
    standaloneQuestion: null,
    confidence: null,
    clarification: null,
    candidates: [],
    ending: null,
    error: null,
  }
  return { ...result, ...lists, ...said, answer: inPlace, abstained: true }
}

export function withoutContent(message: ThreadMessage): ThreadMessage {
  const { role, runId, createdAt } = message
  return role === 'user' ? message : { role, runId, createdAt, content: inPlace }
}
