import type { RunRecord, RunState, RunStatus, StoredEvent } from '../events/index.ts'
import { checkIdentifier } from '../storage/identifier.ts'
import type { Storage } from '../storage/storage.ts'
import type { RunResult } from './result.ts'
import { resultOf } from './run-result.ts'

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
  list(filter?: { readonly threadId?: string }): Promise<readonly RunSummary[]>
  /** The result of a run that has ended or waits. */
  show(runId: string): Promise<RunResult>
  /** The run's log after `afterPosition`. */
  events(runId: string, afterPosition?: number): AsyncIterable<StoredEvent>
  status(runId: string): Promise<RunStatus>
}

/** Runs as the log holds them. */
export function runsIn(storage: Storage): Runs {
  const record = (runId: string) => storage.events.run(checkIdentifier('run', runId))
  async function* read(runId: string, afterPosition = 0) {
    await record(runId)
    yield* storage.events.read(runId, afterPosition)
  }
  return {
    list: async (filter = {}) => (await storage.events.runs(filter)).map(summary),
    async show(runId) {
      const events: StoredEvent[] = []
      for await (const event of read(runId)) events.push(event)
      return resultOf(events)
    },
    events: read,
    status: async (runId) => (await record(runId)).status,
  }
}

function summary({ runId, threadId, question, status }: RunRecord): RunSummary {
  const { state, startedAt, endedAt } = status
  return { runId, threadId, status: state, question, startedAt, endedAt }
}
