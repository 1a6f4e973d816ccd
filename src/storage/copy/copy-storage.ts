import { isDeepStrictEqual } from 'node:util'
import type { RunnableConfig } from '@langchain/core/runnables'
import { type CheckpointTuple, type PendingWrite, WRITES_IDX_MAP } from '@langchain/langgraph-checkpoint'
import { AlreadyExists, RunUnfinished, StorageUnavailable } from '../../errors.ts'
import { hasEnded, statusOf } from '../../events/index.ts'
import { countedTables, type Storage } from '../storage.ts'
import { collected, copyDocuments } from './copy-documents.ts'

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

/** Copies every run that the other storage does not hold yet, with what was said of it, the oldest first. */
async function copyRuns(from: Storage, to: Storage, onCopied: () => void): Promise<void> {
  const present = new Set(await to.events.ids())
  for (const runId of await from.events.ids()) {
    if (!present.has(runId)) {
      const log = await collected(from.events.read(runId))
      await to.importRuns([log], await from.scores.of(runId))
    }
    onCopied()
  }
}

/** Copies what is stated of threads, and the checkpoints from which their conversations, and their unfinished runs, go on. */
async function copyThreads(from: Storage, to: Storage, onCopied: () => void): Promise<void> {
  const threads = await from.threads.list()
  const present = new Set(await to.threads.ids())
  for (const { threadId, title, userId, metadata, turns } of threads.toReversed()) {
    const [latest = null] = await from.events.recentRuns(threadId, 1)
    if (!present.has(threadId)) await to.threads.create(threadId, { title, userId, metadata })
    else if (turns > 0) await to.threads.change(threadId, { title, metadata })
    const copied = await copyCheckpoints(from, to, threadId)
    // Only a reset takes the checkpoint of a run that has ended.
    if (copied === 0 && latest && hasEnded(latest.status.state)) await to.resetThread(threadId)
    onCopied()
  }
  for (const { runId } of await from.events.runs({ unfinished: true })) await copyCheckpoints(from, to, runId)
}

/** Of a thread, or those that were put aside under a run's id; returns how many. */
async function copyCheckpoints({ checkpointer: from }: Storage, { checkpointer: to }: Storage, thread: string) {
  const config: RunnableConfig = { configurable: { thread_id: thread } }
  const tuples = await collected(from.list(config, { limit: Number.MAX_SAFE_INTEGER }))
  for (const tuple of tuples.toReversed()) {
    const { checkpoint_ns } = tuple.config.configurable ?? {}
    const parent = tuple.parentConfig?.configurable?.checkpoint_id
    const place = { thread_id: thread, checkpoint_ns, ...(parent !== undefined && { checkpoint_id: parent }) }
    await to.put(
      { configurable: place },
      tuple.checkpoint,
      tuple.metadata ?? { source: 'loop', step: 0, parents: {} },
      {},
    )
    for (const { taskId, writes } of writesOf(tuple)) await to.putWrites(tuple.config, writes, taskId)
  }
  return tuples.length
}

/** By task; those that may be replaced later are written on their own. */
function writesOf({ pendingWrites = [] }: CheckpointTuple) {
  const tasks = [...new Set(pendingWrites.map(([taskId]) => taskId))]
  return tasks.flatMap((taskId) =>
    [true, false].flatMap((replaceable) => {
      const writes = pendingWrites
        .filter(([task, channel]) => task === taskId && Object.hasOwn(WRITES_IDX_MAP, channel) === replaceable)
        .map(([, channel, value]): PendingWrite => [channel, value])
      return writes.length > 0 ? [{ taskId, writes }] : []
    }),
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
