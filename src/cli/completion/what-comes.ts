import type { Argument, Command, Option } from 'commander'

/** A word that may stand at the cursor. */
export interface Candidate {
  readonly value: string
  readonly description: string
}

/** What may come at the cursor: words, a file, or an id of a kind that is stored. */
export type Coming =
  | { readonly candidates: readonly Candidate[] }
  | { readonly files: true }
  | { readonly ids: 'run' | 'thread' | 'document' }

const nothing: Coming = { candidates: [] }

/** What may come in place of the last word, from the definitions of the commands. */
export function whatComes(program: Command, words: readonly string[]): Coming {
  const { command, expected, position } = read(program, words.slice(0, -1))
  const current = words.at(-1) ?? ''
  if (expected && !(expected.variadic && current.startsWith('-'))) return valuesOf(expected.attributeName(), expected)
  if (current.startsWith('-')) return { candidates: optionsOf(program, command) }
  const subcommands = command.createHelp().visibleCommands(command)
  if (subcommands.length > 0 && position === 0) {
    return { candidates: subcommands.map((each) => ({ value: each.name(), description: each.summary() })) }
  }
  const last = command.registeredArguments.at(-1)
  const argument = command.registeredArguments[position] ?? (last?.variadic ? last : undefined)
  return argument ? valuesOf(argument.name(), argument) : nothing
}

interface Reading {
  readonly command: Command
  /** The option that expects a value. */
  readonly expected: Option | undefined
  /** How many arguments there were. */
  readonly position: number
}

/** Reads words as the parser will. */
function read(program: Command, words: readonly string[]): Reading {
  const start: Reading = { command: program, expected: undefined, position: 0 }
  return words.reduce((so, word) => after(so, word, program), start)
}

function after(so: Reading, word: string, program: Command): Reading {
  const { command, expected, position } = so
  const isOption = word.startsWith('-') && word !== '-'
  if (expected && !(expected.variadic && isOption)) return expected.variadic ? so : { ...so, expected: undefined }
  if (isOption) {
    const option = [...command.options, ...program.options].find(({ long, short }) => word === long || word === short)
    return { ...so, expected: option?.required || option?.optional ? option : undefined }
  }
  const subcommand = position === 0 ? command.commands.find((each) => each.name() === word) : undefined
  return subcommand ? { ...so, command: subcommand } : { ...so, position: position + 1 }
}

const kinds: Readonly<Record<string, 'run' | 'thread' | 'document'>> = {
  runId: 'run',
  threadId: 'thread',
  thread: 'thread',
  documentId: 'document',
  document: 'document',
}

/** The values of an option or argument of this name. */
function valuesOf(
  name: string,
  { argChoices, ...defined }: (Option | Argument) & { argChoices?: readonly string[] },
): Coming {
  if (argChoices) return { candidates: argChoices.map((value) => ({ value, description: '' })) }
  const ids = kinds[name]
  if (ids) return { ids }
  const shown = 'flags' in defined ? defined.flags : name
  return /\b(?:paths?|files?|dir)\b/.test(shown) ? { files: true } : nothing
}

function optionsOf(program: Command, command: Command): readonly Candidate[] {
  const help = command.createHelp()
  const options = new Set([...help.visibleOptions(command), ...program.options.filter(({ hidden }) => !hidden)])
  return [...options].map(({ long, short, description }) => ({ value: long ?? short ?? '', description }))
}
