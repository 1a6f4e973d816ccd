import { UsageError } from '../../errors.ts'
import type { AskOptions, Quaero } from '../../index.ts'
import type { FileProgress } from '../output/progress.ts'
import type { Input, Output } from '../output/terminal.ts'
import { type AddDocumentsOptions, addDocuments } from './add-documents.ts'
import { limitsOf, type RunFlags } from './run-to-end.ts'

/** The flags that say which conversation and which documents a question belongs to. */
export interface ConversationFlags {
  readonly documents?: readonly string[] | undefined
  readonly thread?: string | undefined
  readonly continue?: boolean | undefined
  readonly approve?: AskOptions['approve'] | undefined
  /** Who asks, as traces name the person. */
  readonly user?: string | undefined
}

/** Adds the documents that are named, finds the thread, and puts together what the engine is asked with. `progress` tells how far reading is, in place of the usual. */
export async function askOptions(
  quaero: Quaero,
  input: Input,
  output: Output,
  flags: RunFlags & ConversationFlags,
  progress?: FileProgress,
): Promise<AskOptions> {
  const threadId = await threadOf(quaero, flags)
  const { quiet } = flags
  const documents = flags.documents
    ? await readable(quaero, flags.documents, output, { quiet, signal: input.signal, ...(progress && { progress }) })
    : null
  return {
    signal: input.signal,
    limits: limitsOf(flags),
    ...(threadId !== null && { threadId }),
    ...(documents && { documents }),
    ...(flags.approve && { approve: flags.approve }),
    ...(flags.user !== undefined && { userId: flags.user }),
  }
}

async function threadOf(quaero: Quaero, flags: ConversationFlags): Promise<string | null> {
  if (!flags.continue) return flags.thread ?? null
  if (flags.thread !== undefined) throw new UsageError('Use either --thread or --continue, not both')
  const [latest] = await quaero.threads.list()
  if (!latest) throw new UsageError('There is no thread to continue yet. Ask without --continue first.')
  return latest.threadId
}

/** The files that could be read, so that the run does not try the others again; all paths if none could. */
async function readable(
  quaero: Quaero,
  paths: readonly string[],
  output: Output,
  options: AddDocumentsOptions,
): Promise<readonly string[]> {
  const { documents } = await addDocuments(quaero, paths, output, options)
  options.signal.throwIfAborted()
  const read = documents.filter(({ status }) => status !== 'failed').map(({ path }) => path)
  return read.length > 0 ? read : paths
}
