import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { PathNotFound, type Quaero, type Replay } from '../../../index.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { plainLine } from '../../output/plain-text.ts'
import { type Input, type Output, print, printJson, tell } from '../../output/terminal.ts'
import { type PlaceFlags, showAnswer, tellHowToGoOn } from '../../run-to-end.ts'

export interface ReplayFlags extends PlaceFlags {
  readonly runId: string
  readonly to?: number | undefined
  readonly json?: boolean | undefined
}

export interface RunsExportFlags {
  readonly runId: string
}

export interface RunsImportFlags {
  /** `-` is standard input. */
  readonly file: string
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

/** `quaero runs export`: the log, one event a line. */
export async function runRunsExport(quaero: Quaero, _: Input, output: Output, flags: RunsExportFlags): Promise<number> {
  output.stdoutAsIs.write(await quaero.runs.export(flags.runId))
  return exitCodes.ok
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
