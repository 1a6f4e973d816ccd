import type { ApprovalAnswer, AskOptions, Quaero, RunResult, StreamEvent } from '../../index.ts'
import { renderAnswer } from '../output/answer/render-answer.ts'
import { plainLine } from '../output/plain-text.ts'
import { startProgress } from '../output/progress.ts'
import { pluralOf } from '../output/table.ts'
import { type Approval, type Input, type Output, printJson, tell } from '../output/terminal.ts'
import { eventLines, liveDraft, progressLines, type RunView, watchRun } from '../output/watch-run.ts'

/** For the commands that are printed to go on with a run. */
export interface PlaceFlags {
  readonly dataDir?: string | undefined
  readonly config?: string | undefined
}

/** The flags that `ask`, `chat` and `runs resume` share. */
export interface RunFlags extends PlaceFlags {
  readonly json?: boolean | undefined
  readonly jsonl?: boolean | undefined
  readonly quiet?: boolean | undefined
  /** Model calls. */
  readonly maxSteps?: number | undefined
  /** US dollars. */
  readonly maxCost?: number | undefined
  /** Seconds. */
  readonly timeout?: number | undefined
}

type Answers = Readonly<Record<string, ApprovalAnswer>>

type Approve = AskOptions['approve']

/** A run on its way. */
export interface StartedRun {
  readonly stream: AsyncIterable<StreamEvent>
  /** Of a run that is resumed: while approvals are missing, its stream stays empty. */
  readonly runId?: string
  readonly approve?: Approve | undefined
}

/** Limits of one run from the flags; what is not named stays as configured. */
export function limitsOf(flags: RunFlags): NonNullable<AskOptions['limits']> {
  return {
    ...(flags.maxSteps !== undefined && { modelCalls: flags.maxSteps }),
    ...(flags.maxCost !== undefined && { costUsd: flags.maxCost }),
    ...(flags.timeout !== undefined && { wallClockMs: flags.timeout * 1000 }),
  }
}

/** Follows a run to its end, asking a person about tools where there is one, and shows what came of it. */
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
      ...(started.approve && { approve: started.approve }),
    })
  }
  showResult(result, output, flags)
  return result
}

async function viewOf(output: Output, flags: RunFlags): Promise<RunView> {
  if (flags.jsonl) return eventLines(output)
  const progress = await startProgress(output, flags.quiet)
  return output.stdoutIsTerminal && !flags.json && !flags.quiet
    ? liveDraft(output, progress)
    : progressLines(output, progress)
}

/** A person's answers to all pending approvals; null if there is nothing to ask or nobody to answer. */
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

/** Names the thread and the run on stderr, for a person who may want to come back to them. */
export function tellPlace({ threadId, runId }: RunResult, output: Output, { quiet, json, jsonl }: RunFlags): void {
  if (!quiet && !json && !jsonl) tell(output, `thread ${threadId} · run ${runId}`)
}

function showResult(result: RunResult, output: Output, flags: RunFlags): void {
  if (flags.json) printJson(output, result)
  else if (!flags.jsonl) showAnswer(result, output)
  for (const line of notesOn(result, flags)) tell(output, line)
}

/** The answer, or the question that is asked back; nothing if the run came to neither. */
export function showAnswer(result: RunResult, output: Output): void {
  const text = renderAnswer(result, { color: output.colors, width: output.width }).trimEnd()
  if (text) output.stdout.write(`${text}\n`)
}

/** What a person should know of how the run ended, and how to go on. */
function notesOn(result: RunResult, flags: PlaceFlags): readonly string[] {
  const error = result.error ? [plainLine(result.error.message), ...remedyFor(result.error.code, flags)] : []
  return [...error, ...notesOnEnding(result, flags)]
}

/** Failures of an endpoint whose cause a look at the endpoint itself may show. */
const doctorsCases: ReadonlySet<string> = new Set([
  'endpoint_unavailable',
  'endpoint_timeout',
  'endpoint_incompatible',
  'stream_truncated',
  'rate_limited',
  'request_rejected',
])

function remedyFor(code: string, flags: PlaceFlags): readonly string[] {
  return doctorsCases.has(code) ? [`Try the endpoint out with: quaero doctor${locationFlags(flags)}`] : []
}

function notesOnEnding(result: RunResult, flags: PlaceFlags): readonly string[] {
  return notesOnStatus[result.status]?.(result, flags) ?? []
}

/** How to go on with a run that is looked at afterwards; one at work is left to those who work on it. */
export async function tellHowToGoOn(
  quaero: Quaero,
  result: RunResult,
  output: Output,
  flags: PlaceFlags,
): Promise<void> {
  const { state } = await quaero.status(result.runId)
  const isAtWork = state === 'queued' || state === 'running' || state === 'cancelling'
  const following = `Still at work. Follow it with: quaero runs events ${result.runId} --follow${locationFlags(flags)}`
  for (const line of isAtWork ? [following] : notesOnEnding(result, flags)) tell(output, line)
}

const notesOnStatus: {
  readonly [S in RunResult['status']]?: (result: RunResult, flags: PlaceFlags) => readonly string[]
} = {
  clarification_needed: ({ threadId }, flags) => [`Reply with: quaero ask -t ${threadId} "…"${locationFlags(flags)}`],
  limit_reached: ({ ending }) => [
    ending
      ? `Stopped at the limit of ${describeLimit(ending)}; this is the best answer so far.`
      : 'Stopped at a limit; this is the best answer so far.',
  ],
  requires_action: ({ runId, approvals }, flags) => [
    ...approvals.map((approval) => `Waits for approval ${approval.id}: ${describeCall(approval)}`),
    `Answer with: ${resumeCommand(runId, flags)}${approvals.map(({ id }) => ` --approve ${id}`).join('')}`,
  ],
  interrupted: ({ runId }, flags) => [`Resume with: ${resumeCommand(runId, flags)}`],
  cancelled: () => ['The run was cancelled.'],
}

type Ending = NonNullable<RunResult['ending']>

/** A limit in the words, the unit and with the flag that a person knows it by. */
function describeLimit({ limit, value }: Ending): string {
  return wordsOfLimits.get(limit)?.(value) ?? `${limit} (${value})`
}

const wordsOfLimits: ReadonlyMap<string, (value: number) => string> = new Map([
  ['modelCalls', (value) => `${pluralOf(value, 'model call')} (--max-steps)`],
  ['costUsd', (value) => `$${value} (--max-cost)`],
  ['wallClockMs', (value) => `${value / 1000} s (--timeout)`],
  ['toolCalls', (value) => pluralOf(value, 'tool call')],
  ['rounds', (value) => pluralOf(value, 'round')],
  ['tokens', (value) => pluralOf(value, 'token')],
])

/** A tool call as a person reads it before allowing it. */
export function describeCall({ tool, args }: Approval): string {
  return plainLine(`${tool} ${JSON.stringify(args)}`)
}

/** What goes on with a run, in the same place. */
export function resumeCommand(runId: string, flags: PlaceFlags): string {
  return `quaero runs resume ${runId}${locationFlags(flags)}`
}

/** The flags without which a later command would look elsewhere. */
function locationFlags({ dataDir, config }: PlaceFlags): string {
  return `${dataDir ? ` --data-dir ${quoted(dataDir)}` : ''}${config ? ` --config ${quoted(config)}` : ''}`
}

function quoted(path: string): string {
  return /^[\w./:@%+=,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
