import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { Argument } from 'commander'
import { PathNotFound } from '../../../errors.ts'
import type { Quaero } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { jsonOption } from '../../command/options.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { type Input, type Output, printJson, tell } from '../../output/terminal.ts'

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
