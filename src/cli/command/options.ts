import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Argument, InvalidArgumentError, Option } from 'commander'
import type { Config } from '../../index.ts'

export const modelOption = () =>
  new Option('-m, --model <spec>', 'which model answers: "openai:<model>" or "extractive"')
export const jsonOption = () => new Option('--json', 'print one JSON object').conflicts('jsonl')
export const jsonLinesOption = () =>
  new Option('--jsonl', 'print the events, one JSON object per line').conflicts('json')
export const quietOption = () => new Option('-q, --quiet', 'no progress on stderr')
export const labelOption = () =>
  new Option('--label <label>', 'the label in Langfuse (default: langfuse.promptLabel of the settings)')

/** The limits of a run; `of` names the run. */
export function limitOptions(of = 'this run'): readonly Option[] {
  return [
    new Option('--max-steps <n>', `at most this many model calls in ${of}`).argParser(wholeNumber),
    new Option('--max-cost <usd>', `at most this cost of ${of}, in US dollars`).argParser(positiveNumber),
    new Option('--timeout <seconds>', `at most this time for the whole of ${of}, also while data arrives`).argParser(
      positiveNumber,
    ),
  ]
}

/** How the result of a run is printed. */
export function runOutputOptions(): readonly Option[] {
  return [jsonOption(), jsonLinesOption(), quietOption()]
}

/** Which documents are meant, by what is known of them. */
export interface FilterFlags {
  readonly tag?: readonly string[] | undefined
  readonly where?: string | undefined
}

export function filterOptions(): readonly Option[] {
  return [
    new Option(
      '--tag <tag>',
      'only documents with this tag; may be given several times, for documents with each',
    ).argParser(collect),
    new Option(
      '--where <filter>',
      'only documents that fit: "year>=2020 and (kind=10-K or title~report)", over title, author, year, kind, format, path, file, tag, key and added',
    ),
  ]
}

/** The flags as options of the engine. */
export function filterOf({ tag: tags, where }: FilterFlags) {
  return { tags, where }
}

/** Which conversation and which documents a question belongs to. */
export function conversationOptions(): readonly Option[] {
  return [
    new Option(
      '-d, --documents <path...>',
      'files or folders to add to the library; this question searches only them, and so do later questions on its thread that name none',
    ),
    ...filterOptions(),
    new Option(
      '-t, --thread <id>',
      'the thread to continue (8 characters of its id are enough), or the id of a new one',
    ),
    new Option('-c, --continue', 'continue the latest thread'),
    new Option('--user <id>', 'the user that traces name'),
    modelOption(),
    new Option('--approve <mode>', 'answers for tools that need an approval').choices(['all', 'none', 'ask']),
  ]
}

export const runArgument = () => new Argument('<runId>', 'its id or the beginning of it; see quaero runs list')
export const threadArgument = () => new Argument('<threadId>', 'its id or the beginning of it; see quaero threads list')
export const documentArgument = () =>
  new Argument('<documentId>', 'its id, the beginning of its id, or its file name; see quaero library list')

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** Replaces the `~/` of a path that the shell did not replace, because of quotes or a sign before it. */
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
  const number = decimal(value)
  if (!(number <= 100)) throw new InvalidArgumentError('It must be a number from 0 to 100.')
  return number
}

function positiveNumber(value: string): number {
  const number = decimal(value)
  if (!(number > 0)) throw new InvalidArgumentError('It must be a number above 0.')
  return number
}

function decimal(value: string): number {
  return /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(value) ? Number(value) : Number.NaN
}

/** The data directory in force: the flag, QUAERO_HOME, then the setting. */
export function dataDirOf({ settings, environment }: Config, flag: string | undefined): string {
  return flag ?? environment.home ?? settings.dataDir
}

/** False for a data directory in which nothing has been stored yet; a database elsewhere, or what cannot be opened, is there. */
export function isStored({ settings }: Config, dataDir: string): boolean {
  if (settings.storage !== null || dataDir === ':memory:') return true
  try {
    return statSync(join(dataDir, 'quaero.db'), { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

/** The version of this package, from its package.json. */
export function packageVersion(): string {
  // By its name, since the place of this code within the package changes when it is built.
  const { version }: { readonly version: string } = createRequire(import.meta.url)('quaero/package.json')
  return version
}
