import { Argument, Option } from 'commander'
import { UsageError } from '../../errors.ts'
import { given } from '../command/command.ts'
import { formatTable } from '../output/table.ts'
import { print, tell } from '../output/terminal.ts'
import { engineCommand } from '../shared/engine-command.ts'

export const toolsList = engineCommand({
  name: 'tools list',
  isDefault: true,
  description: 'list the tools, and which of them need an approval',
  examples: ['tools list', 'tools list --json'],
  act: async ({ tools }) => tools.list(),
  json: (tools) => ({ tools }),
  show(tools, { output }) {
    const rows = tools.map(({ name, needsApproval, description }) => [name, needsApproval ? 'yes' : 'no', description])
    print(output, formatTable(['NAME', 'ASKS FIRST', 'DESCRIPTION'], rows, output))
  },
})

interface RunFlags {
  readonly name: string
  /** JSON. */
  readonly args?: string | undefined
  readonly documents?: readonly string[] | undefined
  readonly approve?: 'all' | 'none' | 'ask' | undefined
}

export const toolsRun = engineCommand({
  name: 'tools run',
  description:
    'run one tool, without a model\n' +
    'check arguments, time limit and trust level as in a run, but log nothing\n' +
    'exit with 2 if the call is wrong, 4 if it needs an approval, 1 if it failed',
  arguments: [new Argument('<name>', 'see quaero tools list')],
  options: [
    new Option('--args <json>', 'the arguments, as a JSON object (default: {})'),
    new Option('-d, --documents <path...>', 'files or folders to add to the library; the tool searches only them'),
    new Option('--approve <mode>', 'the answer if an approval is needed').choices(['all', 'none', 'ask']),
  ],
  examples: [
    `tools run pdf_retrieval --args '{"query":"leases"}'`,
    `tools run document_overview --args '{}' -d ./papers --json`,
  ],
  async act({ tools }, { name, args, documents, approve }: RunFlags, { input: { signal }, output }) {
    const options = { signal, ...given({ documents, approve }) }
    const { content, observations = [], final = null, notices = [] } = await tools.run(name, parsed(args), options)
    for (const { message } of notices) tell(output, message)
    return { tool: name, content, observations, final }
  },
  json: (result) => result,
  show: ({ content }, { output }) => print(output, content),
})

function parsed(args = '{}'): unknown {
  try {
    return JSON.parse(args)
  } catch (error) {
    const problem = error instanceof Error ? error.message : error
    throw new UsageError(
      `--args is not JSON (${problem}). Put it in single quotes, for instance: --args '{"query":"leases"}'`,
    )
  }
}
