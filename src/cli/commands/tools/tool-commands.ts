import { type Command, Option } from 'commander'
import type { Declare } from '../../declare.ts'
import { examples, jsonOption, withExamples } from '../../options.ts'

export function addTools(program: Command, declare: Declare): void {
  const tools = program
    .command('tools')
    .summary('list tools, and run one without a model')
    .description('List the tools that agents can use, and run one by hand, without a model.')
    .helpCommand(false)
  tools.addHelpText('after', examples(['tools list', `tools run pdf_retrieval --args '{"query":"leases"}'`]))
  const list = tools
    .command('list', { isDefault: true })
    .description('List the tools, and which of them ask a person first.')
    .addOption(jsonOption())
  declare('tools list', withExamples(list, ['tools list', 'tools list --json']))

  const run = tools
    .command('run')
    .summary('run one tool')
    .description(
      'Run one tool, with the same checks as in a run: its arguments, its time, the trust level. Nothing is logged. ' +
        'Exits with 2 for an unknown tool or arguments that do not fit, 4 where an approval is needed, 1 where the tool failed.',
    )
    .argument('<name>', 'see quaero tools list')
    .option('--args <json>', 'the arguments, as a JSON object (default: {})')
    .option('-d, --documents <path...>', 'files or folders to add to the library; the tool searches no others')
    .addOption(new Option('--approve <mode>', 'where an approval is needed').choices(['all', 'none', 'ask']))
    .addOption(jsonOption())
  const uses = [
    `tools run pdf_retrieval --args '{"query":"leases"}'`,
    `tools run document_overview --args '{}' -d ./papers --json`,
  ]
  declare('tools run', withExamples(run, uses))
}
