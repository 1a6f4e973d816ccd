import { z } from 'zod'
import { toMessages } from '../../agents/loop/messages.ts'
import { explain, tellable } from '../../agents/loop/tool-round.ts'
import { HookFailed, NoModel } from '../../errors.ts'
import {
  type AddedMessage,
  type Context,
  describeError,
  describeValue,
  type Hooks,
  type Result,
  type RunState,
  stateAfterInterruption,
  statusOf,
  toolCall,
  traceOf,
  unnamed,
} from '../../events/index.ts'
import { addToConversation } from './added-to-thread.ts'
import type { HookContext, Lifecycle, ToolDecision, ToolExecution } from './lifecycle.ts'

/** The span hooks that call a plugin's named moments, except for the end of a run. */
export function lifecycleHooks(lifecycle: Lifecycle): Hooks {
  return {
    ...(lifecycle.name !== undefined && { name: lifecycle.name }),
    owner: lifecycle,
    run: async (request, next, context) => {
      if (request.attempt === 1) {
        const { added } = await teller(lifecycle, context)('afterUserInput', { question: request.question }, spoken)
        await addToConversation(context, 'before', added)
      }
      return next(request)
    },
    model: async (request, next, context) => {
      const tell = teller(lifecycle, context)
      const { model, input: messages } = request
      const before = await tell('beforeModel', { model, messages }, anyRole)
      const input = [...messages, ...toMessages(before.added)]
      const result = await next({ ...request, input }).catch(async (error: unknown) => {
        if (isOwn(error, context)) await tellError(tell, 'model', error)
        throw error
      })
      const { reply, toolCalls, usage, contextPercent } = result
      const after = await tell('afterModel', { model, text: reply.text, toolCalls, usage, contextPercent }, anyRole)
      return { ...withAdded(result, after.added), toolCalls: [...(after.returned?.toolCalls ?? toolCalls)] }
    },
    round: async (request, next, context) => {
      const tell = teller(lifecycle, context)
      const { calls } = request
      const before = await tell('beforeRound', { calls }, anyRole)
      const result = await next(withAdded(request, before.added))
      const after = await tell('afterRound', { calls, failed: result.failed }, anyRole)
      return withAdded(result, after.added)
    },
    tool: async (request, next, context) => {
      const tell = teller(lifecycle, context)
      const { callId: id, tool: name, args } = request
      const tellAfter = async ({ status, content, errorCode = null }: Ended) =>
        (await tell('afterTool', { id, name, args, status, content, errorCode })).returned
      const { returned: decision } = await tell('beforeTool', { id, name, args })
      const chosen = decision && 'args' in decision ? { ...decision.args } : args
      let made: Result<'tool'> | undefined = madeOf(decision)
      try {
        made ??= await next({ ...request, args: chosen })
      } catch (error) {
        if (!isOwn(error, context)) throw error
        await tellError(tell, 'tool', error)
        const told = tellable(error, name)
        await tellAfter({ status: 'error', content: explain(told), errorCode: told.code })
        throw error
      }
      const changed = await tellAfter(made)
      return changed ? { ...made, content: changed.content } : made
    },
  }
}

/**
 * The hook that reports the end of a run to a plugin. It wraps the beginnings of all plugins, so that each is told how a
 * run ended that failed at its beginning.
 */
export function endingHooks(lifecycle: Lifecycle): Hooks {
  return {
    ...(lifecycle.name !== undefined && { name: lifecycle.name }),
    owner: lifecycle,
    run: async (request, next, context) => {
      const tell = teller(lifecycle, context)
      const result = await next(request).catch(async (error: unknown) => {
        await tellUnfinished(tell, error, context)
        throw error
      })
      const { stopReason, answer, error } = result
      const status: RunState = stopReason === 'answered' ? 'completed' : stopReason
      const completion = { status, answer, error, ...totalsOf(context) }
      const { added } = await tell('onComplete', completion, context.addToThread ? spoken : [])
      if (added.length > 0) await context.addToThread?.(await addToConversation(context, 'behind', added))
      return result
    },
  }
}

async function tellUnfinished(tell: Tell, thrown: unknown, context: Context): Promise<void> {
  const reason = context.interruption(thrown)
  const { code, message } = describeError(thrown)
  try {
    if (!reason) await tellError(tell, 'run', thrown)
  } finally {
    const status = reason ? stateAfterInterruption[reason] : 'failed'
    const error = reason ? null : { code, message }
    await tell('onComplete', { status, answer: '', error, ...totalsOf(context) })
  }
}

async function tellError(tell: Tell, during: 'model' | 'tool' | 'run', error: unknown): Promise<void> {
  const { code, message } = describeError(error)
  await tell('onError', { during, code, message })
}

/** False for the failure of a hook, and for a pause or a stop. */
function isOwn(error: unknown, context: Context): boolean {
  return !(error instanceof HookFailed || context.interruption(error))
}

type Ended = Pick<ToolExecution, 'status' | 'content'> & { readonly errorCode?: string | null | undefined }

/** The result that a hook gives in place of the tool; undefined if the tool is to run. */
function madeOf(decision: ToolDecision | undefined) {
  if (!decision) return undefined
  if ('answer' in decision) return { status: 'success', content: decision.answer } as const
  if (!('refuse' in decision)) return undefined
  const content = `This call was refused: ${decision.refuse || 'no reason given'}.`
  return { status: 'denied', content, errorCode: 'approval_denied' } as const
}

type Moment = Exclude<keyof Lifecycle, 'name' | 'onReady' | 'onShutdown'>
type Given<M extends Moment> = Omit<Parameters<NonNullable<Lifecycle[M]>>[0], 'add'>
type Returned<M extends Moment> = Extract<Awaited<ReturnType<NonNullable<Lifecycle[M]>>>, object>
type Role = AddedMessage['role']

/** Calls the hook of a moment, if there is one; `roles` are those of the messages that it may add. */
type Tell = <M extends Moment>(
  moment: M,
  given: Given<M>,
  roles?: readonly Role[],
) => Promise<{ readonly returned?: Returned<M> | undefined; readonly added: readonly AddedMessage[] }>

const spoken: readonly Role[] = ['user', 'assistant']
const anyRole: readonly Role[] = ['user', 'assistant', 'system']

function teller(lifecycle: Lifecycle, context: Context): Tell {
  const { name = unnamed } = lifecycle
  return async <M extends Moment>(moment: M, given: Given<M>, roles: readonly Role[] = []) => {
    const added: AddedMessage[] = []
    const add = (message: AddedMessage) => {
      if (roles.length === 0) throw new HookFailed(`"${name}" added a message in ${moment}, where none can be added.`)
      const { role, text } = (message ?? {}) as Partial<AddedMessage>
      if (role === undefined || !roles.includes(role) || typeof text !== 'string' || text === '') {
        const shape = `{ role: ${roles.map((each) => `"${each}"`).join(' | ')}, text }`
        throw new HookFailed(`${moment} of "${name}" added something that is no message: give ${shape}.`)
      }
      added.push({ role, text })
    }
    // The compiler cannot call a function whose parameters depend on the open M.
    const hook = lifecycle[moment] as ((given: object, context: HookContext) => unknown) | undefined
    if (!hook) return { added }
    const returned = checkReturned(name, moment, await hook({ ...given, add }, viewOf(context)))
    return { returned, added }
  }
}

function withAdded<T extends { readonly added?: readonly AddedMessage[] }>(
  passed: T,
  added: readonly AddedMessage[],
): T {
  return added.length === 0 ? passed : { ...passed, added: [...(passed.added ?? []), ...added] }
}

/** What a moment's hook may return, and the sentence that says so. */
interface Contract {
  readonly schema: z.ZodType
  readonly may: string
}

/**
 * An expression may leave a value behind that was not meant (`({ add }) => isLate && add(…)`). A text, a list or an
 * object was meant, and would be lost.
 */
const nothing: Contract = {
  schema: z.custom((value) => typeof value !== 'string' && !Array.isArray(value) && !isPlainObject(value)),
  may: 'It can hand back nothing there',
}

const absent = z.undefined().optional()

const contracts: { readonly [M in Moment]?: Contract } = {
  afterModel: {
    schema: z.object({ toolCalls: z.array(toolCall) }),
    may: 'It may hand back nothing, or { toolCalls: [{ id, name, args }] }',
  },
  beforeTool: {
    schema: z.union([
      z.object({ args: z.record(z.string(), z.unknown()), answer: absent, refuse: absent }),
      z.object({ answer: z.string() }),
      z.object({ refuse: z.string(), answer: absent }),
    ]),
    may: 'It may hand back nothing, or one of { args: {…} }, { answer: "…" }, { refuse: "…" }',
  },
  afterTool: { schema: z.object({ content: z.string() }), may: 'It may hand back nothing, or { content: "…" }' },
}

/** Throws `HookFailed`, with the hook's name, for a value that the moment has no use for. */
function checkReturned<M extends Moment>(name: string, moment: M, value: unknown): Returned<M> | undefined {
  if (value === undefined || value === null || value === false) return undefined
  const { schema, may } = contracts[moment] ?? nothing
  if (!schema.safeParse(value).success) {
    throw new HookFailed(`${moment} of "${name}" handed back ${describeValue(value)}. ${may}.`)
  }
  // Checked by the schema.
  return value as Returned<M>
}

function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The run as a hook sees it; the getters read the log when they are used. */
function viewOf(context: Context): HookContext {
  const log = context.log?.() ?? []
  const created = log.find((event) => event.type === 'run.created')
  return {
    runId: context.correlationId,
    threadId: context.threadId,
    turn: created?.payload.turn ?? 1,
    question: created?.payload.question ?? '',
    agent: context.agent ?? null,
    signal: context.signal,
    ask: context.ask ?? (() => Promise.reject(new NoModel('There is no model here that a hook could ask.'))),
    get iteration() {
      const started = log.findLast((event) => event.type === 'agent.started')
      return context.agent && started ? started.payload.iteration : 0
    },
    get toolHistory() {
      return [...new Set(log.flatMap((event) => (event.type === 'tool.started' ? [event.payload.tool] : [])))]
    },
    get status() {
      return statusOf(log)
    },
    trace: () => traceOf(log),
  }
}

function totalsOf({ log }: Context) {
  const { modelCalls, toolCalls, inputTokens, outputTokens, costUsd } = statusOf(log?.() ?? [])
  return { modelCalls, toolCalls, inputTokens, outputTokens, costUsd }
}
