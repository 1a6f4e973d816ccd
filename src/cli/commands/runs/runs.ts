import { type ApprovalAnswer, type AskOptions, type Quaero, type RunSummary, UsageError } from '../../../index.ts'
import { describeStored } from '../../output/describe-event.ts'
import { exitCodeOfRun, exitCodes } from '../../output/exit-codes.ts'
import { hiddenDeltas } from '../../output/hidden-deltas.ts'
import { plainLine } from '../../output/plain-text.ts'
import { formatTable, formatTime } from '../../output/table.ts'
import { type Approval, type Input, type Output, print, printJson, printJsonLine, tell } from '../../output/terminal.ts'
import {
  limitsOf,
  type PlaceFlags,
  type RunFlags,
  resumeCommand,
  runToEnd,
  showAnswer,
  tellHowToGoOn,
  tellPlace,
} from '../../run-to-end.ts'
import { describeDelivery, describeScore } from './runs-score.ts'

export interface RunsListFlags {
  readonly thread?: string | undefined
  readonly unfinished?: boolean | undefined
  readonly json?: boolean | undefined
}

export interface RunsShowFlags extends PlaceFlags {
  readonly runId: string
  readonly json?: boolean | undefined
}

export interface RunsEventsFlags extends PlaceFlags {
  readonly runId: string
  readonly follow?: boolean | undefined
  /** A position in the log. */
  readonly after?: number | undefined
  readonly json?: boolean | undefined
  readonly jsonl?: boolean | undefined
}

export interface RunsCancelFlags {
  readonly runId: string
}

export interface RunsResumeFlags extends RunFlags {
  readonly runId: string
  /** Ids of approvals; or one word of `all`, `none`, `ask`, for these and all later ones. */
  readonly approve?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
  readonly reason?: string | undefined
}

/** `quaero runs list`: every question that was asked, oldest first. */
export async function runRunsList(quaero: Quaero, _: Input, output: Output, flags: RunsListFlags): Promise<number> {
  const { thread, unfinished } = flags
  const runs = await quaero.runs.list({
    ...(thread !== undefined && { threadId: thread }),
    ...(unfinished && { unfinished }),
  })
  if (flags.json) printJson(output, { runs })
  else if (runs.length === 0) tell(output, unfinished ? 'Every run has ended.' : 'There are no runs yet.')
  else print(output, formatTable(['Run', 'Thread', 'Status', 'Started', 'Question'], runs.map(rowOf), output))
  return exitCodes.ok
}

/** `quaero runs show`: the result of a run that has ended or waits. */
export async function runRunsShow(quaero: Quaero, _: Input, output: Output, flags: RunsShowFlags): Promise<number> {
  const result = await quaero.runs.show(flags.runId)
  const scores = await quaero.runs.scores(flags.runId)
  if (flags.json) {
    printJson(output, { ...result, ...(scores.length > 0 && { scores }) })
    return exitCodes.ok
  }
  print(output, `Run ${result.runId}, turn ${result.turn} of thread ${result.threadId}: ${result.status}`)
  print(output, `${result.question}\n`)
  showAnswer(result, output)
  if (result.error) print(output, plainLine(result.error.message))
  for (const notice of await noticesOf(quaero, flags.runId)) print(output, plainLine(`Note: ${notice}`))
  if (scores.length > 0) print(output, '\nScores')
  for (const score of scores) print(output, plainLine(`  ${describeScore(score)}: ${describeDelivery(score)}`))
  await tellHowToGoOn(quaero, result, output, flags)
  return exitCodes.ok
}

/** What went wrong in a run and was worked around, each once. */
async function noticesOf(quaero: Quaero, runId: string): Promise<readonly string[]> {
  const notices = new Set<string>()
  for await (const event of quaero.runs.events(runId)) {
    if (event.type === 'notice') notices.add(event.payload.message)
  }
  return [...notices]
}

/** `quaero runs events`: the log of a run. */
export async function runRunsEvents(
  quaero: Quaero,
  input: Input,
  output: Output,
  flags: RunsEventsFlags,
): Promise<number> {
  if (flags.follow) return followRun(quaero, input, output, flags)
  const events = []
  const threadId = await threadOf(quaero, flags.runId)
  for await (const event of quaero.runs.events(flags.runId, flags.after)) {
    const line = { ...event, runId: event.correlationId, threadId }
    if (flags.jsonl) printJsonLine(output, line)
    else events.push(line)
  }
  if (flags.json) printJson(output, { events })
  else if (!flags.jsonl) {
    print(
      output,
      formatTable(
        ['#', 'Time', 'Event', 'Agent', ''],
        events.map((event) => describeStored(event, output.hide)),
        output,
      ),
    )
  }
  return exitCodes.ok
}

async function threadOf(quaero: Quaero, runId: string): Promise<string | null> {
  for await (const event of quaero.runs.events(runId)) {
    if (event.type === 'run.created') return event.payload.threadId
  }
  return null
}

/** Prints events as they come; exits as the run does, or with 130 where its process is gone. */
async function followRun(quaero: Quaero, input: Input, output: Output, flags: RunsEventsFlags): Promise<number> {
  const { runId, after } = flags
  const { signal } = input
  if (flags.json) throw new UsageError('--json prints one object when all is over. Use --jsonl with --follow.')
  input.onStop(() => 'Following it no more; the run itself goes on.')
  const lines = quaero.follow(runId, { signal, ...(after !== undefined && { after }) })
  for await (const line of hiddenDeltas(lines)) {
    if (flags.jsonl) printJsonLine(output, line)
    else if ('position' in line) print(output, plainLine(describeStored(line, output.hide).join('  ')))
  }
  if (signal.aborted) return exitCodes.interrupted
  const result = await quaero.runs.show(runId)
  if (result.status === 'interrupted')
    tell(output, `It was interrupted. Resume it with: ${resumeCommand(runId, flags)}`)
  return exitCodeOfRun(result)
}

/** `quaero runs cancel`: ends a run for good. */
export async function runRunsCancel(
  quaero: Quaero,
  _: Input,
  output: Output,
  { runId }: RunsCancelFlags,
): Promise<number> {
  await quaero.cancel(runId)
  tell(output, `Cancelled ${runId}.`)
  return exitCodes.ok
}

/** `quaero runs resume`: goes on with a run that was interrupted or waits for an approval. Ends as `ask` does. */
export async function runRunsResume(
  quaero: Quaero,
  input: Input,
  output: Output,
  flags: RunsResumeFlags,
): Promise<number> {
  const approve = wordOf(flags.approve)
  const answers = await answersOf(quaero, input, flags)
  const stream = quaero.resumeStream(flags.runId, answers, {
    signal: input.signal,
    limits: limitsOf(flags),
    ...(approve && { approve }),
  })
  const result = await runToEnd(quaero, { stream, runId: flags.runId, approve }, input, output, flags)
  tellPlace(result, output, flags)
  return exitCodeOfRun(result)
}

type Answers = Readonly<Record<string, ApprovalAnswer>>

/** What the flags say about the approvals that are pending; a person at the terminal is asked about the rest. */
async function answersOf(quaero: Quaero, input: Input, flags: RunsResumeFlags): Promise<Answers> {
  const { pendingApprovals } = await quaero.status(flags.runId)
  const answers = new Map(namedAnswers(flags))
  for (const { id, name, args } of pendingApprovals) {
    const answer = answers.get(id) ?? (await decide({ id, tool: name, args }, input, flags))
    if (answer) answers.set(id, answer)
  }
  return Object.fromEntries(answers)
}

async function decide(approval: Approval, input: Input, flags: RunsResumeFlags): Promise<ApprovalAnswer | null> {
  const word = wordOf(flags.approve)
  if (word === 'all' || word === 'none') return { approved: word === 'all' }
  if (flags.json || flags.jsonl || !input.askApproval) return null
  return input.askApproval(approval)
}

function namedAnswers({ approve = [], deny = [], reason }: RunsResumeFlags): [string, ApprovalAnswer][] {
  const both = approve.find((id) => deny.includes(id))
  if (both) throw new UsageError(`${both} cannot be both approved and denied`)
  return [
    ...approve.filter((id) => !isWord(id)).map((id): [string, ApprovalAnswer] => [id, { approved: true }]),
    ...deny.map((id): [string, ApprovalAnswer] => [id, { approved: false, ...(reason && { reason }) }]),
  ]
}

type Word = NonNullable<AskOptions['approve']>

function wordOf(approve: readonly string[] = []): Word | undefined {
  return approve.find(isWord)
}

function isWord(value: string): value is Word {
  return value === 'all' || value === 'none' || value === 'ask'
}

function rowOf({ runId, threadId, status, startedAt, question }: RunSummary): readonly string[] {
  return [runId, threadId, status, formatTime(startedAt), question]
}
