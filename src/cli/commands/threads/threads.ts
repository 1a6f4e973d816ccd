import type { Quaero, ThreadMessage, ThreadRecord } from '../../../index.ts'
import { redactAll } from '../../../redact.ts'
import { footnotes } from '../../output/answer/render-answer.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { formatTable, formatTime } from '../../output/table.ts'
import { type Input, type Output, print, printJson, tell } from '../../output/terminal.ts'
import { type ExportFormat, exportThread } from './export-thread.ts'

export interface ThreadsListFlags {
  readonly json?: boolean | undefined
}

export interface ThreadFlags {
  readonly threadId: string
}

export interface ThreadsShowFlags extends ThreadFlags {
  readonly json?: boolean | undefined
}

export interface ThreadsForkFlags extends ThreadFlags {
  readonly at?: number | undefined
  readonly as?: string | undefined
  readonly json?: boolean | undefined
}

export interface ThreadsExportFlags extends ThreadFlags {
  readonly format: ExportFormat
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

/** `quaero threads reset`: the next question starts afresh under the same id; the log stays. */
export async function runThreadsReset(
  quaero: Quaero,
  _: Input,
  output: Output,
  { threadId }: ThreadFlags,
): Promise<number> {
  await quaero.threads.reset(threadId)
  tell(output, `${threadId} starts afresh with the next question.`)
  return exitCodes.ok
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

/** `quaero threads export`: a thread for other programs. */
export async function runThreadsExport(
  quaero: Quaero,
  _: Input,
  output: Output,
  { threadId, format }: ThreadsExportFlags,
): Promise<number> {
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

function rowOf({ threadId, turns, createdAt, updatedAt, title }: ThreadRecord): readonly (string | number)[] {
  return [threadId, turns, formatTime(createdAt), formatTime(updatedAt), title]
}

function describeMessage({ role, content, createdAt, citations = [] }: ThreadMessage): string {
  const who = role === 'user' ? 'You' : 'Quaero'
  const said = `${who}, ${formatTime(createdAt)}:\n${content}`
  return citations.length > 0 ? `${said}\n\n${footnotes(citations).join('\n')}` : said
}
