import { isDeepStrictEqual } from 'node:util'
import { AlreadyExists, RunUnfinished, StorageUnavailable } from '../../errors.ts'
import { statusOf } from '../../events/index.ts'
import { countedTables, type Storage } from '../storage.ts'
import { collected } from './collected.ts'
import { copyDocuments } from './copy-documents.ts'
import { copyRuns, copyThreads } from './copy-runs.ts'

export interface CopyProgress {
  readonly part: 'documents' | 'runs' | 'threads'
  readonly done: number
  readonly total: number
}

export interface CopyOptions {
  /** Goes on with a copy that was interrupted: what the target holds already is left out. */
  readonly resume?: boolean
  readonly onProgress?: (progress: CopyProgress) => void
}

/** What a copy holds, by table. */
export type CopyReport = Readonly<Record<string, number>>

/**
 * Copies documents, runs, threads and scores into another storage, then compares both: how many rows each table has, and
 * the status that each run's log leads to. Vectors are not copied: they can be made again. Throws `AlreadyExists` for a
 * target that is not empty, `RunUnfinished` while somebody works on the source or files wait there, `StorageUnavailable`
 * if the source is damaged or the copy differs from it.
 */
export async function copyStorage(from: Storage, to: Storage, options: CopyOptions = {}): Promise<CopyReport> {
  await checkSource(from)
  if (!options.resume) await checkEmpty(to)
  const counting = (part: CopyProgress['part'], total: number) => {
    let done = 0
    return () => {
      done += 1
      options.onProgress?.({ part, done, total })
    }
  }
  const documents = await from.library.documents({ includeWeb: true })
  await copyDocuments(from.library, to.library, counting('documents', documents.length))
  await copyRuns(from, to, counting('runs', (await from.events.ids()).length))
  await copyThreads(from, to, counting('threads', (await from.threads.ids()).length))
  return await compare(from, to)
}

async function checkSource(from: Storage): Promise<void> {
  const { damagedPages = [], integrity } = await from.report()
  if (integrity !== 'ok' || damagedPages.length > 0) {
    throw new StorageUnavailable('What is to be copied is damaged. "quaero doctor" says where, and how to repair it.')
  }
  const { files } = (await from.queue?.figures()) ?? {}
  if (files && files.waiting + files.working > 0) {
    throw new RunUnfinished('Uploaded files wait for a worker of the source. Copy it once they have been read.')
  }
  for (const threadId of await from.threads.ids()) {
    const held = await from.leases.holder(threadId)
    if (!held) continue
    throw new RunUnfinished(
      `Run ${held.runId} is being worked on. Stop all programs that use the source, then copy it.`,
    )
  }
}

async function checkEmpty(to: Storage): Promise<void> {
  const { rows, path } = await to.report()
  const filled = countedTables.filter((table) => (rows[table] ?? 0) > 0)
  if (filled.length === 0 && (await to.threads.ids()).length === 0) return
  throw new AlreadyExists(
    `${path} is not empty (${filled.map((table) => `${rows[table]} ${table}`).join(', ')}). Choose an empty one, or go on with a copy that was interrupted with --resume.`,
  )
}

/** What both must have the same number of: checkpoints and writes are those of all threads and unfinished runs. */
const compared = ['runs', 'events', 'documents', 'sources', 'pages', 'passages', 'scores'] as const

async function compare(from: Storage, to: Storage): Promise<CopyReport> {
  const [source, copy] = [(await from.report()).rows, (await to.report()).rows]
  const differing: string[] = compared.filter((table) => source[table] !== copy[table])
  for (const runId of await from.events.ids()) {
    const log = await collected(to.events.read(runId))
    const { status } = await from.events.run(runId)
    if (!isDeepStrictEqual(statusOf(log), status)) differing.push(`the status of run ${runId}`)
  }
  if (differing.length === 0) return copy
  throw new StorageUnavailable(
    `The copy differs from its source in ${differing.slice(0, 5).join(', ')}. Copy it again into an empty target.`,
  )
}
