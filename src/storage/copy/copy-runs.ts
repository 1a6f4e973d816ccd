import type { RunnableConfig } from '@langchain/core/runnables'
import { type CheckpointTuple, type PendingWrite, WRITES_IDX_MAP } from '@langchain/langgraph-checkpoint'
import { hasEnded } from '../../events/index.ts'
import type { Storage } from '../storage.ts'
import { collected } from './collected.ts'

/** Copies every run that the other storage does not hold yet, with what was said of it, the oldest first. */
export async function copyRuns(from: Storage, to: Storage, onCopied: () => void): Promise<void> {
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
export async function copyThreads(from: Storage, to: Storage, onCopied: () => void): Promise<void> {
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
