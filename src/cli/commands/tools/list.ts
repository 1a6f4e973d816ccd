import type { Quaero } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { jsonOption } from '../../command/options.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { formatTable } from '../../output/table.ts'
import { type Input, type Output, print, printJson } from '../../output/terminal.ts'

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
