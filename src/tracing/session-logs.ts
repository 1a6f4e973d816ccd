import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { asError, StorageUnavailable } from '../errors.ts'
import type { Event, RunState, Subscriber } from '../events/index.ts'
import { privateFolder } from '../private-files.ts'
import { hiddenLog } from './log-text.ts'
import { addTurn, replaceFile, sessionText, type ThreadLogs } from './session-file.ts'
import type { SessionFormat } from './session-format.ts'
import { sessionTurn } from './session-turn.ts'

export interface SessionLogOptions {
  readonly folder: string
  readonly formats: readonly SessionFormat[]
  /** A run's log so far; empty if there is none. */
  readonly logOf: (runId: string) => Promise<readonly Event[]>
  /** The log of a run that ends in this process; null where it must be read. */
  readonly endingLog?: (runId: string) => readonly Event[] | null
  readonly logsOf: (threadId: string) => ThreadLogs
  /** Called once, for the first file that cannot be written. */
  readonly onNotice: (message: string) => void
}

/** The session logs of all threads, one file per thread and format, computed from the event log. */
export interface SessionLogs {
  readonly folder: string
  /** Adds a turn when it ends, pauses or is stopped. The run does not wait. `flush` resolves when all is written. */
  readonly subscriber: Subscriber
  /** Writes a thread's files again. Throws `StorageUnavailable`. */
  readonly rebuild: (threadId: string) => Promise<void>
  /** The same, but a failure is reported as a notice. */
  readonly refresh: (threadId: string) => Promise<void>
  /** Removes a thread's files. Throws `StorageUnavailable`. */
  readonly remove: (threadId: string) => Promise<void>
}

export function sessionLogs(options: SessionLogOptions): SessionLogs {
  const { folder, formats, logOf, logsOf, endingLog } = options
  const threads = oneAtATime()
  const reportOnce = once(options.onNotice)
  const inTurn = (threadId: string, work: () => Promise<void>) => threads.add(threadId, work).catch(unavailable(folder))
  const openFolder = () => mkdir(folder, { recursive: true, mode: privateFolder })
  const pathOf = (threadId: string, format: SessionFormat) => join(folder, `${threadId}.${format.extension}`)
  const write = async (threadId: string, format: SessionFormat) => {
    await replaceFile(pathOf(threadId, format), sessionText(format, threadId, logsOf(threadId)))
  }
  const add = async (threadId: string, log: readonly Event[]) => {
    const turn = sessionTurn(hiddenLog(log))
    // The thread was deleted, or no attempt has ended.
    if (!turn) return
    await openFolder()
    for (const format of formats) {
      if (!(await addTurn(pathOf(threadId, format), format, threadId, turn))) await write(threadId, format)
    }
  }
  const subscriber: Subscriber = ({ type, payload, threadId, runId }) => {
    if (type !== 'status.changed' || threadId === null || underWay.has(payload.to)) return
    const ending = endingLog?.(runId)
    inTurn(threadId, async () => add(threadId, ending ?? (await logOf(runId)))).catch(reportOnce)
  }
  const rebuild = (threadId: string) =>
    inTurn(threadId, async () => {
      await openFolder()
      for (const format of formats) await write(threadId, format)
    })
  return {
    folder,
    subscriber: Object.assign(subscriber, { flush: threads.done }),
    rebuild,
    refresh: (threadId) => rebuild(threadId).catch(reportOnce),
    remove: (threadId) =>
      inTurn(threadId, async () => {
        for (const format of formats) await rm(pathOf(threadId, format), { force: true })
      }),
  }
}

const underWay: ReadonlySet<RunState> = new Set(['queued', 'running', 'cancelling'])

function oneAtATime() {
  const last = new Map<string, Promise<void>>()
  return {
    add: (threadId: string, work: () => Promise<void>): Promise<void> => {
      const before = last.get(threadId) ?? Promise.resolve()
      const own = before.then(work, work)
      const settled = own.catch(() => {})
      last.set(threadId, settled)
      void settled.then(() => last.get(threadId) === settled && last.delete(threadId))
      return own
    },
    done: async (): Promise<void> => {
      while (last.size > 0) await Promise.all(last.values())
    },
  }
}

function once(onNotice: (message: string) => void): (error: unknown) => void {
  let isReported = false
  return (error) => {
    if (isReported) return
    isReported = true
    onNotice(
      `${asError(error).message} Runs and their event log are not affected; "quaero threads log --rebuild" writes them later.`,
    )
  }
}

function unavailable(folder: string): (error: unknown) => never {
  return (cause) => {
    throw new StorageUnavailable(`The session logs in ${folder} cannot be written: ${asError(cause).message}.`, {
      cause,
    })
  }
}
