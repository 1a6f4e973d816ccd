import { Command, Option } from 'commander'
import type { CommandModule, CommonFlags } from './command/command.ts'
import { expandHome, packageVersion } from './command/options.ts'
import { complete } from './commands/completion.ts'
import { commands } from './commands/index.ts'
import { plainLines } from './output/plain-text.ts'

/** Runs a command. The flags are its options, its arguments and the common flags, by name. */
export type Perform = (command: CommandModule, flags: CommonFlags) => Promise<void>

/** The command line: every command with its arguments, options and examples. `tell` receives errors of usage. */
export function buildProgram(perform: Perform, tell: (text: string) => void): Command {
  const program = new Command('quaero')
    .description('ask questions over your own documents; every claim carries a checked footnote')
    .version(packageVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .option(
      '--data-dir <dir>',
      'the folder of library, threads and logs (default: $QUAERO_HOME, else .quaero in the current folder)',
      expandHome,
    )
    .addOption(
      new Option('--config <file>', 'a file with settings that differ from the defaults')
        .env('QUAERO_CONFIG')
        .argParser(expandHome),
    )
    .addOption(new Option('--debug', 'show where an unexpected error came from').hideHelp())
    // A narrow column of texts is better than lines beyond the width of the terminal.
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 20 })
    .exitOverride()
  for (const entry of commands) {
    if (!('commands' in entry)) addCommand(program, entry, perform)
    else {
      const group = program.command(entry.name).description(entry.description).helpCommand(false)
      group.hook('preSubcommand', ({ args: [word = '-'] }) => void (word.startsWith('-') || commandOf(group, word)))
      group.addHelpText('after', examples(entry.commands.flatMap(({ examples }) => examples.slice(0, 1))))
      for (const each of entry.commands) addCommand(group, each, perform)
    }
  }
  const help = program.command('help').argument('[command...]').description('print help')
  help.action(() => help.args.reduce(commandOf, program).help())
  program.on('command:*', ([word]: readonly [string]) => commandOf(program, word))
  addCommand(program, complete(program), perform)
  withShortErrors(program, tell)
  return program.addHelpText('after', examples(['ask "What accuracy does the model reach?" -d ./papers', 'chat']))
}

function addCommand(parent: Command, module: CommandModule, perform: Perform): void {
  const name = module.name.split(' ').at(-1) ?? module.name
  const command = parent.command(name, { isDefault: module.isDefault ?? false, hidden: module.isHidden ?? false })
  command.description(module.description).summary(module.description.split('\n')[0] ?? '')
  for (const argument of module.arguments ?? []) command.addArgument(argument)
  for (const option of module.options ?? []) command.addOption(option)
  if (module.isQuotedText) requireQuotes(command)
  command.addHelpText('after', examples(module.examples))
  command.action(async () => {
    const named = command.registeredArguments.map((argument, index): [string, unknown] => [
      camelCase(argument.name()),
      command.processedArgs[index],
    ])
    // Commander's values are untyped; each module declares the types of its flags.
    await perform(module, { ...command.optsWithGlobals<CommonFlags>(), ...Object.fromEntries(named) })
  })
}

/** The command of this name, else an error that lists those there are. */
function commandOf(parent: Command, word: string): Command {
  const command = parent.commands.find((each) => each.name() === word)
  if (command) return command
  const names = parent
    .createHelp()
    .visibleCommands(parent)
    .map((each) => each.name())
  const options = { code: 'commander.unknownCommand', exitCode: 1 }
  return parent.error(`error: unknown command '${word}'; there are ${names.join(', ')}`, options)
}

/** Refuses several arguments where one text is expected, and shows the use with quotes. */
function requireQuotes(command: Command): void {
  command.allowExcessArguments().hook('preAction', () => {
    if (command.args.length <= 1) return
    const words = `quaero ${command.name()} "${command.args.join(' ')}"`
    command.error(`error: too many arguments. Put the words in quotes: ${words}`, {
      code: 'commander.excessArguments',
      exitCode: 1,
    })
  })
}

/** After an error of usage, `tell` receives the error and the command of the help, not its 40 lines. */
function withShortErrors(command: Command, tell: (text: string) => void, name = command.name()): void {
  const greedy = command.options.find(({ variadic }) => variadic)
  const hint = (error: string) =>
    greedy && error.includes('missing required') ? `; ${greedy.short} takes every word after it, so put it last` : ''
  command
    .configureOutput({
      writeErr: tell,
      outputError: (text, write) => write(`${plainLines(text.trimEnd())}${hint(text)}\n`),
    })
    .showHelpAfterError(`Try: ${name} --help`)
  for (const each of command.commands) withShortErrors(each, tell, `${name} ${each.name()}`)
}

function examples(uses: readonly string[]): string {
  return `\nExamples:\n${uses.map((use) => `  quaero ${use}`).join('\n')}`
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
