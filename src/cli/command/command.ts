import type { Argument, Option } from 'commander'
import type { Config, Quaero } from '../../index.ts'
import type { Input, Output } from '../output/terminal.ts'

/** One command of the command line. `Flags` are its own arguments and options by name; `CommonFlags` are added. */
export interface CommandModule<Flags extends object = object> {
  /** As it is typed, for instance `runs show`. */
  readonly name: string
  /** True for the command that a group runs when it is called alone. */
  readonly isDefault?: boolean
  /** True for a command that no list shows. */
  readonly isHidden?: boolean
  /** Phrases that begin with a verb, one a line and without a full stop; lists of commands show the first. */
  readonly description: string
  readonly arguments?: readonly Argument[]
  /** True where the argument is a text: several words without quotes are refused with a hint. */
  readonly isQuotedText?: boolean
  readonly options?: readonly Option[]
  /** True for a command that changes nothing: where nothing is stored, it creates nothing either. */
  readonly readsOnly?: boolean
  /** Uses of the command, without the name of the program. */
  readonly examples: readonly string[]
  /** Does the work and returns the exit code. */
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

/** What a command works with. */
export interface Workplace {
  /** Opens the engine at the first call; `model` takes the place of the flag, `queued` is that of `QuaeroOptions`. */
  readonly open: (model?: string, options?: { readonly queued: boolean }) => Promise<Quaero>
  /** Closes the engine and opens it with another model, or that of the flag. */
  readonly reopen: (model?: string) => Promise<Quaero>
  readonly config: () => Config
  readonly input: Input
  readonly output: Output
}

type Given<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

/** The options that were given: those that are undefined are left out. */
export function given<T extends object>(options: T): Given<T>
export function given(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}
