import { Command, Option } from 'commander'
import { addEval } from './commands/eval/eval-command.ts'
import { addRuns, addThreads } from './commands/log-commands.ts'
import { addPrompts } from './commands/prompts/prompt-commands.ts'
import { addTools } from './commands/tools/tool-commands.ts'
import type { CommandFlags, CommandName, CommonFlags } from './commands.ts'
import type { Declare } from './declare.ts'
import {
  collect,
  examples,
  expandHome,
  jsonOption,
  modelOption,
  quietOption,
  wholeNumber,
  withExamples,
  withLimits,
  withQuotedText,
  withRunOutput,
  withShortErrors,
} from './options.ts'
import { packageVersion } from './version.ts'

/** Does what a command says. The flags are those of the command, with its arguments and the common flags. */
export type Perform = <K extends CommandName>(command: K, flags: CommandFlags[K] & CommonFlags) => Promise<void>

/**
 * The command line: every command with its arguments, options and examples. It loads none of the commands' work. `tell`
 * gets what is wrong with a use of it.
 */
export function buildProgram(perform: Perform, tell: (text: string) => void): Command {
  const program = new Command('quaero')
    .description('Ask questions over your own documents; every claim of an answer carries a checked footnote.')
    .version(packageVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .option(
      '--data-dir <dir>',
      'where library, threads and logs are kept (default: $QUAERO_HOME, else .quaero in the current folder)',
      expandHome,
    )
    .option('--config <file>', 'a file with settings that differ from the defaults', expandHome)
    .addOption(new Option('--debug', 'show where an unexpected error came from').hideHelp())
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
  const declare = declareWith(perform)
  for (const add of [
    addAsk,
    addChat,
    addAdd,
    addSearch,
    addLibrary,
    addThreads,
    addRuns,
    addTools,
    addPrompts,
    addEval,
    addDoctor,
    addConfig,
  ]) {
    add(program, declare)
  }
  withShortErrors(program, tell)
  return program.addHelpText('after', examples(['ask "What accuracy does the model reach?" -d ./papers', 'chat']))
}

function declareWith(perform: Perform): Declare {
  return (name, command) =>
    command.action(async () => {
      const named = command.registeredArguments.map((argument, index) => [
        camelCase(argument.name()),
        command.processedArgs[index],
      ])
      // Commander hands over untyped values; each option below is declared with the type its flag has.
      const flags = { ...command.optsWithGlobals(), ...Object.fromEntries(named) } as CommandFlags[typeof name]
      await perform(name, flags as CommandFlags[typeof name] & CommonFlags)
    })
}

function addAsk(program: Command, declare: Declare): void {
  const ask = program
    .command('ask')
    .summary('answer a question from documents')
    .description('Answer a question from your documents, with footnotes that were checked against the pages they name.')
    .argument('[question]', 'the question, in quotes; "-" or nothing reads it from stdin')
  withQuotedText(ask)
  withConversation(ask)
  ask.option(
    '--idempotency-key <key>',
    'names this request: repeating it with the same key starts no second run, and goes on with one that was interrupted',
  )
  withLimits(ask)
  withRunOutput(ask)
  ask.addHelpText(
    'after',
    examples([
      'ask "What accuracy does the model reach?" -d ./papers',
      'ask -c "And on the second data set?"',
      'ask "Which drugs were tried?" -d trial.pdf --json',
      'ask --max-steps 5 --timeout 60 < question.txt',
    ]),
  )
  declare('ask', ask)
}

function addChat(program: Command, declare: Declare): void {
  const chat = program
    .command('chat')
    .summary('hold a conversation')
    .description('Hold a conversation on one thread, one line a turn. /help shows what else there is.')
  withConversation(chat)
  withLimits(chat)
  chat.addOption(quietOption())
  chat.addHelpText('after', examples(['chat -d ./papers', 'chat -t my-thread', 'chat < questions.txt']))
  declare('chat', chat)
}

function addAdd(program: Command, declare: Declare): void {
  const add = program
    .command('add')
    .summary('add files and folders to the library')
    .description(
      'Add files and folders to the library. Unchanged files are not read again; one bad file stops nothing.',
    )
    .argument('<paths...>', 'PDF, Markdown, HTML, text or DOCX files, or folders of them')
    .option('--allow-errors', 'exit with 0 although a file could not be read')
    .option('--password <password>', 'a password for encrypted files; may be given several times', collect)
    .option('--sync', 'take documents out of the library whose files are gone from the folders')
    .option('--retry', 'read files again that failed before and have not changed')
    .addOption(quietOption())
    .addOption(jsonOption())
  add.addHelpText(
    'after',
    examples(['add ./papers', 'add ./papers --sync', 'add report.pdf notes.md --json', 'add *.pdf --allow-errors']),
  )
  declare('add', add)
}

function addSearch(program: Command, declare: Declare): void {
  const search = program
    .command('search')
    .summary('find passages, without a model')
    .description('Find the passages in the library that match a query best, without asking a model.')
    .argument('<query>', 'words or a question')
    .option('-k <n>', 'how many passages', wholeNumber)
    .option(
      '--document <document>',
      'search only this one: its id, the beginning of it, or the file name; may be given several times',
      collect,
    )
    .option('--wider', 'also find passages that say it in other words')
    .option('--context <n>', 'print so many passages before and after each', wholeNumber)
    .addOption(jsonOption())
  search.addHelpText(
    'after',
    examples([
      'search "ablation study"',
      'search "drop-out rate" -k 3 --json',
      'search "who was excluded" --document trial.pdf --context 1',
    ]),
  )
  declare('search', withQuotedText(search))
}

function addLibrary(program: Command, declare: Declare): void {
  const library = program
    .command('library')
    .summary('list, show, correct and remove documents')
    .description('List, show, correct, read and remove the documents that answers come from.')
    .helpCommand(false)
  library.addHelpText(
    'after',
    examples(['library list', 'library text 3f2a9c01d4e5b678 --page 5', 'library remove 3f2a9c01d4e5b678']),
  )
  const list = library.command('list', { isDefault: true }).description('List the documents in the library.')
  declare('library list', withExamples(list.addOption(jsonOption()), ['library list', 'library list --json']))

  const text = library
    .command('text')
    .description('Print the stored text of one page, the one into which citations point.')
    .argument('<documentId>', 'its id, the beginning of it, or the file name; see quaero library list')
    .option('--page <n>', 'the page, counted from 1', wholeNumber, 1)
    .addOption(jsonOption())
  declare('library text', withExamples(text, ['library text 3f2a9c01d4e5b678 --page 5']))

  const show = library
    .command('show')
    .description('Show title, authors and year of a document, each with how it is known.')
    .argument('<documentId>', 'its id, the beginning of it, or the file name; see quaero library list')
    .addOption(jsonOption())
  declare('library show', withExamples(show, ['library show 3f2a9c01d4e5b678', 'library show 3f2a9c01d4e5b678 --json']))

  const set = library
    .command('set')
    .summary('correct title, authors or year')
    .description(
      'Set title, authors or year where you know better; it holds until an empty value takes it back. The same can ' +
        'stand in a file beside the document, for instance paper.pdf.yaml.',
    )
    .argument('<documentId>', 'its id, the beginning of it, or the file name; see quaero library list')
    .argument('<values...>', 'title=…, authors="A; B", year=…')
    .addOption(jsonOption())
  const corrections = ['title="On ponds" authors="Ada Berg; Wei Zhang" year=2021', 'year=']
  declare(
    'library set',
    withExamples(
      set,
      corrections.map((each) => `library set 3f2a9c01d4e5b678 ${each}`),
    ),
  )

  const remove = library
    .command('remove')
    .description('Take a document out of the library. The file itself stays where it is.')
    .argument('<documentId>', 'its id, the beginning of it, or the file name; see quaero library list')
  declare('library remove', withExamples(remove, ['library remove 3f2a9c01d4e5b678']))

  const embed = library
    .command('embed')
    .summary('give passages their vectors')
    .description(
      'Give the passages vectors that have none yet, for search by meaning (search.embeddings). It goes on where it was ' +
        'stopped; nothing is paid for twice.',
    )
    .option('--anew', 'make all vectors anew, and pay for them again: when the model behind a name has changed')
    .addOption(quietOption())
    .addOption(jsonOption())
  declare(
    'library embed',
    withExamples(embed, ['library embed', 'library embed --anew', 'library embed --config my.yaml --json']),
  )
}

function addDoctor(program: Command, declare: Declare): void {
  const doctor = program
    .command('doctor')
    .summary('check the installation')
    .description(
      'Check the database, the model endpoint (three small requests, which cost tokens), Langfuse, OpenTelemetry and web search; exits with 1 if something is wrong.',
    )
    .option('--offline', 'send nothing to any endpoint')
    .option('--verify', 'also check every run and thread against its log; takes longer')
    .addOption(jsonOption())
  declare('doctor', withExamples(doctor, ['doctor', 'doctor --offline --verify', 'doctor --data-dir ./library --json']))
}

function addConfig(program: Command, declare: Declare): void {
  const config = program
    .command('config')
    .summary('show the settings')
    .description('Show the settings.')
    .helpCommand(false)
  config.addHelpText('after', examples(['config show']))
  const show = config
    .command('show', { isDefault: true })
    .description('Print the settings in force. Keys are never printed, only whether they are set.')
    .addOption(jsonOption())
  declare('config show', withExamples(show, ['config show', 'config show --config my.yaml --json']))
}

function withConversation(command: Command): void {
  command
    .option(
      '-d, --documents <path...>',
      'files or folders to add to the library; this question, and later ones on its thread that name none, search no others',
    )
    .option('-t, --thread <id>', 'the thread to go on with, or the id of a new one')
    .option('-c, --continue', 'go on with the latest thread')
    .option('--user <id>', 'who asks, as traces name the person')
    .addOption(modelOption())
    .addOption(new Option('--approve <mode>', 'tools that need an approval').choices(['all', 'none', 'ask']))
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
