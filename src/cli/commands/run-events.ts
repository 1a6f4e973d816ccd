import { Option } from 'commander'
import { UsageError } from '../../errors.ts'
import type { ApprovalAnswer, AskOptions, Config, Quaero } from '../../index.ts'
import { modelNameFor } from '../../models/resolve-model.ts'
import { type CommandModule, type CommonFlags, given, type Workplace } from '../command/command.ts'
import {
  collect,
  jsonLinesOption,
  jsonOption,
  limitOptions,
  modelOption,
  runArgument,
  runOutputOptions,
  wholeNumber,
} from '../command/options.ts'
import { exitCodeOfRun, exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { formatTable } from '../output/table.ts'
import { type Approval, type Input, print, printJson, printJsonLine, tell } from '../output/terminal.ts'
import { describeStored, hiddenDeltas } from '../output/watch-run.ts'
import { idFrom, runIdFrom, shortIdsOf } from '../shared/ids.ts'
import { limitsOf, type RunFlags, resumeCommand, runToEnd, tellIds } from '../shared/run-to-end.ts'

interface EventsFlags extends CommonFlags {
  readonly runId: string
  readonly follow?: boolean | undefined
  /** A position in the log. */
  readonly after?: number | undefined
  readonly jsonl?: boolean | undefined
}

export const runsEvents: CommandModule<EventsFlags> = {
  name: 'runs events',
  readsOnly: true,
  description: 'print the log of a run\n' + 'follow it with --follow until the run ends or waits',
  arguments: [runArgument()],
  options: [
    new Option('--follow', 'print events as they come, whichever process works on the run'),
    new Option('--after <position>', 'only events after this position').argParser(wholeNumber),
    jsonOption(),
    jsonLinesOption(),
  ],
  examples: ['runs events <runId>', 'runs events <runId> --jsonl', 'runs events <runId> --follow --after 12 --jsonl'],
  async run(workplace, flags) {
    const { open, output } = workplace
    const quaero = await open()
    const runId = await runIdFrom(quaero, flags.runId)
    if (flags.follow) return followRun(quaero, workplace, { ...flags, runId })
    const events = []
    const threadId = await threadOf(quaero, runId)
    for await (const event of quaero.runs.events(runId, flags.after)) {
      const line = { ...event, runId: event.correlationId, threadId }
      if (flags.jsonl) printJsonLine(output, line)
      else events.push(line)
    }
    const rows = events.map((event) => describeStored(event, output.hide))
    if (flags.json) printJson(output, { events })
    else if (!flags.jsonl) print(output, formatTable(['#', 'Time', 'Event', 'Agent', ''], rows, output))
    return exitCodes.ok
  },
}

async function threadOf(quaero: Quaero, runId: string): Promise<string | null> {
  for await (const event of quaero.runs.events(runId)) {
    if (event.type === 'run.created') return event.payload.threadId
  }
  return null
}

/** Prints events as they come. The exit code is that of the run, or 130 if its process died. */
async function followRun(quaero: Quaero, { input, output }: Workplace, flags: EventsFlags): Promise<number> {
  const { runId, after } = flags
  const { signal } = input
  if (flags.json) throw new UsageError('--json prints one object when the run has ended. Use --jsonl with --follow.')
  input.onStop(() => 'No longer following; the run continues.')
  for await (const line of hiddenDeltas(quaero.follow(runId, { signal, ...given({ after }) }))) {
    if (flags.jsonl) printJsonLine(output, line)
    else if ('position' in line) print(output, plainLine(describeStored(line, output.hide).join('  ')))
  }
  if (signal.aborted) return exitCodes.interrupted
  const result = await quaero.runs.show(runId)
  if (result.status === 'interrupted') {
    const { run } = await shortIdsOf(quaero)
    tell(output, `It was interrupted. Resume it with: ${resumeCommand(run(runId), flags)}`)
  }
  return exitCodeOfRun(result)
}

interface ResumeFlags extends RunFlags {
  readonly runId: string
  /** Ids of approvals; or one of `all`, `none`, `ask`, for these and all later ones. */
  readonly approve?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
  readonly reason?: string | undefined
}

export const runsResume: CommandModule<ResumeFlags> = {
  name: 'runs resume',
  description: 'resume a run that was interrupted or waits\n' + 'pay for no finished call again',
  arguments: [runArgument()],
  options: [
    new Option(
      '--approve <approvalId>',
      'allow this tool call; may be given several times; "all" allows and "none" refuses these and all later ones, "ask" asks you',
    ).argParser(collect),
    new Option('--deny <approvalId>', 'refuse this tool call; may be given several times').argParser(collect),
    new Option('--reason <text>', 'why it is refused; the model reads it'),
    modelOption(),
    ...limitOptions(),
    ...runOutputOptions(),
  ],
  examples: [
    'runs resume <runId>',
    'runs resume <runId> --approve <approvalId>',
    'runs resume <runId> --deny <approvalId> --reason "not now"',
  ],
  async run({ open, reopen, config, input, output }, flags) {
    const opened = await open()
    const runId = await runIdFrom(opened, flags.runId)
    const model = flags.model === undefined ? await otherModelOf(opened, runId, config()) : null
    const quaero = model === null ? opened : await reopen(model)
    const approve = flags.approve?.find(isWord)
    const answers = await answersOf(quaero, input, { ...flags, runId }, approve)
    const options = { signal: input.signal, limits: limitsOf(flags), ...given({ approve }) }
    const stream = quaero.resumeStream(runId, answers, options)
    const result = await runToEnd(quaero, { stream, runId, approve }, input, output, flags)
    await tellIds(quaero, result, output, flags)
    return exitCodeOfRun(result)
  },
}

/** The model that a run began with, where the settings name another now; null where they do not. */
async function otherModelOf({ runs }: Quaero, runId: string, config: Config): Promise<string | null> {
  const { model, status } = await runs.show(runId)
  // A model that a program handed in has no name by which a command could find it.
  const isNamed = model === 'extractive' || model.startsWith('openai:')
  const mayGoOn = status === 'interrupted' || status === 'requires_action'
  return isNamed && mayGoOn && model !== modelNameFor(config, 'synthesis').trim() ? model : null
}

type Word = NonNullable<AskOptions['approve']>

function isWord(value: string): value is Word {
  return value === 'all' || value === 'none' || value === 'ask'
}

/** The answers of the flags to pending approvals; a person at the terminal is asked about the rest. */
async function answersOf(
  quaero: Quaero,
  input: Input,
  flags: ResumeFlags,
  word: Word | undefined,
): Promise<Readonly<Record<string, ApprovalAnswer>>> {
  const { pendingApprovals } = await quaero.status(flags.runId)
  const pending = pendingApprovals.map(({ id }) => id)
  const answers = new Map(namedAnswers(flags).map(([id, answer]) => [idFrom('approval', id, pending), answer]))
  for (const { id, name, args } of pendingApprovals) {
    const answer = answers.get(id) ?? (await decide({ id, tool: name, args }, input, flags, word))
    if (answer) answers.set(id, answer)
  }
  return Object.fromEntries(answers)
}

async function decide(
  approval: Approval,
  input: Input,
  { json, jsonl }: ResumeFlags,
  word: Word | undefined,
): Promise<ApprovalAnswer | null> {
  if (word === 'all' || word === 'none') return { approved: word === 'all' }
  return json || jsonl || !input.askApproval ? null : input.askApproval(approval)
}

function namedAnswers({ approve = [], deny = [], reason }: ResumeFlags): [string, ApprovalAnswer][] {
  const both = approve.find((id) => deny.includes(id))
  if (both) throw new UsageError(`${both} cannot be both approved and denied`)
  return [
    ...approve.filter((id) => !isWord(id)).map((id): [string, ApprovalAnswer] => [id, { approved: true }]),
    ...deny.map((id): [string, ApprovalAnswer] => [id, { approved: false, ...(reason && { reason }) }]),
  ]
}
