import type { Argument, Option } from 'commander'
import type { Config, Quaero, StartingQuaero } from '../../index.ts'
import type { Input, Output } from '../output/terminal.ts'

/** One command of the command line: its name, what `--help` says of it, and its work. */
export interface CommandModule<Flags extends object = object> {
  /** As it is typed, for instance `runs show`. */
  readonly name: string
  /** True for the command that a group runs when it is called alone. */
  readonly isDefault?: boolean
  /** One line for the list of commands; without it, the description. */
  readonly summary?: string
  readonly description: string
  readonly arguments?: readonly Argument[]
  /** True where the argument is a text: several words without quotes are refused with a hint. */
  readonly isQuotedText?: boolean
  readonly options?: readonly Option[]
  /** Uses of the command, without the name of the program. */
  readonly examples: readonly string[]
  /** Does the work and returns the exit code. `flags` holds options and arguments by name, and the common flags. */
  run(workplace: Workplace, flags: Flags & CommonFlags): Promise<number>
}

/** The flags of every command. */
export interface CommonFlags {
  readonly dataDir?: string | undefined
  readonly config?: string | undefined
  readonly model?: string | undefined
  readonly json?: boolean | undefined
  readonly quiet?: boolean | undefined
  readonly debug?: boolean | undefined
}

/** What a command may use: the engine, opened when asked for, with another model than the flags say, and the settings. */
export interface Workplace {
  readonly open: (model?: string) => Promise<Quaero>
  /** The same engine while it starts. */
  readonly start: () => StartingQuaero
  readonly config: () => Config
  readonly input: Input
  readonly output: Output
}

/** The work of a command that needs the engine. */
export function withEngine<Flags extends object>(
  work: (quaero: Quaero, input: Input, output: Output, flags: Flags) => Promise<number>,
): CommandModule<Flags>['run'] {
  return async ({ open, input, output }, flags) => work(await open(), input, output, flags)
}
