import type { Quaero } from '../../index.ts'
import type { CommandModule, CommonFlags, Workplace } from '../command/command.ts'
import { jsonOption } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { printJson } from '../output/terminal.ts'
import { runIdFrom, threadIdFrom } from './ids.ts'

interface EngineCommand<Flags extends object, Value> extends Omit<CommandModule<Flags>, 'run'> {
  /** Does the work. The ids of threads and runs among the arguments are whole, however short they were typed. */
  act(quaero: Quaero, flags: Flags & CommonFlags, place: Workplace): Promise<Value>
  /** What `--json` prints; a command without it has no `--json`. `scripts/json-outputs.ts` describes it. */
  json?(value: Value, flags: Flags & CommonFlags): unknown
  /** Prints the same for a person; a command without it says nothing of its success. */
  show?(value: Value, place: Workplace & { readonly quaero: Quaero }, flags: Flags & CommonFlags): void | Promise<void>
  /** The exit code, where the result may be no success. */
  exitCode?(value: Value, flags: Flags & CommonFlags, place: Workplace): number
}

/** A command that opens the engine, does one thing with it, and prints the result as an object or for a person. */
export function engineCommand<Flags extends object, Value>(command: EngineCommand<Flags, Value>): CommandModule<Flags> {
  const { act, json, show, exitCode = () => exitCodes.ok, options = [], ...definition } = command
  return {
    ...definition,
    options: json ? [...options, jsonOption()] : options,
    async run(place, flags) {
      const quaero = await place.open()
      const meant = await withWholeIds(quaero, flags)
      const value = await act(quaero, meant, place)
      if (json && flags.json) printJson(place.output, json(value, meant))
      else await show?.(value, { ...place, quaero }, meant)
      return exitCode(value, meant, place)
    },
  }
}

/** Throws `UsageError` if the beginning of an id begins several. */
async function withWholeIds<Flags extends object>(quaero: Quaero, flags: Flags): Promise<Flags> {
  const { threadId, runId }: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(flags))
  return {
    ...flags,
    ...(typeof threadId === 'string' && { threadId: await threadIdFrom(quaero, threadId) }),
    ...(typeof runId === 'string' && { runId: await runIdFrom(quaero, runId) }),
  }
}
