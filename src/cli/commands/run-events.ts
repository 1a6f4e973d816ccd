import { Argument, Option } from 'commander'
import { UsageError } from '../../errors.ts'
import type { ApprovalAnswer, AskOptions, Quaero } from '../../index.ts'
import { type CommandModule, withEngine } from '../command/command.ts'
import {
  collect,
  jsonLinesOption,
  jsonOption,
  limitOptions,
  modelOption,
  runOutputOptions,
  wholeNumber,
} from '../command/options.ts'
import { describeStored } from '../output/describe-event.ts'
import { exitCodeOfRun, exitCodes } from '../output/exit-codes.ts'
import { hiddenDeltas } from '../output/hidden-deltas.ts'
import { plainLine } from '../output/plain-text.ts'
import { formatTable } from '../output/table.ts'
import { type Approval, type Input, type Output, print, printJson, printJsonLine, tell } from '../output/terminal.ts'
import { limitsOf, type PlaceFlags, type RunFlags, resumeCommand, runToEnd, tellPlace } from '../shared/run-to-end.ts'

export interface RunsEventsFlags extends PlaceFlags {
  readonly runId: string
  readonly follow?: boolean | undefined
  /** A position in the log. */
  readonly after?: number | undefined
  readonly json?: boolean | undefined
  readonly jsonl?: boolean | undefined
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

export const runsEvents: CommandModule<RunsEventsFlags> = {
  name: 'runs events',
  description: 'Print the log of a run; with --follow also the events to come, until the run ends or waits.',
  arguments: [new Argument('<runId>')],
  options: [
    new Option('--follow', 'print events as they come, whichever process works on the run'),
    new Option('--after <position>', 'only events after this position').argParser(wholeNumber),
    jsonOption(),
    jsonLinesOption(),
  ],
  examples: ['runs events <runId>', 'runs events <runId> --jsonl', 'runs events <runId> --follow --after 12 --jsonl'],
  run: withEngine(runRunsEvents),
}

export interface RunsResumeFlags extends RunFlags {
  readonly runId: string
  /** Ids of approvals; or one word of `all`, `none`, `ask`, for these and all later ones. */
  readonly approve?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
  readonly reason?: string | undefined
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

export const runsResume: CommandModule<RunsResumeFlags> = {
  name: 'runs resume',
  summary: 'resume a run that was interrupted or waits',
  description: 'Resume a run that was interrupted or waits for an approval. Nothing that was done is paid again.',
  arguments: [new Argument('<runId>')],
  options: [
    new Option(
      '--approve <approvalId>',
      'allow this tool call; may be given several times; "all" allows and "none" refuses these and all later ones, "ask" asks a person',
    ).argParser(collect),
    new Option('--deny <approvalId>', 'refuse this tool call; may be given several times').argParser(collect),
    new Option('--reason <text>', 'why it is refused; the model is told'),
    modelOption(),
    ...limitOptions(),
    ...runOutputOptions(),
  ],
  examples: [
    'runs resume <runId>',
    'runs resume <runId> --approve <approvalId>',
    'runs resume <runId> --deny <approvalId> --reason "not now"',
  ],
  run: withEngine(runRunsResume),
}
