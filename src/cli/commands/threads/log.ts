import { writeFile } from 'node:fs/promises'
import { Argument, Option } from 'commander'
import { PathNotFound, UsageError } from '../../../errors.ts'
import type { Quaero, SessionLogFormat } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { expandHome } from '../../command/options.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { pluralOf } from '../../output/table.ts'
import { type Input, type Output, tell } from '../../output/terminal.ts'
import { type PlaceFlags, resumeCommand } from '../../shared/run-to-end.ts'

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
