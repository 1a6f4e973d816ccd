import { UsageError } from '../../errors.ts'
import type { AskOptions, Quaero, RunSummary } from '../../index.ts'
import { given } from '../command/command.ts'
import { type FilterFlags, filterOf } from '../command/options.ts'
import { plainLine } from '../output/plain-text.ts'
import { shorten } from '../output/table.ts'
import { type Input, type Output, tell } from '../output/terminal.ts'
import { type AddDocumentsOptions, addDocuments } from './add-documents.ts'
import { shortIdsOf, threadIdToUse } from './ids.ts'
import { limitsOf, type RunFlags, resumeCommand, runToEnd } from './run-to-end.ts'

export interface ConversationFlags extends FilterFlags {
  readonly documents?: readonly string[] | undefined
  readonly thread?: string | undefined
  readonly continue?: boolean | undefined
  readonly approve?: AskOptions['approve'] | undefined
  /** The user that traces name. */
  readonly user?: string | undefined
}

/** Adds the documents, finds the thread, and returns the options of a question. */
export async function askOptions(
  quaero: Quaero,
  input: Input,
  output: Output,
  flags: RunFlags & ConversationFlags,
): Promise<AskOptions> {
  const { signal } = input
  const { quiet, approve, user: userId } = flags
  const threadId = await threadOf(quaero, flags)
  const documents = flags.documents && (await readable(quaero, flags.documents, output, { quiet, signal }))
  return { signal, limits: limitsOf(flags), ...filterOf(flags), ...given({ threadId, documents, approve, userId }) }
}

async function threadOf(quaero: Quaero, flags: ConversationFlags): Promise<string | undefined> {
  if (!flags.continue) return flags.thread === undefined ? undefined : threadIdToUse(quaero, flags.thread)
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

/** Offers a person at the terminal to resume the thread's unfinished runs; else prints the command that does. */
export async function offerUnfinished(
  quaero: Quaero,
  threadId: string | undefined,
  input: Input,
  output: Output,
  flags: RunFlags & Pick<ConversationFlags, 'approve'>,
): Promise<void> {
  if (threadId === undefined) return
  const runs = await quaero.runs.list({ threadId, unfinished: true })
  const ids = await shortIdsOf(quaero)
  for (const run of runs.filter(({ status }) => status === 'interrupted' || status === 'requires_action')) {
    const { runId } = run
    const { approve } = flags
    if (!input.confirm || flags.json || flags.jsonl || input.signal.aborted) {
      if (!flags.quiet) tell(output, `${describe(run, output)} Resume it with: ${resumeCommand(ids.run(runId), flags)}`)
    } else if (await input.confirm(`${describe(run, output)} Resume it first?`)) {
      const options = { signal: input.signal, limits: limitsOf(flags), ...given({ approve }) }
      const stream = quaero.resumeStream(runId, {}, options)
      await runToEnd(quaero, { stream, runId, approve }, input, output, flags)
      output.stdout.write('\n')
    }
  }
}

function describe({ question, status }: RunSummary, { hide }: Output): string {
  const why = status === 'requires_action' ? 'waits for an approval' : 'was not finished'
  return `"${shorten(plainLine(question), 80, hide)}" ${why}.`
}
