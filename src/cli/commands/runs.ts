import { Argument, Option } from 'commander'
import { ThreadNotFound, UsageError } from '../../errors.ts'
import type { AnswerWithout, KeptScore, Quaero, Replay } from '../../index.ts'
import { given } from '../command/command.ts'
import { modelOption, runArgument, wholeNumber } from '../command/options.ts'
import { plainLine, plainLines } from '../output/plain-text.ts'
import { formatTable, formatTime, pluralOf } from '../output/table.ts'
import { type Output, print, tell } from '../output/terminal.ts'
import { engineCommand } from '../shared/engine-command.ts'
import { readNamedText } from '../shared/files.ts'
import { shortIdsOf, threadIdFrom } from '../shared/ids.ts'
import { showAnswer, tellNextStep } from '../shared/run-to-end.ts'

interface RunFlags {
  readonly runId: string
}

interface ListFlags {
  readonly thread?: string | undefined
  readonly unfinished?: boolean | undefined
}

export const runsList = engineCommand({
  name: 'runs list',
  readsOnly: true,
  isDefault: true,
  description: 'list the runs, the newest first',
  options: [
    new Option('--thread <threadId>', 'only those of one thread'),
    new Option('--unfinished', 'only those that have not ended and can be resumed'),
  ],
  examples: ['runs list', 'runs list --thread my-thread --json'],
  async act(quaero, { thread, unfinished }: ListFlags) {
    const threadId = thread === undefined ? undefined : await threadIdFrom(quaero, thread)
    const runs = (await quaero.runs.list(given({ threadId, unfinished }))).toReversed()
    if (runs.length === 0 && threadId !== undefined && !(await quaero.threads.exists(threadId))) {
      throw new ThreadNotFound(`There is no thread "${threadId}". "quaero threads list" shows those that exist.`)
    }
    return runs
  },
  json: (runs) => ({ runs }),
  async show(runs, { quaero, output }, { unfinished }) {
    if (runs.length === 0) return tell(output, unfinished ? 'Every run has ended.' : 'There are no runs yet.')
    const ids = await shortIdsOf(quaero)
    const rows = runs.map(({ runId, threadId, status, startedAt, question }) => {
      return [ids.run(runId), ids.thread(threadId), status, formatTime(startedAt), question]
    })
    print(output, formatTable(['Run', 'Thread', 'Status', 'Started', 'Question'], rows, output))
  },
})

export const runsShow = engineCommand({
  name: 'runs show',
  readsOnly: true,
  description: 'print the result of a run',
  arguments: [runArgument()],
  examples: ['runs show <runId>'],
  act: async ({ runs }, { runId }: RunFlags) => ({ result: await runs.show(runId), scores: await runs.scores(runId) }),
  json: ({ result, scores }) => ({ ...result, ...(scores.length > 0 && { scores }) }),
  async show({ result, scores }, { quaero, output }, flags) {
    const ids = await shortIdsOf(quaero)
    const thread = ids.thread(result.threadId)
    print(output, `Run ${ids.run(flags.runId)}, turn ${result.turn} of thread ${thread}: ${result.status}`)
    print(output, `${result.question}\n`)
    await showAnswer(result, output)
    if (result.error) print(output, plainLine(result.error.message))
    for (const notice of await noticesOf(quaero, flags.runId)) print(output, plainLine(`Note: ${notice}`))
    if (scores.length > 0) print(output, '\nScores')
    for (const score of scores) print(output, plainLine(`  ${describeScore(score)}: ${deliveries[score.delivery]}`))
    await tellNextStep(quaero, result, output, flags)
  },
})

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

export const runsCancel = engineCommand({
  name: 'runs cancel',
  description: 'end a run for good, so that it cannot be resumed',
  arguments: [runArgument()],
  examples: ['runs cancel <runId>'],
  act: (quaero, { runId }: RunFlags) => quaero.cancel(runId),
  async show(_, { quaero, output }, { runId }) {
    tell(output, `Cancelled ${(await shortIdsOf(quaero)).run(runId)}.`)
  },
})

interface ScoreFlags extends RunFlags {
  readonly name: string
  readonly value: string
  readonly comment?: string | undefined
  readonly user?: string | undefined
}

export const runsScore = engineCommand({
  name: 'runs score',
  description: 'score a run\n' + 'replace a score of the same name, and send it to Langfuse if that is set up',
  arguments: [
    runArgument(),
    new Argument('<name>', 'what is judged, for instance "helpful"'),
    new Argument('<value>', 'a number, true or false, or a category'),
  ],
  options: [new Option('--comment <text>', 'the reason'), new Option('--user <id>', 'who gives the score')],
  examples: ['runs score <runId> helpful true', 'runs score <runId> accuracy 0.8 --comment "one figure is old"'],
  act: ({ runs }, { runId, name, value, comment, user: userId }: ScoreFlags) =>
    runs.score(runId, { name, value: valueIn(value), ...given({ comment, userId }) }),
  json: (score) => score,
  show: (score, { output }) => tell(output, plainLine(`${describeScore(score)}: ${deliveries[score.delivery]}`)),
})

type NoteFlags = Pick<ScoreFlags, 'runId' | 'user'> & { readonly text: string }

export const runsNote = engineCommand({
  name: 'runs note',
  description: 'write a note that stays with an answer\n' + 'replace the one before; an empty one ("") removes it',
  arguments: [runArgument(), new Argument('<text>', 'at most 4,000 characters')],
  options: [new Option('--user <id>', 'who writes the note')],
  examples: ['runs note <runId> "Checked against the printed report"', 'runs note <runId> ""'],
  act: ({ runs }, { runId, text, user: userId }: NoteFlags) => runs.note(runId, text, given({ userId })),
  json: (note) => ({ note }),
  show: (note, { output }) => tell(output, note ? 'The note stays with the answer.' : 'The answer has no note.'),
})

/** `true` and `false` are booleans, digits are a number, everything else is a category. */
function valueIn(text: string): number | boolean | string {
  if (text === 'true' || text === 'false') return text === 'true'
  const isNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text)
  if (isNumber && Number.isFinite(Number(text))) return Number(text)
  if (!isNumber && !/^(?:nan|[+-]?inf(?:inity)?)$/i.test(text)) return text
  throw new UsageError(`"${text}" is no number that a score can be: give a finite one, true or false, or a category.`)
}

interface ReplayFlags extends RunFlags {
  readonly to?: number | undefined
  readonly without?: string | undefined
}

type Replayed = { readonly replay: Replay } | { readonly without: AnswerWithout }

export const runsReplay = engineCommand<ReplayFlags, Replayed>({
  name: 'runs replay',
  readsOnly: true,
  description:
    'show a run again from its log\n' +
    'use no model, no tool and no network; with --without, ask again what the document may have changed',
  arguments: [runArgument()],
  options: [
    new Option('--to <position>', 'the last event to replay; see quaero runs events').argParser(wholeNumber),
    new Option('--without <document>', 'what the answer would be without this document: its id or file name').conflicts(
      'to',
    ),
    modelOption(),
  ],
  examples: ['runs replay <runId>', 'runs replay <runId> --to 12 --json', 'runs replay <runId> --without report.pdf'],
  async act(quaero, { runId, to, without }, { input: { signal } }) {
    return without === undefined
      ? { replay: await quaero.runs.replay(runId, to) }
      : { without: await quaero.replayWithout(runId, without, { signal }) }
  },
  json: (done, { to }) => {
    if ('without' in done) return done.without
    return to === undefined ? done.replay.result : done.replay
  },
  async show(done, { quaero, output }, flags) {
    if ('without' in done) return print(output, describeWithout(done.without))
    const { replay } = done
    if (flags.to !== undefined) return showMoment(replay, output)
    await showAnswer(replay.result, output)
    await tellNextStep(quaero, replay.result, output, flags)
  },
})

const headings = {
  falls: 'Fall with the document',
  'may stand': 'May stand, since other documents are quoted too',
  stands: 'Stand without it',
} as const

function describeWithout({ sentences, again }: AnswerWithout): string {
  const parts = (['falls', 'may stand', 'stands'] as const).flatMap((what) => {
    const own = sentences.filter(({ without }) => without === what)
    const lines = own.map(
      ({ claim, documentIds }) => `  ${plainLine(claim.text)}${documentIds.length === 1 ? ' (one source)' : ''}`,
    )
    return own.length === 0
      ? []
      : [[`${headings[what]} (${own.length} of ${pluralOf(sentences.length, 'sentence')}):`, ...lines].join('\n')]
  })
  const now = again
    ? `Without it the answer is:\n  ${plainLines(again.answer)}`
    : 'Nothing was asked again: no search had found it, or nothing else could be searched.'
  return [...parts, now].join('\n\n')
}

function showMoment({ position, last, status, messages }: Replay, output: Output): void {
  const open = status.activity.map(({ kind }) => kind).join(' > ')
  print(output, `After event ${position} of ${last}: ${status.state}${open ? `, in ${open}` : ''}`)
  const { modelCalls, toolCalls, inputTokens, outputTokens } = status
  print(output, `${modelCalls} model calls, ${toolCalls} tool calls, ${inputTokens + outputTokens} tokens`)
  for (const { role, content } of messages) print(output, `\n${role === 'user' ? 'You' : 'Quaero'}: ${content}`)
  for (const { id, name } of status.pendingApprovals) print(output, plainLine(`Waits for approval of ${name} (${id})`))
}

export const runsExport = engineCommand({
  name: 'runs export',
  readsOnly: true,
  description: 'print the log of a run, one event per line',
  arguments: [runArgument()],
  examples: ['runs export <runId> > run.jsonl'],
  act: ({ runs }, { runId }: RunFlags) => runs.export(runId),
  show(log, { output }) {
    output.stdoutAsIs.write(log)
  },
})

export const runsImport = engineCommand({
  name: 'runs import',
  description:
    'store a run that was exported, so that its thread can be continued\n' +
    'look its quotes up in this library, and mark those that are not there',
  arguments: [new Argument('<file>', 'a file that "runs export" printed, or - for standard input')],
  examples: ['runs import run.jsonl'],
  act: async ({ runs }, { file }: { readonly file: string }, { input }) =>
    runs.import(await readNamedText(file, input, 'Name a file that "quaero runs export" printed.')),
  json: ({ runId, threadId }) => ({ runId, threadId }),
  async show({ runId, threadId }, { quaero, output }) {
    const ids = await shortIdsOf(quaero)
    tell(output, `Imported run ${ids.run(runId)} of thread ${ids.thread(threadId)}.`)
  },
})
