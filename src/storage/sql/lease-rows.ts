import { LeaseLost, ThreadBusy } from '../../errors.ts'
import type { LeaseHolder } from '../storage.ts'

/** A lease as a row of the table `leases`; storages add when it ends. */
export interface LeaseRow {
  /** Never used again: it tells the writes of the present holder from those of a former one. */
  readonly token: number
  readonly thread_id: string
  readonly run_id: string
  readonly owner: string
  readonly system: string
  readonly pid: number
  readonly process_start: string
  readonly acquired_at: string
}

export function holderOf({ system, pid, process_start }: LeaseRow): LeaseHolder {
  return { system, pid, startedAt: process_start }
}

/** What a run is told that wants a thread of another. */
export function threadBusy({ thread_id, run_id, system, pid, acquired_at }: LeaseRow, self: LeaseHolder): ThreadBusy {
  const where = system === self.system ? '' : ' of another host or container'
  return new ThreadBusy(
    `Thread "${thread_id}" is busy: process ${pid}${where} has been working on run "${run_id}" since ${acquired_at}. ` +
      `Nothing was stored. Wait until it ends, stop it with "quaero runs cancel ${run_id}", or ask on another thread.`,
  )
}

/** What a run is told that writes under a lease which is over; `row` is that of the present holder. */
export function leaseLost(runOrThreadId: string, row: Pick<LeaseRow, 'pid'> | undefined): LeaseLost {
  const holder = row ? `Process ${row.pid} works` : 'Another process has worked'
  return new LeaseLost(
    `${holder} on "${runOrThreadId}" in place of this one, whose lease had expired. Nothing more is stored.`,
  )
}
