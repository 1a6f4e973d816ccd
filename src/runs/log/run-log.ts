import { z } from 'zod'
import { UsageError } from '../../errors.ts'
import {
  type KeptScore,
  type RunFilter,
  type RunRecord,
  type RunState,
  type RunStatus,
  type StoredEvent,
  statusOf,
} from '../../events/index.ts'
import { checkOptions, count, type Shape } from '../../options.ts'
import { checkIdentifier } from '../../storage/index.ts'
import { withoutImport } from './checked-here.ts'
import { type Note, noteIn, writeNote } from './note.ts'
import { liveStatus, liveStatuses, logOf, type TransferParts, traceUrlOf } from './read-log.ts'
import { type RunResult, resultOf } from './result.ts'
import type { NewScore, RunScores } from './scores.ts'
import { messagesIn, type ThreadMessage } from './threads.ts'
import { exportScores, importRun } from './transfer.ts'

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

/** Stored runs. Methods that name a run throw `RunNotFound` or `InvalidId`. */
export interface Runs {
  /** Oldest first. */
  list(filter?: RunFilter): Promise<readonly RunSummary[]>
  /** The ids of all runs, oldest first. */
  ids(): Promise<readonly string[]>
  /** The result of a run that has ended or waits, with the note on it. */
  show(runId: string): Promise<RunResult>
  /** The run's log after `afterPosition`. */
  events(runId: string, afterPosition?: number): AsyncIterable<StoredEvent>
  status(runId: string): Promise<RunStatus>
  /** The run as it stood after the event at `to` (the last, if absent), from its log and nothing else. */
  replay(runId: string, to?: number): Promise<Replay>
  /**
   * Stores a score of the run, in place of one of the same name, and attaches it to its trace: at once, or with a later
   * score if Langfuse cannot be reached or is not set up. Throws `ScoreInvalid`.
   */
  score(runId: string, score: NewScore): Promise<KeptScore>
  /** The scores of the run. */
  scores(runId: string): Promise<readonly KeptScore[]>
  /** Writes the note on the run's answer, of at most 4,000 characters; an empty one removes it. Throws `UsageError`. */
  note(runId: string, text: string, by?: { readonly userId?: string }): Promise<Note | null>
  /**
   * The run's log as text, one event a line (JSON Lines), and after it its scores and note; `import` reads it again, here or
   * elsewhere.
   */
  export(runId: string): Promise<string>
  /** Stores the log of a run that has ended. Throws `ImportInvalid`, `AlreadyExists`. */
  import(text: string): Promise<{ readonly runId: string; readonly threadId: string }>
}

const position = count.max(Number.MAX_SAFE_INTEGER).optional()
const runFilter = z.strictObject({
  threadId: z.string().optional(),
  unfinished: z.boolean().optional(),
  threadPrefix: z.string().optional(),
  limit: count.optional(),
  offset: count.optional(),
} satisfies Shape<RunFilter>)

/** Runs as the log holds them. */
export function runsIn(parts: TransferParts & { readonly scores: RunScores }): Runs {
  const { storage } = parts
  const record = async (runId: string) => liveStatus(await storage.events.run(checkIdentifier('run', runId)), storage)
  async function* read(runId: string, afterPosition = 0) {
    checkOptions('The position', position, afterPosition)
    await record(runId)
    yield* storage.events.read(runId, afterPosition)
  }
  const whole = async (runId: string) => {
    await record(runId)
    return logOf(runId, storage)
  }
  const linked = (result: RunResult, log: readonly StoredEvent[]) => ({ ...result, traceUrl: traceUrlOf(log, parts) })
  return {
    async list(filter = {}) {
      checkOptions('The filter', runFilter, filter)
      return (await liveStatuses(await storage.events.runs(filter), storage)).map(summary)
    },
    ids: () => storage.events.ids(),
    async show(runId) {
      const { state } = (await record(runId)).status
      const log = await logOf(runId, storage)
      const note = noteIn(await storage.scores.of(runId))
      const result = { ...linked(resultOf(log), log), ...(note && { note }) }
      return result.status === 'interrupted' ? { ...result, status: state } : result
    },
    async replay(runId, to) {
      const log = await whole(runId)
      const replayed = replay(log, to)
      return { ...replayed, result: linked(replayed.result, log) }
    },
    score: (runId, score) => parts.scores.score(runId, score),
    scores: (runId) => parts.scores.of(runId),
    note: (runId, text, by) => writeNote(runId, { text, ...by }, storage),
    async export(runId) {
      const lines = [...(await whole(runId)).map(withoutImport), ...exportScores(await storage.scores.of(runId))]
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

/** A run as it stood after one of its events. */
export interface Replay {
  /** The position replayed to, and the last one there is. */
  readonly position: number
  readonly last: number
  readonly status: RunStatus
  /** The conversation up to there. */
  readonly messages: readonly ThreadMessage[]
  /** The result as it followed from the events up to there. */
  readonly result: RunResult
}

/** Throws `UsageError` for a position that the log does not have. */
function replay(log: readonly StoredEvent[], to = log.length): Replay {
  if (!Number.isInteger(to) || to < 1 || to > log.length) {
    throw new UsageError(`The run's log has the positions 1 to ${log.length}; name one of them, not ${to}`)
  }
  const past = log.slice(0, to)
  return { position: to, last: log.length, status: statusOf(past), messages: messagesIn(past), result: resultOf(past) }
}
