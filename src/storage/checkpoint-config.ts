import type { RunnableConfig } from '@langchain/core/runnables'
import type { Mask } from '../credentials/mask.ts'
import { InvalidId } from '../errors.ts'
import { checkIdentifier } from './identifier.ts'

/** The configuration's key for the graph that wrote a checkpoint: LangGraph drops a run's own metadata. */
export const graphKey = 'graph_fingerprint'

/** The default limit of `list`; a long thread holds gigabytes. */
export const listLimit = 100

/** The thread to save to; undefined for a run of a graph that has none. Only runs carry a recursion limit. */
export function savedThread(config: RunnableConfig, mask: Mask): string | undefined {
  const threadId = config.configurable?.thread_id
  if (threadId !== undefined) {
    const id = checkIdentifier('thread', threadId)
    if (mask(id) === id) return id
    throw new InvalidId("The thread's id holds a configured credential. Choose another one.")
  }
  if (config.configurable !== undefined && config.recursionLimit !== undefined) return undefined
  throw new InvalidId('A checkpoint belongs to a thread, but configurable.thread_id is missing. Name the thread.')
}
