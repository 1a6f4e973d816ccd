import { type Command, Option } from 'commander'
import type { Declare } from '../../declare.ts'
import { examples, jsonOption, modelOption, percentage, quietOption, wholeNumber, withLimits } from '../../options.ts'

export function addEval(program: Command, declare: Declare): void {
  const evaluation = program
    .command('eval')
    .summary('ask the questions of a dataset, and judge the answers')
    .description(
      'Ask every question of a dataset, one JSON object a line, and say how many answers were right, how well they were cited, and what their confidence was worth.',
    )
    .argument('<dataset>', 'a file of { id, question, expect?, thread? }, one JSON object a line')
    .option('-d, --documents <path...>', 'files and folders to add, and to limit the questions to')
    .addOption(modelOption())
    .option('--concurrency <n>', 'conversations that are held side by side (default: 4)', wholeNumber)
    .option('--out <file>', 'write the report as JSON')
    .option('--html <file>', 'write the report as a web page')
    .option('--baseline <file>', 'compare with an earlier report')
    .option('--langfuse', 'report it as an experiment in Langfuse, with a score for each figure')
    .addOption(withLangfuse('--langfuse-dataset <name>', 'the dataset there (default: the name of the file)'))
    .addOption(
      withLangfuse(
        '--langfuse-run <name>',
        'the run there; one of that name makes way (default: dataset, model, time)',
      ),
    )
    .option('--fail-under <percent>', 'exit with 1 if a smaller share of what was judged passed', percentage)
    .addOption(jsonOption())
    .addOption(quietOption())
  withLimits(evaluation, 'the run of each question')
  evaluation.addHelpText(
    'after',
    examples([
      'eval questions.jsonl -d ./papers',
      'eval questions.jsonl --out now.json --html report.html',
      'eval questions.jsonl --baseline before.json',
      'eval questions.jsonl --fail-under 90 -q',
      'eval questions.jsonl --langfuse --langfuse-run "smaller model"',
    ]),
  )
  declare('eval', evaluation)
}

/** Who names something in Langfuse wants it there. */
function withLangfuse(flags: string, description: string): Option {
  return new Option(flags, description).implies({ langfuse: true })
}
