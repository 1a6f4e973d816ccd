import type { ApprovalAnswer, AskOptions, Quaero, RunResult, StreamEvent } from '../../index.ts'
import { limitInWords } from '../../library/filter/limit-in-words.ts'
import { redactAll } from '../../redact.ts'
import { type CommonFlags, given } from '../command/command.ts'
import { renderAnswer } from '../output/answer/render-answer.ts'
import { plainLine } from '../output/plain-text.ts'
import { startProgress } from '../output/progress.ts'
import { type Approval, type Input, type Output, printJson, tell } from '../output/terminal.ts'
import { eventLines, progressLines, type RunView, watchRun } from '../output/watch-run.ts'
import { type ShortIds, shortIdsOf } from './ids.ts'

/** The flags by which a printed command finds the same data. */
export type PlaceFlags = Pick<CommonFlags, 'dataDir' | 'config'>

/** The flags that `ask`, `chat` and `runs resume` share. */
export interface RunFlags extends Pick<CommonFlags, 'dataDir' | 'config' | 'json' | 'quiet'> {
  readonly jsonl?: boolean | undefined
  /** Model calls. */
  readonly maxSteps?: number | undefined
  /** US dollars. */
  readonly maxCost?: number | undefined
  /** Seconds. */
  readonly timeout?: number | undefined
}

type Answers = Readonly<Record<string, ApprovalAnswer>>

type Approve = AskOptions['approve']

interface StartedRun {
  readonly stream: AsyncIterable<StreamEvent>
  /** The id of a resumed run, whose stream is empty while approvals are missing. */
  readonly runId?: string
  readonly approve?: Approve
}

/** The limits of one run from the flags; the others stay as configured. */
export function limitsOf({ maxSteps, maxCost, timeout }: RunFlags): NonNullable<AskOptions['limits']> {
  return given({ modelCalls: maxSteps, costUsd: maxCost, wallClockMs: timeout && timeout * 1000 })
}

/** Follows a run to its end, asks a person about tools if there is one, and shows the result. */
export async function runToEnd(
  quaero: Quaero,
  started: StartedRun,
  input: Input,
  output: Output,
  flags: RunFlags,
): Promise<RunResult> {
  let { stream, runId = '' } = started
  let result: RunResult
  while (true) {
    runId = (await watchRun(stream, await viewOf(output, flags))) ?? runId
    result = await quaero.runs.show(runId)
    const answers = await answersOf(result, started.approve, input, flags)
    if (!answers) break
    stream = quaero.resumeStream(runId, answers, {
      signal: input.signal,
      limits: limitsOf(flags),
      ...given({ approve: started.approve }),
    })
  }
  await showResult(quaero, result, output, flags)
  return result
}

async function viewOf(output: Output, flags: RunFlags): Promise<RunView> {
  if (flags.jsonl) return eventLines(output)
  return progressLines(output, await startProgress(output, flags.quiet))
}

/** A person's answers to all pending approvals; null without approvals or without a person. */
async function answersOf(result: RunResult, approve: Approve, input: Input, flags: RunFlags): Promise<Answers | null> {
  const asks = approve === undefined || approve === 'ask'
  if (result.status !== 'requires_action' || !asks || !input.askApproval || flags.json || flags.jsonl) return null
  const answers: Record<string, ApprovalAnswer> = {}
  for (const approval of result.approvals) {
    const answer = await input.askApproval(approval)
    if (!answer) return null
    answers[approval.id] = answer
  }
  return answers
}

/** Prints the ids of the thread and the run on stderr. */
export async function tellIds(quaero: Quaero, result: RunResult, output: Output, flags: RunFlags): Promise<void> {
  if (flags.quiet || flags.json || flags.jsonl) return
  const ids = await shortIdsOf(quaero)
  tell(output, `thread ${ids.thread(result.threadId)} · run ${ids.run(result.runId)}`)
}

async function showResult(quaero: Quaero, result: RunResult, output: Output, flags: RunFlags): Promise<void> {
  if (flags.json) await printDigested(result, output)
  else if (!flags.jsonl) await showAnswer(result, output)
  const { error } = result
  tellLimit(result, output, flags)
  if (error) tell(output, plainLine(error.message))
  if (error && endpointFailures.has(error.code)) {
    tell(output, `Check the endpoint with: quaero doctor${locationFlags(flags)}`)
  }
  for (const line of notesOnEnding(result, await shortIdsOf(quaero), flags)) tell(output, line)
}

/** Prints on stderr what was searched, where that was not the whole library. */
export function tellLimit({ limitedTo }: Pick<RunResult, 'limitedTo'>, output: Output, { quiet = false }): void {
  if (limitedTo && !quiet) tell(output, plainLine(limitInWords(limitedTo)))
}

/** What is printed can be verified, so its digest is that of what is printed. Loaded here, since nothing else needs it. */
async function printDigested(result: RunResult, output: Output): Promise<void> {
  const { digested } = await import('../../claims/verify/answer.ts')
  printJson(output, digested(redactAll(result, output.hide)))
}

/** The answer, or the question that is asked back; nothing if there is neither. */
export async function showAnswer(result: RunResult, output: Output): Promise<void> {
  const link = await output.links?.()
  const text = renderAnswer(result, { color: output.colors, width: output.width, link }).trimEnd()
  if (text) output.stdout.write(`${text}\n`)
}

const endpointFailures: ReadonlySet<string> = new Set(
  'endpoint_unavailable endpoint_timeout endpoint_incompatible stream_truncated rate_limited request_rejected'.split(
    ' ',
  ),
)

/** Prints how to continue a run that is looked at later. */
export async function tellNextStep(
  quaero: Quaero,
  result: RunResult,
  output: Output,
  flags: PlaceFlags,
): Promise<void> {
  const { state } = await quaero.status(result.runId)
  const isRunning = state === 'queued' || state === 'running' || state === 'cancelling'
  const ids = await shortIdsOf(quaero)
  const following = `Still running. Follow it with: quaero runs events ${ids.run(result.runId)} --follow${locationFlags(flags)}`
  for (const line of isRunning ? [following] : notesOnEnding(result, ids, flags)) tell(output, line)
}

function notesOnEnding(result: RunResult, ids: ShortIds, flags: PlaceFlags): readonly string[] {
  const shown = { ...result, runId: ids.run(result.runId), threadId: ids.thread(result.threadId) }
  return notesOnStatus[result.status]?.(shown, flags) ?? []
}

const notesOnStatus: {
  readonly [S in RunResult['status']]?: (result: RunResult, flags: PlaceFlags) => readonly string[]
} = {
  clarification_needed: ({ threadId }, flags) => [`Reply with: quaero ask -t ${threadId} "…"${locationFlags(flags)}`],
  limit_reached: ({ ending }) => [
    `${ending?.reason ?? 'A limit is reached.'} This is the best answer so far.${howToRaise(ending?.limit)}`,
  ],
  requires_action: ({ runId, approvals }, flags) => [
    ...approvals.map((approval) => `Waits for approval ${approval.id}: ${describeCall(approval)}`),
    `Answer with: ${resumeCommand(runId, flags)}${approvals.map(({ id }) => ` --approve ${id}`).join('')}`,
    `Not to be asked again, set "tools: { allow: [${[...new Set(approvals.map(({ tool }) => tool))].join(', ')}] }" in the file of --config, or ask with --approve all.`,
  ],
  interrupted: ({ runId }, flags) => [`Resume with: ${resumeCommand(runId, flags)}`],
  cancelled: () => ['The run was cancelled and cannot be resumed.'],
}

function howToRaise(limit = ''): string {
  const flag = flagsOfLimits.get(limit)
  return flag ? ` Raise the limit with ${flag}.` : ''
}

const flagsOfLimits: ReadonlyMap<string, string> = new Map([
  ['modelCalls', '--max-steps'],
  ['costUsd', '--max-cost'],
  ['wallClockMs', '--timeout'],
])

/** A tool call in one line. */
export function describeCall({ tool, args }: Approval): string {
  return plainLine(`${tool} ${JSON.stringify(args)}`)
}

/** The command that resumes a run, in the same place. */
export function resumeCommand(runId: string, flags: PlaceFlags): string {
  return `quaero runs resume ${runId}${locationFlags(flags)}`
}

/** The flags by which a later command finds the same data. */
export function locationFlags({ dataDir, config }: PlaceFlags): string {
  return `${dataDir ? ` --data-dir ${quoted(dataDir)}` : ''}${config ? ` --config ${quoted(config)}` : ''}`
}

function quoted(path: string): string {
  return /^[\w./:@%+=,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
