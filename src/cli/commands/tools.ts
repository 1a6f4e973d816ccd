import { Argument, Option } from 'commander'
import { UsageError } from '../../errors.ts'
import type { Quaero } from '../../index.ts'
import { type CommandModule, withEngine } from '../command/command.ts'
import { jsonOption } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { formatTable } from '../output/table.ts'
import { type Input, type Output, print, printJson, tell } from '../output/terminal.ts'

export interface ToolsListFlags {
  readonly json?: boolean | undefined
}

/** `quaero tools`: what agents can use. */
export async function runToolsList(quaero: Quaero, _: Input, output: Output, flags: ToolsListFlags): Promise<number> {
  const tools = quaero.tools.list()
  if (flags.json) {
    printJson(output, { tools })
    return exitCodes.ok
  }
  const rows = tools.map(({ name, needsApproval, description }) => [name, needsApproval ? 'yes' : 'no', description])
  print(output, formatTable(['NAME', 'ASKS FIRST', 'DESCRIPTION'], rows, output))
  return exitCodes.ok
}

export const toolsList: CommandModule<ToolsListFlags> = {
  name: 'tools list',
  isDefault: true,
  description: 'List the tools, and which of them need an approval.',
  options: [jsonOption()],
  examples: ['tools list', 'tools list --json'],
  run: withEngine(runToolsList),
}

export interface ToolsRunFlags {
  readonly name: string
  /** The arguments, as JSON. */
  readonly args?: string | undefined
  readonly documents?: readonly string[] | undefined
  readonly approve?: 'all' | 'none' | 'ask' | undefined
  readonly json?: boolean | undefined
}

/** `quaero tools run`: one tool, without a model. Its text goes to stdout. */
export async function runToolsRun(
  quaero: Quaero,
  { signal }: Input,
  output: Output,
  flags: ToolsRunFlags,
): Promise<number> {
  const { name, documents, approve, json } = flags
  const { content, observations, final, notices } = await quaero.tools.run(name, argumentsIn(flags.args), {
    signal,
    ...(documents && { documents }),
    ...(approve && { approve }),
  })
  for (const { message } of notices ?? []) tell(output, message)
  if (json) printJson(output, { tool: name, content, observations: observations ?? [], final: final ?? null })
  else print(output, content)
  return exitCodes.ok
}

function argumentsIn(json = '{}'): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    const problem = error instanceof Error ? error.message : error
    throw new UsageError(
      `--args is not JSON (${problem}). Put it in single quotes, for instance: --args '{"query":"leases"}'`,
    )
  }
}

export const toolsRun: CommandModule<ToolsRunFlags> = {
  name: 'tools run',
  summary: 'run one tool',
  description:
    'Run one tool, with the same checks as in a run: its arguments, its time, the trust level. Nothing is logged. ' +
    'Exits with 2 for an unknown tool or arguments that do not fit, 4 where an approval is needed, 1 where the tool failed.',
  arguments: [new Argument('<name>', 'see quaero tools list')],
  options: [
    new Option('--args <json>', 'the arguments, as a JSON object (default: {})'),
    new Option('-d, --documents <path...>', 'files or folders to add to the library; the tool searches no others'),
    new Option('--approve <mode>', 'where an approval is needed').choices(['all', 'none', 'ask']),
    jsonOption(),
  ],
  examples: [
    `tools run pdf_retrieval --args '{"query":"leases"}'`,
    `tools run document_overview --args '{}' -d ./papers --json`,
  ],
  run: withEngine(runToolsRun),
}
