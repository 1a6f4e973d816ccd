import { z } from 'zod'
import { HookFailed } from '../../errors.ts'
import { type AddedMessage, describeValue, type OneShot, toolCall } from '../../events/index.ts'
import { problemsIn } from '../../options.ts'
import type { Lifecycle } from './lifecycle.ts'

export type Moment = Exclude<keyof Lifecycle, 'name' | 'onReady' | 'onShutdown'>

interface MomentRules {
  /** Roles of the messages that the hook may add. */
  readonly adds: readonly AddedMessage['role'][]
  /** What the hook may return besides nothing, and the words for it. */
  readonly returns?: readonly [schema: z.ZodType, words: string]
}

const none = [] as const
const spoken = ['user', 'assistant'] as const
const anyRole = ['user', 'assistant', 'system'] as const
const absent = z.undefined().optional()
const decision = z.union([
  z.object({ args: z.record(z.string(), z.unknown()), answer: absent, refuse: absent }),
  z.object({ answer: z.string() }),
  z.object({ refuse: z.string(), answer: absent }),
])

/** The moments of a run, in the order in which they come. */
const moments: { readonly [M in Moment]: MomentRules } = {
  afterUserInput: { adds: spoken },
  beforeModel: { adds: anyRole },
  afterModel: {
    adds: anyRole,
    returns: [z.object({ toolCalls: z.array(toolCall) }), '{ toolCalls: [{ id, name, args }] }'],
  },
  beforeRound: { adds: anyRole },
  beforeTool: { adds: none, returns: [decision, 'one of { args: {…} }, { answer: "…" }, { refuse: "…" }'] },
  onError: { adds: none },
  afterTool: { adds: none, returns: [z.object({ content: z.string() }), '{ content: "…" }'] },
  afterRound: { adds: anyRole },
  onComplete: { adds: spoken },
}

export const momentNames: readonly string[] = ['onReady', ...Object.keys(moments), 'onShutdown']

export type Returned<M extends Moment> = Extract<Awaited<ReturnType<NonNullable<Lifecycle[M]>>>, object>

/** Values that expressions return by accident (`({ add }) => isLate && add(…)`); texts, lists and objects are refused. */
const unintended = z.custom((value) => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype !== null && ![String, Array, Object].some((type) => type.prototype === prototype)
})

/** Throws `HookFailed`, with the hook's name, for a value that the moment has no use for. */
export function checkReturned<M extends Moment>(name: string, moment: M, value: unknown): Returned<M> | undefined {
  if (value === undefined || value === null || value === false) return undefined
  const [schema, words] = moments[moment].returns ?? [unintended]
  if (!schema.safeParse(value).success) {
    const may = words ? `It may return nothing, or ${words}` : 'It can return nothing there'
    throw new HookFailed(`${moment} of "${name}" returned ${describeValue(value)}. ${may}.`)
  }
  // Checked by the schema.
  return value as Returned<M>
}

/** Throws `HookFailed` for a message where none can be added, and for what is none. */
export function checkAdded(name: string, moment: Moment, canAdd: boolean, message: unknown): AddedMessage {
  const { adds } = moments[moment]
  if (!canAdd || adds.length === 0) {
    throw new HookFailed(`"${name}" added a message in ${moment}, where none can be added.`)
  }
  const { data } = z.object({ role: z.enum(adds), text: z.string().min(1) }).safeParse(message)
  if (data) return data
  const shape = `{ role: ${adds.map((each) => `"${each}"`).join(' | ')}, text }`
  throw new HookFailed(`${moment} of "${name}" added something that is not a message: give ${shape}.`)
}

const askOptions = z.object({ model: z.string().min(1).optional(), temperature: z.number().optional() })
const conversation = z.array(z.object({ role: z.enum(anyRole), text: z.string() })).min(1)

/** Throws `HookFailed` for what is no question to a model. */
export function checkQuestion({ hook, messages, model, temperature }: OneShot): void {
  const { error } = askOptions.safeParse({ model, temperature })
  if (error) throw new HookFailed(`"${hook}" asked a model with invalid options: ${problemsIn(error)}`)
  if (conversation.safeParse(messages).success) return
  throw new HookFailed(
    `"${hook}" asked a model something that is not a question: give a text, or a list of { role, text }.`,
  )
}
