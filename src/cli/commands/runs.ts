import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { Argument, Option } from 'commander'
import { PathNotFound, UsageError } from '../../errors.ts'
import type { KeptScore, Quaero, Replay, RunSummary } from '../../index.ts'
import { type CommandModule, withEngine } from '../command/command.ts'
import { jsonOption, wholeNumber } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { formatTable, formatTime } from '../output/table.ts'
import { type Input, type Output, print, printJson, tell } from '../output/terminal.ts'
import { type PlaceFlags, showAnswer, tellHowToGoOn } from '../shared/run-to-end.ts'

/** A score in one line. */
export function describeScore({ name, value, comment, userId }: KeptScore): string {
  return `${name} = ${value}${userId === null ? '' : ` by ${userId}`}${comment === null ? '' : ` (${comment})`}`
}

/** What became of it, in a few words. */
export function describeDelivery({ delivery }: KeptScore): string {
  return { delivered: 'sent', waiting: 'waits for Langfuse', refused: 'refused by Langfuse', local: 'kept here' }[
    delivery
  ]
}

interface RunFlags {
  readonly runId: string
}

export interface RunsListFlags {
  readonly thread?: string | undefined
  readonly unfinished?: boolean | undefined
  readonly json?: boolean | undefined
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

function rowOf({ runId, threadId, status, startedAt, question }: RunSummary): readonly string[] {
  return [runId, threadId, status, formatTime(startedAt), question]
}

export const runsList: CommandModule<RunsListFlags> = {
  name: 'runs list',
  isDefault: true,
  description: 'List the runs, oldest first.',
  options: [
    new Option('--thread <threadId>', 'only those of one thread'),
    new Option('--unfinished', 'only those that have not ended and can be resumed'),
    jsonOption(),
  ],
  examples: ['runs list', 'runs list --thread my-thread --json'],
  run: withEngine(runRunsList),
}

export interface RunsShowFlags extends PlaceFlags {
  readonly runId: string
  readonly json?: boolean | undefined
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

export const runsShow: CommandModule<RunsShowFlags> = {
  name: 'runs show',
  description: 'Print the result of a run.',
  arguments: [new Argument('<runId>')],
  options: [jsonOption()],
  examples: ['runs show <runId>'],
  run: withEngine(runRunsShow),
}

/** `quaero runs cancel`: ends a run for good. */
export async function runRunsCancel(quaero: Quaero, _: Input, output: Output, { runId }: RunFlags): Promise<number> {
  await quaero.cancel(runId)
  tell(output, `Cancelled ${runId}.`)
  return exitCodes.ok
}

export const runsCancel: CommandModule<RunFlags> = {
  name: 'runs cancel',
  description: 'End a run for good.',
  arguments: [new Argument('<runId>')],
  examples: ['runs cancel <runId>'],
  run: withEngine(runRunsCancel),
}

export interface RunsScoreFlags {
  readonly runId: string
  readonly name: string
  readonly value: string
  readonly comment?: string | undefined
  readonly user?: string | undefined
  readonly json?: boolean | undefined
}

/** `quaero runs score`: keeps what a person says of a run, and sends it to Langfuse. Kept is done: the exit code is 0. */
export async function runRunsScore(quaero: Quaero, _: Input, output: Output, flags: RunsScoreFlags): Promise<number> {
  const { runId, name, value, comment, user } = flags
  const score = await quaero.runs.score(runId, {
    name,
    value: valueIn(value),
    ...(comment !== undefined && { comment }),
    ...(user !== undefined && { userId: user }),
  })
  if (flags.json) printJson(output, score)
  else tell(output, plainLine(`${describeScore(score)}: ${whereabouts[score.delivery]}`))
  return exitCodes.ok
}

const whereabouts: { readonly [K in KeptScore['delivery']]: string } = {
  delivered: 'kept, and sent to Langfuse.',
  waiting: 'kept. It goes to Langfuse with the first score that gets there.',
  refused: 'kept. Langfuse refused it, and is not asked again.',
  local: 'kept here: the run is a copy, and has no trace.',
}

/** `true` and `false` are a yes and a no, digits a number, all else a category. */
function valueIn(text: string): number | boolean | string {
  if (text === 'true' || text === 'false') return text === 'true'
  const isNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text)
  if (isNumber && Number.isFinite(Number(text))) return Number(text)
  if (!isNumber && !/^(?:nan|[+-]?inf(?:inity)?)$/i.test(text)) return text
  throw new UsageError(`"${text}" is no number that a score can be: give a finite one, true or false, or a category.`)
}

export const runsScore: CommandModule<RunsScoreFlags> = {
  name: 'runs score',
  summary: 'score a run',
  description:
    'Keep a score of a run, in place of the one of the same name, and attach it to its trace in Langfuse. "runs show" lists them.',
  arguments: [
    new Argument('<runId>'),
    new Argument('<name>', 'what is judged, for instance "helpful"'),
    new Argument('<value>', 'a number, true or false, or a category'),
  ],
  options: [
    new Option('--comment <text>', 'the reason'),
    new Option('--user <id>', 'who gives the score'),
    jsonOption(),
  ],
  examples: ['runs score <runId> helpful true', 'runs score <runId> accuracy 0.8 --comment "one figure is old"'],
  run: withEngine(runRunsScore),
}

export interface ReplayFlags extends PlaceFlags {
  readonly runId: string
  readonly to?: number | undefined
  readonly json?: boolean | undefined
}

/** `quaero runs replay`: the run again, from its log. */
export async function runRunsReplay(quaero: Quaero, _: Input, output: Output, flags: ReplayFlags): Promise<number> {
  const replay = await quaero.runs.replay(flags.runId, flags.to)
  if (flags.json) printJson(output, flags.to === undefined ? replay.result : replay)
  else if (flags.to !== undefined) showMoment(replay, output)
  else {
    showAnswer(replay.result, output)
    await tellHowToGoOn(quaero, replay.result, output, flags)
  }
  return exitCodes.ok
}

function showMoment({ position, last, status, messages }: Replay, output: Output): void {
  const open = status.activity.map(({ kind }) => kind).join(' > ')
  print(output, `After event ${position} of ${last}: ${status.state}${open ? `, in ${open}` : ''}`)
  const { modelCalls, toolCalls, inputTokens, outputTokens } = status
  print(output, `${modelCalls} model calls, ${toolCalls} tool calls, ${inputTokens + outputTokens} tokens`)
  for (const { role, content } of messages) print(output, `\n${role === 'user' ? 'You' : 'Quaero'}: ${content}`)
  for (const { id, name } of status.pendingApprovals) print(output, plainLine(`Waits for approval of ${name} (${id})`))
}

export const runsReplay: CommandModule<ReplayFlags> = {
  name: 'runs replay',
  summary: 'show a run again from its log',
  description:
    'Show a run again from its log alone: no model, no tool, no network. With --to, as it was after that event.',
  arguments: [new Argument('<runId>')],
  options: [
    new Option('--to <position>', 'the last event to replay; see quaero runs events').argParser(wholeNumber),
    jsonOption(),
  ],
  examples: ['runs replay <runId>', 'runs replay <runId> --to 12 --json'],
  run: withEngine(runRunsReplay),
}

/** `quaero runs export`: the log, one event a line. */
export async function runRunsExport(quaero: Quaero, _: Input, output: Output, flags: RunFlags): Promise<number> {
  output.stdoutAsIs.write(await quaero.runs.export(flags.runId))
  return exitCodes.ok
}

export const runsExport: CommandModule<RunFlags> = {
  name: 'runs export',
  description: 'Print the log of a run, one event a line, to be imported elsewhere.',
  arguments: [new Argument('<runId>')],
  examples: ['runs export <runId> > run.jsonl'],
  run: withEngine(runRunsExport),
}

export interface RunsImportFlags {
  /** `-` is standard input. */
  readonly file: string
  readonly json?: boolean | undefined
}

/** `quaero runs import`: a log from elsewhere. */
export async function runRunsImport(quaero: Quaero, _: Input, output: Output, flags: RunsImportFlags): Promise<number> {
  const { runId, threadId } = await quaero.runs.import(await contentOf(flags.file))
  if (flags.json) printJson(output, { runId, threadId })
  else tell(output, `Imported run ${runId} of thread ${threadId}.`)
  return exitCodes.ok
}

async function contentOf(file: string): Promise<string> {
  if (file === '-') return text(process.stdin)
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new PathNotFound(`${file} cannot be read. Name a file that "quaero runs export" printed`, { cause })
  }
}

export const runsImport: CommandModule<RunsImportFlags> = {
  name: 'runs import',
  description: 'Store a run that was exported; its thread can then be continued here.',
  arguments: [new Argument('<file>', 'a file that "runs export" printed, or - for standard input')],
  options: [jsonOption()],
  examples: ['runs import run.jsonl'],
  run: withEngine(runRunsImport),
}
