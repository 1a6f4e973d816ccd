import { z } from 'zod'
import { HookFailed } from '../../errors.ts'
import { describeValue, toolCall } from '../../events/index.ts'
import type { Lifecycle } from './lifecycle.ts'

type Moment = Exclude<keyof Lifecycle, 'name' | 'onReady' | 'onShutdown'>

/** What the type of a moment's hook lets it return, beside nothing. */
type Handed<M extends Moment> = Extract<Awaited<ReturnType<NonNullable<Lifecycle[M]>>>, object>

/** What a moment's hook may return, and how a person is told. */
interface Contract {
  readonly schema: z.ZodType
  readonly may: string
}

/**
 * What an expression leaves behind (`({ add }) => isLate && add(…)`) was not meant for anything. A text, a list or an object
 * was, and would be lost.
 */
const nothing: Contract = {
  schema: z.custom((value) => typeof value !== 'string' && !Array.isArray(value) && !isPlainObject(value)),
  may: 'It can hand back nothing there',
}

const absent = z.undefined().optional()

const contracts: Readonly<Record<Moment, Contract>> = {
  afterUserInput: nothing,
  beforeModel: nothing,
  afterModel: {
    schema: z.object({ toolCalls: z.array(toolCall) }),
    may: 'It may hand back nothing, or { toolCalls: [{ id, name, args }] }',
  },
  beforeRound: nothing,
  beforeTool: {
    schema: z.union([
      z.object({ args: z.record(z.string(), z.unknown()), answer: absent, refuse: absent }),
      z.object({ answer: z.string() }),
      z.object({ refuse: z.string(), answer: absent }),
    ]),
    may: 'It may hand back nothing, or one of { args: {…} }, { answer: "…" }, { refuse: "…" }',
  },
  onError: nothing,
  afterTool: { schema: z.object({ content: z.string() }), may: 'It may hand back nothing, or { content: "…" }' },
  afterRound: nothing,
  onComplete: nothing,
}

/**
 * What a hook hands back at a moment, if it is anything. Throws `HookFailed`, with the hook's name, for what the moment has
 * no use for.
 */
export function handedBack<M extends Moment>(name: string, moment: M, value: unknown): Handed<M> | undefined {
  if (value === undefined || value === null || value === false) return undefined
  const { schema, may } = contracts[moment]
  if (!schema.safeParse(value).success) {
    throw new HookFailed(`${moment} of "${name}" handed back ${describeValue(value)}. ${may}.`)
  }
  // The schema says so.
  return value as Handed<M>
}

function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
