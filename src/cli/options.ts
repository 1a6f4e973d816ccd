import { homedir } from 'node:os'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { plainLines } from './output/plain-text.ts'

/** `--model`: who answers. */
export function modelOption(): Option {
  return new Option('-m, --model <spec>', 'who answers: "openai:<model>" or "extractive"')
}

/** `--json`: one object on stdout. */
export function jsonOption(): Option {
  return new Option('--json', 'print one JSON object').conflicts('jsonl')
}

/** `--jsonl`: the stream of events on stdout. */
export function jsonLinesOption(): Option {
  return new Option('--jsonl', 'print the events, one JSON object a line').conflicts('json')
}

/** `--quiet`. */
export function quietOption(): Option {
  return new Option('-q, --quiet', 'no progress on stderr')
}

/** What a run may use at most; `of` is what has a run of its own. */
export function withLimits(command: Command, of = 'this run'): void {
  command
    .option('--max-steps <n>', `how often a model may be called in ${of}`, wholeNumber)
    .option('--max-cost <usd>', `how much ${of} may cost, in US dollars`, positiveNumber)
    .option('--timeout <seconds>', `how long ${of} may take`, positiveNumber)
}

/** How the result of a run is printed. */
export function withRunOutput(command: Command): void {
  command.addOption(jsonOption()).addOption(jsonLinesOption()).addOption(quietOption())
}

/** Adds uses of a command to its help. */
export function withExamples(command: Command, uses: readonly string[]): Command {
  return command.addHelpText('after', examples(uses))
}

/** Says what to do where the words of a question came without quotes, and so as several arguments. */
export function withQuotedText(command: Command): Command {
  return command.allowExcessArguments().hook('preAction', () => {
    if (command.args.length <= 1) return
    const words = `quaero ${command.name()} "${command.args.join(' ')}"`
    command.error(`error: too many arguments. Put the words in quotes: ${words}`, {
      code: 'commander.excessArguments',
      exitCode: 1,
    })
  })
}

/** Uses of a command, as they stand at the end of its help. */
export function examples(uses: readonly string[]): string {
  return `\nExamples:\n${uses.map((use) => `  quaero ${use}`).join('\n')}`
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** A path whose `~/` the shell left as it is, because of quotes or a sign before it. */
export function expandHome(path: string): string {
  return path.replace(/^~(?=$|[\\/])/, () => homedir())
}

/**
 * After a wrong use, `tell` gets the error and where the right one is told: the help itself, of 40 lines, would hide the
 * error.
 */
export function withShortErrors(command: Command, tell: (text: string) => void, name = command.name()): void {
  command
    .configureOutput({ writeErr: tell, outputError: (text, write) => write(`${plainLines(text.trimEnd())}\n`) })
    .showHelpAfterError(`Try: ${name} --help`)
  for (const each of command.commands) withShortErrors(each, tell, `${name} ${each.name()}`)
}

/** Reads a whole number above 0. Throws `InvalidArgumentError`. */
export function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(value)
}

const decimal = /^(?:\d+|\d*\.\d+)$/

/** Reads a number from 0 to 100. Throws `InvalidArgumentError`. */
export function percentage(value: string): number {
  const number = decimal.test(value) ? Number(value) : Number.NaN
  if (!(number <= 100)) throw new InvalidArgumentError('It must be a number from 0 to 100.')
  return number
}

/** Reads a number above 0. Throws `InvalidArgumentError`. */
function positiveNumber(value: string): number {
  const number = decimal.test(value) ? Number(value) : 0
  if (!(number > 0)) throw new InvalidArgumentError('It must be a number above 0.')
  return number
}
