import type { AskOptions, Quaero, RunSummary } from '../../index.ts'
import { plainLine } from '../output/plain-text.ts'
import { shorten } from '../output/table.ts'
import { type Input, type Output, tell } from '../output/terminal.ts'
import { limitsOf, type RunFlags, resumeCommand, runToEnd } from './run-to-end.ts'

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
