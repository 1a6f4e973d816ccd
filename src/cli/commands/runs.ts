import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { Argument, Option } from 'commander'
import { PathNotFound, ThreadNotFound, UsageError } from '../../errors.ts'
import type { KeptScore, Quaero, Replay } from '../../index.ts'
import { type CommandModule, given } from '../command/command.ts'
import { jsonOption, runArgument, wholeNumber } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { formatTable, formatTime } from '../output/table.ts'
import { type Output, print, printJson, tell } from '../output/terminal.ts'
import { runIdFrom, shortIdsOf, threadIdFrom } from '../shared/ids.ts'
import { showAnswer, tellNextStep } from '../shared/run-to-end.ts'

interface RunFlags {
  readonly runId: string
}

interface ListFlags {
  readonly thread?: string | undefined
  readonly unfinished?: boolean | undefined
}

export const runsList: CommandModule<ListFlags> = {
  name: 'runs list',
  readsOnly: true,
  isDefault: true,
  description: 'list the runs, the newest first',
  options: [
    new Option('--thread <threadId>', 'only those of one thread'),
    new Option('--unfinished', 'only those that have not ended and can be resumed'),
    jsonOption(),
  ],
  examples: ['runs list', 'runs list --thread my-thread --json'],
  async run({ open, output }, { thread, unfinished, json }) {
    const quaero = await open()
    const threadId = thread === undefined ? undefined : await threadIdFrom(quaero, thread)
    const runs = (await quaero.runs.list(given({ threadId, unfinished }))).toReversed()
    if (runs.length === 0 && threadId !== undefined && !(await quaero.threads.exists(threadId))) {
      throw new ThreadNotFound(`There is no thread "${threadId}". "quaero threads list" shows those that exist.`)
    }
    const ids = await shortIdsOf(quaero)
    const rows = runs.map(({ runId, threadId, status, startedAt, question }) => {
      return [ids.run(runId), ids.thread(threadId), status, formatTime(startedAt), question]
    })
    if (json) printJson(output, { runs })
    else if (runs.length === 0) tell(output, unfinished ? 'Every run has ended.' : 'There are no runs yet.')
    else print(output, formatTable(['Run', 'Thread', 'Status', 'Started', 'Question'], rows, output))
    return exitCodes.ok
  },
}

export const runsShow: CommandModule<RunFlags> = {
  name: 'runs show',
  readsOnly: true,
  description: 'print the result of a run',
  arguments: [runArgument()],
  options: [jsonOption()],
  examples: ['runs show <runId>'],
  async run({ open, output }, flags) {
    const quaero = await open()
    const runId = await runIdFrom(quaero, flags.runId)
    const result = await quaero.runs.show(runId)
    const scores = await quaero.runs.scores(runId)
    if (flags.json) {
      printJson(output, { ...result, ...(scores.length > 0 && { scores }) })
      return exitCodes.ok
    }
    const ids = await shortIdsOf(quaero)
    const thread = ids.thread(result.threadId)
    print(output, `Run ${ids.run(runId)}, turn ${result.turn} of thread ${thread}: ${result.status}`)
    print(output, `${result.question}\n`)
    await showAnswer(result, output)
    if (result.error) print(output, plainLine(result.error.message))
    for (const notice of await noticesOf(quaero, runId)) print(output, plainLine(`Note: ${notice}`))
    if (scores.length > 0) print(output, '\nScores')
    for (const score of scores) print(output, plainLine(`  ${describeScore(score)}: ${deliveries[score.delivery]}`))
    await tellNextStep(quaero, result, output, flags)
    return exitCodes.ok
  },
}

/** The notices of a run, each once. */
async function noticesOf(quaero: Quaero, runId: string): Promise<ReadonlySet<string>> {
  const notices = new Set<string>()
  for await (const event of quaero.runs.events(runId)) {
    if (event.type === 'notice') notices.add(event.payload.message)
  }
  return notices
}

function describeScore({ name, value, comment, userId }: KeptScore): string {
  return `${name} = ${value}${userId === null ? '' : ` by ${userId}`}${comment === null ? '' : ` (${comment})`}`
}

const deliveries: Readonly<Record<KeptScore['delivery'], string>> = {
  delivered: 'stored here and sent to Langfuse.',
  waiting: 'stored here. It is sent to Langfuse once Langfuse is set up and can be reached.',
  refused: 'stored here. Langfuse refused it; it is not sent again.',
  local: 'stored here only: the run is a copy and has no trace.',
}

export const runsCancel: CommandModule<RunFlags> = {
  name: 'runs cancel',
  description: 'end a run for good, so that it cannot be resumed',
  arguments: [runArgument()],
  examples: ['runs cancel <runId>'],
  async run({ open, output }, flags) {
    const quaero = await open()
    const runId = await runIdFrom(quaero, flags.runId)
    await quaero.cancel(runId)
    tell(output, `Cancelled ${(await shortIdsOf(quaero)).run(runId)}.`)
    return exitCodes.ok
  },
}

interface ScoreFlags extends RunFlags {
  readonly name: string
  readonly value: string
  readonly comment?: string | undefined
  readonly user?: string | undefined
}

export const runsScore: CommandModule<ScoreFlags> = {
  name: 'runs score',
  description: 'score a run\n' + 'replace a score of the same name, and send it to Langfuse if that is set up',
  arguments: [
    runArgument(),
    new Argument('<name>', 'what is judged, for instance "helpful"'),
    new Argument('<value>', 'a number, true or false, or a category'),
  ],
  options: [
    new Option('--comment <text>', 'the reason'),
    new Option('--user <id>', 'who gives the score'),
    jsonOption(),
  ],
  examples: ['runs score <runId> helpful true', 'runs score <runId> accuracy 0.8 --comment "one figure is old"'],
  async run({ open, output }, { runId: named, name, value, comment, user: userId, json }) {
    const quaero = await open()
    const runId = await runIdFrom(quaero, named)
    const score = await quaero.runs.score(runId, { name, value: valueIn(value), ...given({ comment, userId }) })
    if (json) printJson(output, score)
    else tell(output, plainLine(`${describeScore(score)}: ${deliveries[score.delivery]}`))
    return exitCodes.ok
  },
}

/** `true` and `false` are booleans, digits are a number, everything else is a category. */
function valueIn(text: string): number | boolean | string {
  if (text === 'true' || text === 'false') return text === 'true'
  const isNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text)
  if (isNumber && Number.isFinite(Number(text))) return Number(text)
  if (!isNumber && !/^(?:nan|[+-]?inf(?:inity)?)$/i.test(text)) return text
  throw new UsageError(`"${text}" is no number that a score can be: give a finite one, true or false, or a category.`)
}

export const runsReplay: CommandModule<RunFlags & { readonly to?: number | undefined }> = {
  name: 'runs replay',
  readsOnly: true,
  description: 'show a run again from its log\n' + 'use no model, no tool and no network',
  arguments: [runArgument()],
  options: [
    new Option('--to <position>', 'the last event to replay; see quaero runs events').argParser(wholeNumber),
    jsonOption(),
  ],
  examples: ['runs replay <runId>', 'runs replay <runId> --to 12 --json'],
  async run({ open, output }, flags) {
    const quaero = await open()
    const replay = await quaero.runs.replay(await runIdFrom(quaero, flags.runId), flags.to)
    if (flags.json) printJson(output, flags.to === undefined ? replay.result : replay)
    else if (flags.to !== undefined) showMoment(replay, output)
    else {
      await showAnswer(replay.result, output)
      await tellNextStep(quaero, replay.result, output, flags)
    }
    return exitCodes.ok
  },
}

function showMoment({ position, last, status, messages }: Replay, output: Output): void {
  const open = status.activity.map(({ kind }) => kind).join(' > ')
  print(output, `After event ${position} of ${last}: ${status.state}${open ? `, in ${open}` : ''}`)
  const { modelCalls, toolCalls, inputTokens, outputTokens } = status
  print(output, `${modelCalls} model calls, ${toolCalls} tool calls, ${inputTokens + outputTokens} tokens`)
  for (const { role, content } of messages) print(output, `\n${role === 'user' ? 'You' : 'Quaero'}: ${content}`)
  for (const { id, name } of status.pendingApprovals) print(output, plainLine(`Waits for approval of ${name} (${id})`))
}

export const runsExport: CommandModule<RunFlags> = {
  name: 'runs export',
  readsOnly: true,
  description: 'print the log of a run, one event per line',
  arguments: [runArgument()],
  examples: ['runs export <runId> > run.jsonl'],
  async run({ open, output }, { runId }) {
    const quaero = await open()
    output.stdoutAsIs.write(await quaero.runs.export(await runIdFrom(quaero, runId)))
    return exitCodes.ok
  },
}

export const runsImport: CommandModule<{ readonly file: string }> = {
  name: 'runs import',
  description:
    'store a run that was exported, so that its thread can be continued\n' +
    'look its quotes up in this library, and mark those that are not there',
  arguments: [new Argument('<file>', 'a file that "runs export" printed, or - for standard input')],
  options: [jsonOption()],
  examples: ['runs import run.jsonl'],
  async run({ open, output }, { file, json }) {
    const quaero = await open()
    const { runId, threadId } = await quaero.runs.import(await contentOf(file))
    if (json) printJson(output, { runId, threadId })
    else {
      const ids = await shortIdsOf(quaero)
      tell(output, `Imported run ${ids.run(runId)} of thread ${ids.thread(threadId)}.`)
    }
    return exitCodes.ok
  },
}

async function contentOf(file: string): Promise<string> {
  if (file === '-') return text(process.stdin)
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new PathNotFound(`${file} cannot be read. Name a file that "quaero runs export" printed`, { cause })
  }
}
