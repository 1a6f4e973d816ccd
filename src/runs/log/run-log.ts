import type { KeptScore, RunFilter, RunRecord, RunState, RunStatus, StoredEvent } from '../../events/index.ts'
import { checkIdentifier } from '../../storage/identifier.ts'
import { checkPosition, checkRunFilter } from '../attempt/check-options.ts'
import { liveStatus } from './live-status.ts'
import { type Replay, replay } from './replay.ts'
import type { RunResult } from './result.ts'
import { resultOf } from './run-result.ts'
import type { NewScore, RunScores } from './scores.ts'
import { exportScores, importRun, type TransferParts } from './transfer.ts'

/** A run in a list. */
export interface RunSummary {
  readonly runId: string
  readonly threadId: string
  readonly status: RunState
  readonly question: string
  /** ISO 8601. */
  readonly startedAt: string | null
  readonly endedAt: string | null
}

/** What happened. Methods that name a run throw `RunNotFound` or `InvalidId`. */
export interface Runs {
  /** Oldest first. */
  list(filter?: RunFilter): Promise<readonly RunSummary[]>
  /** The result of a run that has ended or waits. */
  show(runId: string): Promise<RunResult>
  /** The run's log after `afterPosition`. */
  events(runId: string, afterPosition?: number): AsyncIterable<StoredEvent>
  status(runId: string): Promise<RunStatus>
  /** The run as it stood after the event at `to` (the last, if absent), from its log and nothing else. */
  replay(runId: string, to?: number): Promise<Replay>
  /**
   * Keeps what somebody says of the run, in place of the score of the same name, and attaches it to its trace: at once,
   * or with a later score if Langfuse cannot be reached or is not set up. Throws `ScoreInvalid`.
   */
  score(runId: string, score: NewScore): Promise<KeptScore>
  /** What was said of the run. */
  scores(runId: string): Promise<readonly KeptScore[]>
  /**
   * The run's log as text, one event a line (JSON Lines), and after it the run's scores; `import` reads it again, here or
   * elsewhere.
   */
  export(runId: string): Promise<string>
  /** Stores the log of a run that has ended. Throws `ImportInvalid`, `RunUnfinished`, `AlreadyExists`. */
  import(text: string): Promise<{ readonly runId: string; readonly threadId: string }>
}

/** Runs as the log holds them. */
export function runsIn(parts: TransferParts & { readonly scores: RunScores }): Runs {
  const { storage } = parts
  const record = async (runId: string) => liveStatus(await storage.events.run(checkIdentifier('run', runId)), storage)
  async function* read(runId: string, afterPosition = 0) {
    checkPosition(afterPosition)
    await record(runId)
    yield* storage.events.read(runId, afterPosition)
  }
  async function whole(runId: string): Promise<readonly StoredEvent[]> {
    const events: StoredEvent[] = []
    for await (const event of read(runId)) events.push(event)
    return events
  }
  const linked = (result: RunResult) => ({ ...result, traceUrl: parts.traceUrl?.(result.runId) ?? null })
  return {
    async list(filter = {}) {
      checkRunFilter(filter)
      const records = await storage.events.runs(filter)
      return (await Promise.all(records.map((each) => liveStatus(each, storage)))).map(summary)
    },
    show: async (runId) => linked(resultOf(await whole(runId))),
    async replay(runId, to) {
      const replayed = replay(await whole(runId), to)
      return { ...replayed, result: linked(replayed.result) }
    },
    score: (runId, score) => parts.scores.score(runId, score),
    scores: (runId) => parts.scores.of(runId),
    async export(runId) {
      const lines = [...(await whole(runId)), ...exportScores(await storage.scores.of(runId))]
      return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    },
    import: (text) => importRun(text, parts),
    events: read,
    status: async (runId) => (await record(runId)).status,
  }
}

function summary({ runId, threadId, question, status }: RunRecord): RunSummary {
  const { state, startedAt, endedAt } = status
  return { runId, threadId, status: state, question, startedAt, endedAt }
}
