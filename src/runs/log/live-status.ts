import type { RunRecord, RunStatus } from '../../events/index.ts'
import type { Storage } from '../../storage/storage.ts'

/** The log of a run whose process died says that it is at work; that nobody holds its thread for it says otherwise. */
export async function liveStatus(record: RunRecord, { events, leases }: Storage): Promise<RunRecord> {
  const { runId, threadId } = record
  if (!isAtWork(record.status) || (await leases.holder(threadId))?.runId === runId) return record
  // A run lets go of its thread when its ending is in the log, and may have done so since the record was read.
  const latest = await events.run(runId)
  return isAtWork(latest.status) ? { ...latest, status: { ...latest.status, state: 'interrupted' } } : latest
}

function isAtWork({ state }: RunStatus): boolean {
  return state === 'queued' || state === 'running' || state === 'cancelling'
}
