import type { Command } from 'commander'
import type { CommandName } from './commands.ts'

/** Turns a command's arguments and options into one object of flags, and performs it. */
export type Declare = <K extends CommandName>(name: K, command: Command) => Command
