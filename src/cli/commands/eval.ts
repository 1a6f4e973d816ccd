import { Argument, Option } from 'commander'
import type { CommandModule } from '../command/command.ts'
import { jsonOption, limitOptions, modelOption, percentage, quietOption, wholeNumber } from '../command/options.ts'
import type { EvalFlags } from '../eval/run-eval.ts'

export const evaluation: CommandModule<EvalFlags> = {
  name: 'eval',
  description:
    'ask the questions of a dataset and judge the answers\n' +
    'print how many were right, and how good citations and confidence were',
  arguments: [new Argument('<dataset>', 'a file of { id, question, expect?, thread? }, one JSON object per line')],
  options: [
    new Option('-d, --documents <path...>', 'files and folders to add; the questions search only them'),
    modelOption(),
    new Option('--concurrency <n>', 'conversations at the same time (default: 4)').argParser(wholeNumber),
    new Option('--out <file>', 'write the report as JSON'),
    new Option('--baseline <file>', 'compare with an earlier report'),
    new Option('--langfuse', 'report it as an experiment in Langfuse, with a score for each figure'),
    langfuseOption('--langfuse-dataset <name>', 'the dataset there (default: the name of the file)'),
    langfuseOption('--langfuse-run <name>', 'the run there, followed by the time (default: dataset and model)'),
    new Option('--fail-under <percent>', 'exit with 1 if fewer of the judged questions passed').argParser(percentage),
    jsonOption(),
    quietOption(),
    ...limitOptions('the run of each question'),
  ],
  examples: [
    'eval questions.jsonl -d ./papers',
    'eval questions.jsonl --out now.json',
    'eval questions.jsonl --baseline before.json',
    'eval questions.jsonl --fail-under 90 -q',
    'eval questions.jsonl --langfuse --langfuse-run "smaller model"',
  ],
  run: async (workplace, flags) => (await import('../eval/run-eval.ts')).runEval(workplace, flags),
}

function langfuseOption(flags: string, description: string): Option {
  return new Option(flags, description).implies({ langfuse: true })
}
