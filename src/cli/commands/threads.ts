import { writeFile } from 'node:fs/promises'
import { Argument, Option } from 'commander'
import { PathNotFound, UsageError } from '../../errors.ts'
import type { Quaero, SessionLogFormat, ThreadMessage, ThreadRecord } from '../../index.ts'
import { redactAll } from '../../redact.ts'
import { type CommandModule, withEngine } from '../command/command.ts'
import { expandHome, jsonOption, wholeNumber } from '../command/options.ts'
import { footnotes } from '../output/answer/render-answer.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { formatTable, formatTime, pluralOf } from '../output/table.ts'
import { type Input, type Output, print, printJson, tell } from '../output/terminal.ts'
import type { ExportFormat } from '../shared/export-thread.ts'
import { type PlaceFlags, resumeCommand } from '../shared/run-to-end.ts'

export interface ThreadsListFlags {
  readonly json?: boolean | undefined
}

/** `quaero threads list`: conversations, the latest first. */
export async function runThreadsList(
  quaero: Quaero,
  _: Input,
  output: Output,
  flags: ThreadsListFlags,
): Promise<number> {
  const threads = await quaero.threads.list()
  if (flags.json) printJson(output, { threads })
  else if (threads.length === 0) tell(output, 'There are no threads yet.')
  else {
    const heading = ['Thread', 'Turns', 'Created', 'Updated', 'Title']
    print(output, formatTable(heading, threads.map(rowOf), output))
  }
  return exitCodes.ok
}

function rowOf({ threadId, turns, createdAt, updatedAt, title }: ThreadRecord): readonly (string | number)[] {
  return [threadId, turns, formatTime(createdAt), formatTime(updatedAt), title]
}

export const threadsList: CommandModule<ThreadsListFlags> = {
  name: 'threads list',
  isDefault: true,
  description: 'List the threads, the latest first.',
  options: [jsonOption()],
  examples: ['threads list', 'threads list --json'],
  run: withEngine(runThreadsList),
}

export interface ThreadFlags {
  readonly threadId: string
}

export interface ThreadsShowFlags extends ThreadFlags {
  readonly json?: boolean | undefined
}

/** `quaero threads show`: the whole transcript. */
export async function runThreadsShow(
  quaero: Quaero,
  _: Input,
  output: Output,
  { threadId, json }: ThreadsShowFlags,
): Promise<number> {
  const messages = await quaero.threads.messages(threadId)
  if (json) printJson(output, { threadId, messages })
  else print(output, messages.map(describeMessage).join('\n\n'))
  return exitCodes.ok
}

function describeMessage({ role, content, createdAt, citations = [] }: ThreadMessage): string {
  const who = role === 'user' ? 'You' : 'Quaero'
  const said = `${who}, ${formatTime(createdAt)}:\n${content}`
  return citations.length > 0 ? `${said}\n\n${footnotes(citations).join('\n')}` : said
}

export const threadsShow: CommandModule<ThreadsShowFlags> = {
  name: 'threads show',
  description: 'Print the whole transcript.',
  arguments: [new Argument('<threadId>')],
  options: [jsonOption()],
  examples: ['threads show my-thread'],
  run: withEngine(runThreadsShow),
}

/** `quaero threads delete`: removes a thread with its runs and its log. */
export async function runThreadsDelete(
  quaero: Quaero,
  _: Input,
  output: Output,
  { threadId }: ThreadFlags,
): Promise<number> {
  await quaero.threads.delete(threadId)
  tell(output, `Deleted ${threadId}.`)
  return exitCodes.ok
}

export const threadsDelete: CommandModule<ThreadFlags> = {
  name: 'threads delete',
  description: 'Delete a thread, its runs and its log.',
  arguments: [new Argument('<threadId>')],
  examples: ['threads delete my-thread'],
  run: withEngine(runThreadsDelete),
}

/** `quaero threads reset`: the next question starts a new conversation under the same id; the log stays. */
export async function runThreadsReset(
  quaero: Quaero,
  _: Input,
  output: Output,
  { threadId }: ThreadFlags,
): Promise<number> {
  await quaero.threads.reset(threadId)
  tell(output, `${threadId} starts a new conversation with the next question.`)
  return exitCodes.ok
}

export const threadsReset: CommandModule<ThreadFlags> = {
  name: 'threads reset',
  description: 'Start a new conversation under the same id. The log of the old one stays.',
  arguments: [new Argument('<threadId>')],
  examples: ['threads reset my-thread'],
  run: withEngine(runThreadsReset),
}

export interface ThreadsForkFlags extends ThreadFlags {
  readonly at?: number | undefined
  readonly as?: string | undefined
  readonly json?: boolean | undefined
}

/** `quaero threads fork`: a new thread that goes on from one of the turns. */
export async function runThreadsFork(
  quaero: Quaero,
  _: Input,
  output: Output,
  { threadId: from, at, as, json }: ThreadsForkFlags,
): Promise<number> {
  const threadId = await quaero.threads.fork(from, { ...(at !== undefined && { at }), ...(as !== undefined && { as }) })
  const turns = (await quaero.runs.list({ threadId })).length
  if (json) printJson(output, { threadId, from, turns })
  else {
    print(output, threadId)
    tell(
      output,
      `It has ${turns} ${turns === 1 ? 'turn' : 'turns'} of ${from}; go on with: quaero ask -t ${threadId} …`,
    )
  }
  return exitCodes.ok
}

export const threadsFork: CommandModule<ThreadsForkFlags> = {
  name: 'threads fork',
  summary: 'continue from an earlier turn in a new thread',
  description: 'Copy a thread up to one of its turns into a new one, and print its id. The thread stays as it is.',
  arguments: [new Argument('<threadId>')],
  options: [
    new Option('--at <turn>', 'the last turn to copy (default: the latest)').argParser(wholeNumber),
    new Option('--as <id>', 'the id of the new thread (default: a new one is made)'),
    jsonOption(),
  ],
  examples: ['threads fork my-thread --at 2', 'threads fork my-thread --as draft'],
  run: withEngine(runThreadsFork),
}

export interface ThreadsExportFlags extends ThreadFlags {
  readonly format: ExportFormat
}

/** `quaero threads export`: a thread for other programs. */
export async function runThreadsExport(
  quaero: Quaero,
  _: Input,
  output: Output,
  { threadId, format }: ThreadsExportFlags,
): Promise<number> {
  const { exportThread } = await import('../shared/export-thread.ts')
  const messages = await quaero.threads.messages(threadId)
  const summaries = await quaero.runs.list({ threadId })
  const runs = await Promise.all(
    summaries.map(async (run) => {
      const scores = await quaero.runs.scores(run.runId)
      return scores.length > 0 ? { ...run, scores } : run
    }),
  )
  // The library holds documents as they are; what is printed of them does not.
  const documents = redactAll(await quaero.library.list(), output.hide)
  output.stdoutAsIs.write(`${exportThread({ threadId, messages, runs, documents }, format).trimEnd()}\n`)
  return exitCodes.ok
}

export const threadsExport: CommandModule<ThreadsExportFlags> = {
  name: 'threads export',
  description: 'Print a thread for other programs.',
  arguments: [new Argument('<threadId>')],
  options: [new Option('--format <format>', 'what to print').choices(['md', 'json', 'yaml', 'bibtex']).default('md')],
  examples: ['threads export my-thread > conversation.md', 'threads export my-thread --format bibtex > cited.bib'],
  run: withEngine(runThreadsExport),
}

export interface ThreadsLogFlags extends PlaceFlags {
  readonly threadId?: string | undefined
  readonly format: SessionLogFormat
  /** A file to write to, in place of stdout. */
  readonly output?: string | undefined
  /** Write the files of all threads anew. */
  readonly rebuild?: boolean | undefined
}

/** `quaero threads log`: the session log of a thread, or with `--rebuild` the files of all, from the event log. */
export async function runThreadsLog(quaero: Quaero, _: Input, output: Output, flags: ThreadsLogFlags): Promise<number> {
  const { threadId, format, output: path, rebuild } = flags
  if (rebuild && threadId !== undefined) throw new UsageError('--rebuild writes the files of all threads; name none')
  if (rebuild) return rebuildAll(quaero, output)
  if (threadId === undefined) throw new UsageError('Name a thread, or write the files of all with --rebuild')
  const pieces = quaero.threads.log(threadId, format)
  if (path === undefined) for await (const piece of pieces) output.stdoutAsIs.write(piece)
  else await save(path, pieces)
  await tellUnfinished(quaero, threadId, output, flags)
  return exitCodes.ok
}

/** A session log holds what has ended or waits; the turns that it lacks, and where work was broken off, are named. */
async function tellUnfinished(quaero: Quaero, threadId: string, output: Output, flags: PlaceFlags): Promise<void> {
  const runs = await quaero.runs.list({ threadId })
  runs.forEach(({ runId, status }, i) => {
    const turn = `Turn ${i + 1}`
    if (status === 'interrupted') tell(output, `${turn} was broken off. Resume it with: ${resumeCommand(runId, flags)}`)
    if (status === 'queued' || status === 'running') tell(output, `${turn} is still at work.`)
  })
}

async function rebuildAll(quaero: Quaero, output: Output): Promise<number> {
  const { folder, threads, busy } = await quaero.threads.rebuildLogs()
  tell(output, `Wrote the session logs of ${pluralOf(threads, 'thread')} to ${folder}.`)
  for (const each of busy) tell(output, `${each} is at work; its session log follows when the run ends.`)
  return exitCodes.ok
}

async function save(path: string, pieces: AsyncIterable<string>): Promise<void> {
  try {
    await writeFile(path, pieces)
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause
    throw new PathNotFound(`${path} cannot be written: ${cause.message}`, { cause })
  }
}

export const threadsLog: CommandModule<ThreadsLogFlags> = {
  name: 'threads log',
  summary: 'print what was done for each turn',
  description: 'Print the session log of a thread: what was asked, called, spent and said, turn by turn.',
  arguments: [new Argument('[threadId]')],
  options: [
    new Option('--format <format>', 'to read, or for programs').choices(['text', 'yaml']).default('text'),
    new Option('-o, --output <file>', 'write it to a file').argParser(expandHome),
    new Option('--rebuild', 'write the files of all threads again, in sessions/ in the data directory'),
  ],
  examples: ['threads log my-thread', 'threads log my-thread --format yaml -o session.yaml', 'threads log --rebuild'],
  run: withEngine(runThreadsLog),
}
