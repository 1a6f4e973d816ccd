import type {
  AddReport,
  ApprovalAnswer,
  AskOptions,
  DocumentDetails,
  DocumentRecord,
  EmbedReport,
  Event,
  LibrarySearchOptions,
  MetadataChange,
  Quaero,
  RunResult,
  RunStatus,
  RunSummary,
  SearchHit,
  SemanticStatus,
  StorageReport,
  StreamEvent,
  ThreadMessage,
  ThreadRecord,
} from '../../../src/index.ts'
import { runResult as answeredRun, citation } from './run-result.ts'

/** What a run does: the events of its stream, and what stands in the log afterwards. */
export interface PlannedRun {
  readonly events: readonly StreamEvent[]
  readonly result: RunResult
}

export interface FakeEngine {
  /** Runs in the order in which they are asked for, resumed ones included. */
  readonly runs?: readonly PlannedRun[]
  readonly report?: AddReport
  readonly documents?: readonly DocumentRecord[]
  readonly details?: DocumentDetails
  readonly hits?: readonly SearchHit[]
  readonly page?: string
  readonly threads?: readonly ThreadRecord[]
  readonly messages?: readonly ThreadMessage[]
  readonly summaries?: readonly RunSummary[]
  readonly runIds?: readonly string[]
  readonly threadIds?: readonly string[]
  readonly log?: readonly (Event & { readonly position: number })[]
  readonly status?: Partial<RunStatus>
  readonly storage?: StorageReport
  readonly embeddings?: SemanticStatus
  readonly embedded?: EmbedReport
  /** Thrown by the first `stream`. */
  readonly refusal?: Error
}

type Answers = Readonly<Record<string, ApprovalAnswer>>

/** What the fake engine was asked for, in order. */
export type Call =
  | { readonly name: 'stream'; readonly question: string; readonly options: AskOptions }
  | { readonly name: 'resume'; readonly runId: string; readonly answers: Answers; readonly options: AskOptions }
  | {
      readonly name: 'add'
      readonly paths: readonly string[]
      readonly passwords: readonly string[] | undefined
      readonly sync?: boolean
    }
  | { readonly name: 'set'; readonly id: string; readonly change: MetadataChange }
  | { readonly name: 'search'; readonly query: string; readonly options: LibrarySearchOptions }
  | { readonly name: 'list runs'; readonly threadId: string | undefined }
  | { readonly name: 'remove' | 'delete' | 'reset' | 'cancel'; readonly id: string }

/** An engine that plays what it is given and remembers what it was asked. */
export function fakeQuaero(engine: FakeEngine): { readonly quaero: Quaero; readonly calls: readonly Call[] } {
  const calls: Call[] = []
  const planned = [...(engine.runs ?? [])]
  const results = new Map<string, RunResult>()
  let refusal = engine.refusal
  const play = async function* (): AsyncIterable<StreamEvent> {
    const thrown = refusal
    refusal = undefined
    if (thrown) throw thrown
    const run = planned.shift()
    if (!run) throw new Error('no run is planned')
    results.set(run.result.runId, run.result)
    yield* run.events
  }
  const show = async (runId: string) => {
    const result = results.get(runId) ?? planned.find((each) => each.result.runId === runId)?.result
    if (!result) throw new Error(`no run ${runId}`)
    return result
  }
  const parts = {
    stream: (question: string, options: AskOptions = {}) => {
      calls.push({ name: 'stream', question, options })
      return play()
    },
    resumeStream: (runId: string, answers: Answers = {}, options: AskOptions = {}) => {
      calls.push({ name: 'resume', runId, answers, options })
      return play()
    },
    status: (runId?: string) =>
      runId === undefined
        ? { state: 'ready', steps: [{ step: 'storage', durationMs: 3, detail: '/data' }] }
        : Promise.resolve({ pendingApprovals: [], ...engine.status }),
    cancel: async (id: string) => void calls.push({ name: 'cancel', id }),
    report: async () => engine.storage,
    close: async () => {},
    runs: {
      show,
      ids: async () => engine.runIds ?? [],
      replay: async (runId: string) => ({ result: await show(runId) }),
      list: async (filter?: { threadId?: string; unfinished?: boolean }) => {
        if (!filter?.unfinished) calls.push({ name: 'list runs', threadId: filter?.threadId })
        return engine.summaries ?? []
      },
      events: async function* () {
        yield* engine.log ?? []
      },
      scores: async () => [],
    },
    threads: {
      list: async () => engine.threads ?? [],
      ids: async () => engine.threadIds ?? [],
      exists: async () => false,
      messages: async () => engine.messages ?? [],
      show: async (threadId: string) => ({ threadId, title: 'A question' }),
      log: async function* () {},
      delete: async (id: string) => void calls.push({ name: 'delete', id }),
      reset: async (id: string) => void calls.push({ name: 'reset', id }),
    },
    claims: { list: async () => [], page: async () => ({ claims: [], next: null }), check: async () => [] },
    library: {
      add: async (paths: readonly string[], options: Parameters<Quaero['library']['add']>[1] = {}) => {
        const { passwords, sync } = options
        calls.push({ name: 'add', paths, passwords, ...(sync && { sync }) })
        const report = engine.report ?? addReport([])
        report.documents.forEach((document, index) => {
          options.onProgress?.({ done: index + 1, total: report.documents.length, path: document.path, document })
        })
        return report
      },
      list: async () => engine.documents ?? [],
      document: async (id: string) => ({ documentId: id }),
      show: async () => engine.details,
      set: async (id: string, change: MetadataChange) => {
        calls.push({ name: 'set', id, change })
        return engine.details
      },
      remove: async (id: string) => {
        calls.push({ name: 'remove', id })
        return []
      },
      text: async (_: string, number: number) => ({ number, label: null, text: engine.page ?? '', header: null }),
      search: async (query: string, options: LibrarySearchOptions = {}) => {
        calls.push({ name: 'search', query, options })
        return engine.hits ?? []
      },
      embeddings: async () => engine.embeddings ?? null,
      embed: async (options: Parameters<Quaero['library']['embed']>[0] = {}) => {
        options.onProgress?.({ done: 1, total: 2 })
        return engine.embedded
      },
    },
  }
  // Only what the commands call is played.
  return { quaero: parts as unknown as Quaero, calls }
}

/** An answer of the fake engine. */
export function runResult(overrides: Partial<RunResult> = {}): RunResult {
  return answeredRun({
    question: 'What accuracy is reached?',
    standaloneQuestion: 'What accuracy is reached?',
    answer: 'It reaches 87.2 %. [1]',
    confidence: 0.9,
    citations: [
      citation({
        label: '(Zhang et al., 2021, p. 5)',
        title: 'A study',
        source: 'papers/zhang.pdf',
        quote: 'reaches 87.2 %',
        end: 24,
      }),
    ],
    usage: { modelCalls: 3, toolCalls: 1, inputTokens: 100, outputTokens: 20, costUsd: 0 },
    ...(overrides.answer === '' && { confidence: null, citations: [] }),
    ...overrides,
  })
}

/** A line of a run's stream. */
export function line(type: StreamEvent['type'], payload: object, runId = 'run-1'): StreamEvent {
  const timestamp = '2026-01-02T03:04:05.678Z'
  const event = { id: `event-${type}`, type, timestamp, correlationId: runId, payload, runId, threadId: 'thread-1' }
  // The catalogue's schemas are tested elsewhere; here only what the commands read must be there.
  return event as unknown as StreamEvent
}

export const created = line('run.created', { threadId: 'thread-1', turn: 1, question: '?', documents: null })
export const completed = line('run.completed', { stopReason: 'answered' })

/** A run without anything special. */
export function plainRun(overrides: Partial<RunResult> = {}): PlannedRun {
  const result = runResult(overrides)
  return { events: [created, completed].map((event) => ({ ...event, runId: result.runId })), result }
}

export function addReport(documents: AddReport['documents'], skipped: readonly string[] = []): AddReport {
  const count = (status: string) => documents.filter((document) => document.status === status).length
  return {
    documents,
    skipped,
    removed: [],
    totals: {
      added: count('added'),
      unchanged: count('unchanged'),
      updated: count('updated'),
      failed: count('failed'),
      removed: 0,
      skipped: skipped.length,
      pages: documents.reduce((sum, { pages }) => sum + pages, 0),
      passages: documents.reduce((sum, { passages }) => sum + passages, 0),
    },
  }
}

export const addedPaper: AddReport['documents'][number] = {
  path: 'papers/zhang.pdf',
  documentId: '0123456789abcdef',
  status: 'added',
  pages: 12,
  passages: 80,
  error: null,
}

export const failedPaper: AddReport['documents'][number] = {
  path: 'papers/broken.pdf',
  documentId: null,
  status: 'failed',
  pages: 0,
  passages: 0,
  error: { code: 'not_a_pdf', message: 'it is not a PDF' },
}
