import { UsageError } from '../../errors.ts'
import type { AskOptions, Quaero, RunSummary } from '../../index.ts'
import { plainLine } from '../output/plain-text.ts'
import type { FileProgress } from '../output/progress.ts'
import { shorten } from '../output/table.ts'
import { type Input, type Output, tell } from '../output/terminal.ts'
import { type AddDocumentsOptions, addDocuments } from './add-documents.ts'
import { limitsOf, type RunFlags, resumeCommand, runToEnd } from './run-to-end.ts'

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

export interface OfferFlags extends RunFlags {
  readonly approve?: AskOptions['approve'] | undefined
}

/**
 * What a thread has left unfinished, before something new is asked on it: a person at the terminal is asked whether to go
 * on with it first; anybody else is told how, and it stays as it is.
 */
export async function offerUnfinished(
  quaero: Quaero,
  threadId: string | undefined,
  input: Input,
  output: Output,
  flags: OfferFlags,
): Promise<void> {
  if (threadId === undefined) return
  const runs = await quaero.runs.list({ threadId, unfinished: true })
  for (const run of runs.filter(({ status }) => status === 'interrupted' || status === 'requires_action')) {
    const asks = !flags.json && !flags.jsonl && !input.signal.aborted
    if (asks && input.confirm) await offer(quaero, run, input, output, flags)
    else if (!flags.quiet) tell(output, `${describe(run, output)} Resume it with: ${resumeCommand(run.runId, flags)}`)
  }
}

async function offer(quaero: Quaero, run: RunSummary, input: Input, output: Output, flags: OfferFlags): Promise<void> {
  const isWanted = await input.confirm?.(`${describe(run, output)} Resume it first?`)
  if (!isWanted) return
  const { approve } = flags
  const options = { signal: input.signal, limits: limitsOf(flags), ...(approve && { approve }) }
  const stream = quaero.resumeStream(run.runId, {}, options)
  await runToEnd(quaero, { stream, runId: run.runId, approve }, input, output, flags)
  output.stdout.write('\n')
}

function describe({ question, status }: RunSummary, { hide }: Output): string {
  const why = status === 'requires_action' ? 'waits for an approval' : 'was not finished'
  return `"${shorten(plainLine(question), 80, hide)}" ${why}.`
}
