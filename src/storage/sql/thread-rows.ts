import type { RunRecord, ThreadRecord } from '../../events/index.ts'

/** A thread that was asked, made or both, as both storages select it; `metadata` is JSON. */
export interface ThreadRow {
  readonly thread_id: string
  readonly title: string | null
  readonly user_id: string | null
  readonly metadata: string | null
  readonly created_at: string | null
  readonly turns: number | null
  /** The first and the last run. */
  readonly first: string | null
  readonly last: string | null
}

/** The record of a thread, given its runs. */
export function threadRecord(row: ThreadRow, run: (runId: string) => RunRecord | null): ThreadRecord {
  const first = row.first === null ? null : run(row.first)
  const last = row.last === null ? null : run(row.last)
  const startedAt = first?.status.startedAt ?? ''
  const createdAt =
    row.created_at !== null && (startedAt === '' || row.created_at < startedAt) ? row.created_at : startedAt
  return {
    threadId: row.thread_id,
    title: row.title ?? first?.question ?? '',
    turns: row.turns ?? 0,
    userId: row.user_id,
    metadata: JSON.parse(row.metadata ?? '{}'),
    createdAt,
    updatedAt: last?.status.endedAt ?? (last ? last.status.startedAt : null) ?? createdAt,
  }
}
