import { type Command, Option } from 'commander'
import type { Declare } from '../declare.ts'
import {
  collect,
  examples,
  expandHome,
  jsonLinesOption,
  jsonOption,
  modelOption,
  wholeNumber,
  withExamples,
  withLimits,
  withRunOutput,
} from '../options.ts'

export function addThreads(program: Command, declare: Declare): void {
  const threads = program
    .command('threads')
    .summary('list, show, fork, export and delete conversations')
    .description('List, show, fork, export and delete conversations.')
    .helpCommand(false)
  threads.addHelpText('after', examples(['threads list', 'threads export my-thread --format md > conversation.md']))
  const list = threads.command('list', { isDefault: true }).description('List the threads, the latest first.')
  declare('threads list', withExamples(list.addOption(jsonOption()), ['threads list', 'threads list --json']))

  const show = threads.command('show').description('Print the whole transcript.').argument('<threadId>')
  declare('threads show', withExamples(show.addOption(jsonOption()), ['threads show my-thread']))

  const remove = threads.command('delete').description('Delete a thread, its runs and its log.').argument('<threadId>')
  declare('threads delete', withExamples(remove, ['threads delete my-thread']))

  const reset = threads
    .command('reset')
    .description('Start afresh under the same id; the log of what was said stays.')
    .argument('<threadId>')
  declare('threads reset', withExamples(reset, ['threads reset my-thread']))

  const fork = threads
    .command('fork')
    .summary('go on from an earlier turn in a new thread')
    .description('Copy a thread up to one of its turns into a new one, and print its id. The thread stays as it is.')
    .argument('<threadId>')
    .option('--at <turn>', 'the last turn to copy (default: the latest)', wholeNumber)
    .option('--as <id>', 'the id of the new thread (default: a new one is made)')
    .addOption(jsonOption())
  declare('threads fork', withExamples(fork, ['threads fork my-thread --at 2', 'threads fork my-thread --as draft']))

  const exported = threads
    .command('export')
    .description('Print a thread for other programs.')
    .argument('<threadId>')
    .addOption(new Option('--format <format>', 'what to print').choices(['md', 'json', 'yaml', 'bibtex']).default('md'))
  const uses = ['threads export my-thread > conversation.md', 'threads export my-thread --format bibtex > cited.bib']
  declare('threads export', withExamples(exported, uses))

  const log = threads
    .command('log')
    .summary('print what was done for each turn')
    .description('Print the session log of a thread: what was asked, called, spent and said, turn by turn.')
    .argument('[threadId]')
    .addOption(new Option('--format <format>', 'to read, or for programs').choices(['text', 'yaml']).default('text'))
    .option('-o, --output <file>', 'write it to a file', expandHome)
    .option('--rebuild', 'write the files of all threads anew, in sessions/ in the data directory')
  const logUses = [
    'threads log my-thread',
    'threads log my-thread --format yaml -o session.yaml',
    'threads log --rebuild',
  ]
  declare('threads log', withExamples(log, logUses))
}

export function addRuns(program: Command, declare: Declare): void {
  const runs = program
    .command('runs')
    .summary('list, show, resume, replay and cancel runs')
    .description('List, show, resume, replay and cancel runs: each question is one.')
    .helpCommand(false)
  runs.addHelpText('after', examples(['runs list', 'runs resume <runId>', 'runs events <runId> --jsonl']))
  const list = runs
    .command('list', { isDefault: true })
    .description('List the runs, oldest first.')
    .option('--thread <threadId>', 'only those of one thread')
    .option('--unfinished', 'only those that have not ended: they can be resumed')
    .addOption(jsonOption())
  declare('runs list', withExamples(list, ['runs list', 'runs list --thread my-thread --json']))

  const show = runs.command('show').description('Print the result of a run.').argument('<runId>')
  declare('runs show', withExamples(show.addOption(jsonOption()), ['runs show <runId>']))

  const events = runs
    .command('events')
    .description('Print the log of a run; with --follow, also what comes, until it ends or waits.')
    .argument('<runId>')
    .option('--follow', 'go on until the run ends or waits, whichever process works on it')
    .option('--after <position>', 'only what comes after this position', wholeNumber)
    .addOption(jsonOption())
    .addOption(jsonLinesOption())
  const following = 'runs events <runId> --follow --after 12 --jsonl'
  declare('runs events', withExamples(events, ['runs events <runId>', 'runs events <runId> --jsonl', following]))

  const cancel = runs.command('cancel').description('End a run for good.').argument('<runId>')
  declare('runs cancel', withExamples(cancel, ['runs cancel <runId>']))
  addResume(runs, declare)
  addScore(runs, declare)
  addReplay(runs, declare)
}

function addScore(runs: Command, declare: Declare): void {
  const score = runs
    .command('score')
    .summary('say what a run was worth')
    .description(
      'Keep a score of a run, in place of the one of the same name, and attach it to its trace in Langfuse. "runs show" lists them.',
    )
    .argument('<runId>')
    .argument('<name>', 'what is judged, for instance "helpful"')
    .argument('<value>', 'a number, true or false, or a category')
    .option('--comment <text>', 'why')
    .option('--user <id>', 'who says it')
    .addOption(jsonOption())
  const uses = ['runs score <runId> helpful true', 'runs score <runId> accuracy 0.8 --comment "one figure is old"']
  declare('runs score', withExamples(score, uses))
}

function addReplay(runs: Command, declare: Declare): void {
  const replay = runs
    .command('replay')
    .summary('show a run again as it went')
    .description('Show a run again from its log alone: no model, no tool, no network. With --to, as it stood then.')
    .argument('<runId>')
    .option('--to <position>', 'the last event to replay; see quaero runs events', wholeNumber)
    .addOption(jsonOption())
  declare('runs replay', withExamples(replay, ['runs replay <runId>', 'runs replay <runId> --to 12 --json']))

  const exported = runs
    .command('export')
    .description('Print the log of a run, one event a line, to be imported elsewhere.')
    .argument('<runId>')
  declare('runs export', withExamples(exported, ['runs export <runId> > run.jsonl']))

  const imported = runs
    .command('import')
    .description('Store a run that was exported; its thread can then be continued here.')
    .argument('<file>', 'a file that "runs export" printed, or - for standard input')
    .addOption(jsonOption())
  declare('runs import', withExamples(imported, ['runs import run.jsonl']))
}

function addResume(runs: Command, declare: Declare): void {
  const resume = runs
    .command('resume')
    .summary('go on with a run that was interrupted or waits')
    .description('Go on with a run that was interrupted or waits for an approval. Nothing that was done is paid again.')
    .argument('<runId>')
    .option(
      '--approve <approvalId>',
      'allow this tool call; may be given several times; "all" allows and "none" refuses these and all later ones, "ask" asks a person',
      collect,
    )
    .option('--deny <approvalId>', 'refuse this tool call; may be given several times', collect)
    .option('--reason <text>', 'why it is refused; the model is told')
    .addOption(modelOption())
  withLimits(resume)
  withRunOutput(resume)
  const uses = ['runs resume <runId>', 'runs resume <runId> --approve <approvalId>']
  declare('runs resume', withExamples(resume, [...uses, 'runs resume <runId> --deny <approvalId> --reason "not now"']))
}
