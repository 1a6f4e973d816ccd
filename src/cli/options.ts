import { type Command, InvalidArgumentError, Option } from 'commander'

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

/** Adds uses of a command to its help. */
export function withExamples(command: Command, uses: readonly string[]): Command {
  return command.addHelpText('after', examples(uses))
}

/** Uses of a command, as they stand at the end of its help. */
export function examples(uses: readonly string[]): string {
  return `\nExamples:\n${uses.map((use) => `  quaero ${use}`).join('\n')}`
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** Reads a whole number above 0. Throws `InvalidArgumentError`. */
export function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(value)
}

/** Reads a number above 0. Throws `InvalidArgumentError`. */
export function positiveNumber(value: string): number {
  const number = /^\d*\.?\d+$/.test(value) ? Number(value) : 0
  if (!(number > 0)) throw new InvalidArgumentError('It must be a number above 0.')
  return number
}
