import { type Command, Option } from 'commander'
import type { Declare } from '../../declare.ts'
import { examples, jsonOption, quietOption, withExamples } from '../../options.ts'

export function addPrompts(program: Command, declare: Declare): void {
  const prompts = program
    .command('prompts')
    .summary('list prompts, and manage them in Langfuse')
    .description('List the prompts of agents and specialists, compare them with Langfuse, and put them there.')
    .helpCommand(false)
  prompts.addHelpText('after', examples(['prompts list', 'prompts diff --label production', 'prompts push']))
  const list = prompts
    .command('list', { isDefault: true })
    .description(
      'List the prompts, and where a run takes each from: its file, or Langfuse. Exits with 78 where a label is given and ' +
        'the keys are missing or refused, with 1 where Langfuse does not answer; files are listed all the same.',
    )
    .addOption(labelOption())
    .addOption(quietOption())
    .addOption(jsonOption())
  declare('prompts list', withExamples(list, ['prompts list', 'prompts list --label staging --json']))

  const diff = prompts
    .command('diff')
    .summary('compare files with Langfuse')
    .description(
      'Show what a push would take out of the prompts in Langfuse (-) and put in (+). Exits with 0 where every prompt is ' +
        'the same, 1 where one differs or is missing, 78 where the keys are missing or refused.',
    )
    .argument('[id...]', 'only these; see quaero prompts list')
    .addOption(labelOption())
    .addOption(quietOption())
    .addOption(jsonOption())
  declare('prompts diff', withExamples(diff, ['prompts diff', 'prompts diff synthesis --label production']))

  const push = prompts
    .command('push')
    .summary('put files into Langfuse')
    .description(
      'Put the files into Langfuse under a label: a new version where the text differs, the label alone where the newest ' +
        'version has the text already, nothing where all is in place.',
    )
    .argument('[id...]', 'only these; see quaero prompts list')
    .addOption(labelOption())
    .option('--dry-run', 'say what would be done, and do nothing')
    .addOption(quietOption())
    .addOption(jsonOption())
  const uses = ['prompts push --label production', 'prompts push synthesis --label staging', 'prompts push --dry-run']
  declare('prompts push', withExamples(push, uses))
}

function labelOption(): Option {
  return new Option('--label <label>', 'the label in Langfuse (default: langfuse.promptLabel of the settings)')
}
