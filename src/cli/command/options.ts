import { homedir } from 'node:os'
import { Argument, InvalidArgumentError, Option } from 'commander'

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

/** `--label`: which version of the prompts in Langfuse. */
export function labelOption(): Option {
  return new Option('--label <label>', 'the label in Langfuse (default: langfuse.promptLabel of the settings)')
}

/** What a run may use at most; `of` is what has a run of its own. */
export function limitOptions(of = 'this run'): readonly Option[] {
  return [
    new Option('--max-steps <n>', `how often a model may be called in ${of}`).argParser(wholeNumber),
    new Option('--max-cost <usd>', `how much ${of} may cost, in US dollars`).argParser(positiveNumber),
    new Option('--timeout <seconds>', `how long ${of} may take`).argParser(positiveNumber),
  ]
}

/** How the result of a run is printed. */
export function runOutputOptions(): readonly Option[] {
  return [jsonOption(), jsonLinesOption(), quietOption()]
}

/** Which conversation and which documents a question belongs to. */
export function conversationOptions(): readonly Option[] {
  return [
    new Option(
      '-d, --documents <path...>',
      'files or folders to add to the library; this question, and later ones on its thread that name none, search no others',
    ),
    new Option('-t, --thread <id>', 'the thread to continue, or the id of a new one'),
    new Option('-c, --continue', 'continue the latest thread'),
    new Option('--user <id>', 'who asks, as traces name the person'),
    modelOption(),
    new Option('--approve <mode>', 'tools that need an approval').choices(['all', 'none', 'ask']),
  ]
}

/** A document of the library. */
export function documentArgument(): Argument {
  return new Argument('<documentId>', 'its id, the beginning of it, or the file name; see quaero library list')
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** A path whose `~/` the shell left as it is, because of quotes or a sign before it. */
export function expandHome(path: string): string {
  return path.replace(/^~(?=$|[\\/])/, () => homedir())
}

/** Reads a whole number above 0. Throws `InvalidArgumentError`. */
export function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(value)
}

/** Reads a number from 0 to 100. Throws `InvalidArgumentError`. */
export function percentage(value: string): number {
  const number = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(value) ? Number(value) : Number.NaN
  if (!(number <= 100)) throw new InvalidArgumentError('It must be a number from 0 to 100.')
  return number
}

/** Reads a number above 0. Throws `InvalidArgumentError`. */
function positiveNumber(value: string): number {
  const number = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(value) ? Number(value) : 0
  if (!(number > 0)) throw new InvalidArgumentError('It must be a number above 0.')
  return number
}
