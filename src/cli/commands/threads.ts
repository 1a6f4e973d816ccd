import { Argument, Option } from 'commander'
import { UsageError } from '../../errors.ts'
import type { FallenClaim, Quaero, SessionLogFormat, ThreadMessage } from '../../index.ts'
import { redactAll } from '../../redact.ts'
import { type CommandModule, given } from '../command/command.ts'
import { expandHome, threadArgument, wholeNumber } from '../command/options.ts'
import { type RenderOptions, renderMessage } from '../output/answer/render-answer.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { plainText } from '../output/plain-text.ts'
import { formatTable, formatTime, pluralOf } from '../output/table.ts'
import { type Output, print, tell } from '../output/terminal.ts'
import { engineCommand } from '../shared/engine-command.ts'
import type { ExportFormat } from '../shared/export-thread.ts'
import { writeNamed } from '../shared/files.ts'
import { shortIdsOf, threadIdFrom } from '../shared/ids.ts'
import { type PlaceFlags, resumeCommand } from '../shared/run-to-end.ts'
import { listFallen } from './claims.ts'

interface ThreadFlags {
  readonly threadId: string
}

export const threadsList = engineCommand({
  name: 'threads list',
  readsOnly: true,
  isDefault: true,
  description: 'list the threads, latest activity first',
  examples: ['threads list', 'threads list --json'],
  act: ({ threads }) => threads.list(),
  json: (threads) => ({ threads }),
  async show(threads, { quaero, output }) {
    if (threads.length === 0) return tell(output, 'There are no threads yet.')
    const ids = await shortIdsOf(quaero)
    const rows = threads.map(({ threadId, turns, createdAt, updatedAt, title }) => {
      return [ids.thread(threadId), turns, formatTime(createdAt), formatTime(updatedAt), title]
    })
    print(output, formatTable(['Thread', 'Turns', 'Created', 'Updated', 'Title'], rows, output))
  },
})

export const threadsShow = engineCommand({
  name: 'threads show',
  readsOnly: true,
  description: 'print the whole transcript\n' + 'say which sentences no longer stand in the documents of now',
  arguments: [threadArgument()],
  examples: ['threads show my-thread'],
  async act({ threads, claims }, { threadId }: ThreadFlags) {
    const { asFallen } = await import('../../claims/index.ts')
    return { messages: await threads.messages(threadId), fallen: asFallen(await claims.check({ threadId })) }
  },
  json: ({ messages, fallen }, { threadId }) => ({ threadId, messages, ...(fallen.length > 0 && { fallen }) }),
  async show({ messages, fallen }, { output }) {
    const options = { color: output.colors, width: output.width, link: await output.links?.() }
    const described = messages.map((message) => {
      // The quotes of an imported answer were never in this library; the answer says so itself.
      const own = message.role === 'user' || message.imported ? [] : fallen.filter(isOf(message))
      return [describeMessage(message, options), ...listFallen(own)].join('\n')
    })
    output.stdout.write(`${described.join('\n\n')}\n`)
  },
})

function isOf({ runId }: ThreadMessage): (fallen: FallenClaim) => boolean {
  return ({ claim }) => claim.runId === runId
}

function describeMessage(message: ThreadMessage, options: RenderOptions): string {
  const { role, content, createdAt } = message
  if (role === 'user') return plainText(`You, ${formatTime(createdAt)}:\n${content}`)
  return `Quaero, ${formatTime(createdAt)}:\n${renderMessage(message, options)}`
}

export const threadsDelete = engineCommand({
  name: 'threads delete',
  description: 'delete a thread, its runs and its log',
  arguments: [threadArgument()],
  examples: ['threads delete my-thread'],
  act: ({ threads }, { threadId }: ThreadFlags) => threads.delete(threadId),
  show: (_, { output }, { threadId }) => tell(output, `Deleted ${threadId}.`),
})

export const threadsReset = engineCommand({
  name: 'threads reset',
  description: 'start a new conversation under the same id, and keep the log',
  arguments: [threadArgument()],
  examples: ['threads reset my-thread'],
  act: ({ threads }, { threadId }: ThreadFlags) => threads.reset(threadId),
  async show(_, { quaero, output }, { threadId }) {
    tell(output, `${(await shortIdsOf(quaero)).thread(threadId)} starts a new conversation with the next question.`)
  },
})

interface RenameFlags extends ThreadFlags {
  readonly title: string
}

export const threadsRename = engineCommand({
  name: 'threads rename',
  description: 'give a thread a title\n' + 'an empty one ("") makes it the first question again',
  arguments: [threadArgument(), new Argument('<title>', 'at most 200 characters')],
  examples: ['threads rename my-thread "Page counts"', 'threads rename my-thread ""'],
  async act({ threads }, { threadId, title: typed }: RenameFlags) {
    await threads.rename(threadId, typed.trim() === '' ? null : typed)
    const { title } = await threads.show(threadId)
    return { threadId, title }
  },
  json: (renamed) => renamed,
  async show({ threadId, title }, { quaero, output }) {
    tell(output, plainText(`${(await shortIdsOf(quaero)).thread(threadId)} is now called: ${title}`))
  },
})

interface ForkFlags extends ThreadFlags {
  readonly at?: number | undefined
  readonly as?: string | undefined
}

export const threadsFork = engineCommand({
  name: 'threads fork',
  description:
    'continue from an earlier turn in a new thread\n' +
    'copy the turns up to that one, with their times, and print the new id',
  arguments: [threadArgument()],
  options: [
    new Option('--at <turn>', 'the last turn to copy (default: the latest)').argParser(wholeNumber),
    new Option('--as <id>', 'the id of the new thread (default: a generated one)'),
  ],
  examples: ['threads fork my-thread --at 2', 'threads fork my-thread --as draft'],
  async act(quaero, { threadId: from, at, as }: ForkFlags) {
    const threadId = await quaero.threads.fork(from, given({ at, as }))
    return { threadId, from, turns: (await quaero.runs.list({ threadId })).length }
  },
  json: (fork) => fork,
  async show({ threadId, from, turns }, { quaero, output }) {
    print(output, threadId)
    const { thread } = await shortIdsOf(quaero)
    const copied = `It has ${pluralOf(turns, 'turn')} of ${thread(from)}`
    tell(output, `${copied}; continue with: quaero ask -t ${thread(threadId)} …`)
  },
})

export const threadsExport = engineCommand({
  name: 'threads export',
  readsOnly: true,
  description: 'print a thread for other programs',
  arguments: [threadArgument()],
  options: [
    new Option('--format <format>', 'what to print').choices(['md', 'json', 'yaml', 'bibtex']).default('md'),
    new Option('--json', 'the same as --format json'),
  ],
  examples: ['threads export my-thread > conversation.md', 'threads export my-thread --format bibtex > cited.bib'],
  async act(quaero, { threadId }: ThreadFlags & { readonly format: ExportFormat }) {
    const messages = await quaero.threads.messages(threadId)
    const runs = await Promise.all(
      (await quaero.runs.list({ threadId })).map(async (run) => {
        const scores = await quaero.runs.scores(run.runId)
        return scores.length > 0 ? { ...run, scores } : run
      }),
    )
    return { threadId, messages, runs, documents: await quaero.library.list() }
  },
  async show(thread, { output }, { format, json }) {
    const { exportThread } = await import('../shared/export-thread.ts')
    // Documents are stored as they are, so credentials in them are hidden here.
    const documents = redactAll(thread.documents, output.hide)
    output.stdoutAsIs.write(`${exportThread({ ...thread, documents }, json ? 'json' : format).trimEnd()}\n`)
  },
})

interface LogFlags {
  readonly threadId?: string | undefined
  readonly format: SessionLogFormat
  /** A file to write to, in place of stdout. */
  readonly output?: string | undefined
  readonly rebuild?: boolean | undefined
}

export const threadsLog: CommandModule<LogFlags> = {
  name: 'threads log',
  description: 'print what happened in each turn\n' + 'show questions, calls, costs and answers',
  arguments: [new Argument('[threadId]', 'its id or the beginning of it; see quaero threads list')],
  options: [
    new Option('--format <format>', 'for people, or for programs').choices(['text', 'yaml']).default('text'),
    new Option('-o, --output <file>', 'write it to a file').argParser(expandHome),
    new Option('--rebuild', 'write the files of all threads again, in sessions/ in the data directory'),
  ],
  examples: ['threads log my-thread', 'threads log my-thread --format yaml -o session.yaml', 'threads log --rebuild'],
  async run({ open, output }, flags) {
    const quaero = await open()
    const { format, output: path, rebuild } = flags
    if (rebuild && flags.threadId !== undefined)
      throw new UsageError('--rebuild writes the files of all threads; name none')
    if (rebuild) return rebuildAll(quaero, output)
    if (flags.threadId === undefined) throw new UsageError('Name a thread, or write the files of all with --rebuild')
    const threadId = await threadIdFrom(quaero, flags.threadId)
    const pieces = quaero.threads.log(threadId, format)
    if (path === undefined) for await (const piece of pieces) output.stdoutAsIs.write(piece)
    else await writeNamed(path, pieces)
    await tellUnfinished(quaero, threadId, output, flags)
    return exitCodes.ok
  },
}

/** Names the turns that are not in the session log, or not complete in it. */
async function tellUnfinished(quaero: Quaero, threadId: string, output: Output, flags: PlaceFlags): Promise<void> {
  const runs = await quaero.runs.list({ threadId })
  const ids = await shortIdsOf(quaero)
  runs.forEach(({ runId, status }, i) => {
    const turn = `Turn ${i + 1}`
    if (status === 'interrupted') {
      tell(output, `${turn} was interrupted. Resume it with: ${resumeCommand(ids.run(runId), flags)}`)
    }
    if (status === 'queued' || status === 'running') tell(output, `${turn} is still running.`)
  })
}

async function rebuildAll(quaero: Quaero, output: Output): Promise<number> {
  const { folder, threads, busy } = await quaero.threads.rebuildLogs()
  tell(output, `Wrote the session logs of ${pluralOf(threads, 'thread')} to ${folder}.`)
  const { thread } = await shortIdsOf(quaero)
  for (const each of busy) tell(output, `${thread(each)} is busy; its session log is written when the run ends.`)
  return exitCodes.ok
}
