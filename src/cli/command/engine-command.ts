import type { z } from 'zod'
import type { Quaero } from '../../index.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { printJson } from '../output/terminal.ts'
import { runIdFrom, threadIdFrom } from '../shared/ids.ts'
import type { CommandModule, CommonFlags, Workplace } from './command.ts'
import { jsonOption } from './options.ts'

/** What a schema describes, as a program may hold it: it is only read. */
type Printed<T> = T extends readonly (infer Each)[]
  ? readonly Printed<Each>[]
  : T extends object
    ? { readonly [Key in keyof T]: Printed<T[Key]> }
    : T

interface EngineCommand<Flags extends object, Json extends z.ZodType, Value extends Printed<z.output<Json>>>
  extends Omit<CommandModule<Flags>, 'run' | 'json'> {
  /** What `--json` prints; a command without it has no `--json`. */
  readonly json?: Json
  /** Does the work. The ids of threads, runs and documents among the flags are whole, however short they were typed. */
  act(quaero: Quaero, flags: Flags & CommonFlags, place: Workplace): Promise<Value>
  /** Prints the same for a person. */
  show?(value: Value, place: Workplace & { readonly quaero: Quaero }, flags: Flags & CommonFlags): void | Promise<void>
  /** 0 if absent. */
  exitCode?(value: Value): number
}

/** A command that opens the engine, does one thing with it, and prints the result as an object or for a person. */
export function engineCommand<
  Flags extends object,
  Json extends z.ZodType,
  Value extends Printed<z.output<Json>> = Printed<z.output<Json>>,
>(command: EngineCommand<Flags, Json, Value>): CommandModule<Flags> & { readonly json: Json } {
  const { act, show, exitCode, json, options = [], ...definition } = command
  const module: CommandModule<Flags> = {
    ...definition,
    ...(json && { json }),
    options: json ? [...options, jsonOption()] : options,
    async run(place, flags) {
      const quaero = await place.open()
      const meant = await withWholeIds(quaero, flags)
      const value = await act(quaero, meant, place)
      if (json && flags.json) printJson(place.output, value)
      else await show?.(value, { ...place, quaero }, meant)
      return exitCode?.(value) ?? exitCodes.ok
    },
  }
  // `json` is absent only where nobody asks for its type.
  return module as CommandModule<Flags> & { readonly json: Json }
}

/** Throws what the look-up of an unknown or ambiguous id throws. */
async function withWholeIds<Flags extends object>(quaero: Quaero, flags: Flags): Promise<Flags> {
  const { threadId, runId, documentId }: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(flags))
  return {
    ...flags,
    ...(typeof threadId === 'string' && { threadId: await threadIdFrom(quaero, threadId) }),
    ...(typeof runId === 'string' && { runId: await runIdFrom(quaero, runId) }),
    ...(typeof documentId === 'string' && { documentId: (await quaero.library.document(documentId)).documentId }),
  }
}
