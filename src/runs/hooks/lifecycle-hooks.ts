import { explain, tellable, toMessages } from '../../agents/index.ts'
import { HookFailed, NoModel } from '../../errors.ts'
import {
  type AddedMessage,
  type Context,
  describeError,
  type Hooks,
  type Result,
  stateAfterInterruption,
  statusOf,
  traceOf,
  unnamed,
} from '../../events/index.ts'
import { addToConversation } from './added-to-thread.ts'
import type { Completion, HookContext, Lifecycle, ToolDecision, ToolExecution } from './lifecycle.ts'
import { checkAdded, checkReturned, type Moment, type Returned } from './moments.ts'

/** The span hooks that call a plugin's named moments, except for the end of a run. */
export function lifecycleHooks(lifecycle: Lifecycle): Hooks {
  return {
    name: lifecycle.name,
    owner: lifecycle,
    run: async (request, next, context) => {
      if (request.attempt === 1) {
        const { added } = await callerOf(lifecycle, context)('afterUserInput', { question: request.question })
        await addToConversation(context, 'before', added)
      }
      return next(request)
    },
    model: async (request, next, context) => {
      const call = callerOf(lifecycle, context)
      const { model, input: messages } = request
      const before = await call('beforeModel', { model, messages })
      const input = [...messages, ...toMessages(before.added)]
      const result = await next({ ...request, input }).catch(async (error: unknown) => {
        if (isOwn(error, context)) await reportError(call, 'model', error)
        throw error
      })
      const { reply, toolCalls, usage, contextPercent } = result
      const after = await call('afterModel', { model, text: reply.text, toolCalls, usage, contextPercent })
      return { ...withAdded(result, after.added), toolCalls: [...(after.returned?.toolCalls ?? toolCalls)] }
    },
    round: async (request, next, context) => {
      const call = callerOf(lifecycle, context)
      const { calls } = request
      const before = await call('beforeRound', { calls })
      const result = await next(withAdded(request, before.added))
      const after = await call('afterRound', { calls, failed: result.failed })
      return withAdded(result, after.added)
    },
    tool: async (request, next, context) => {
      const call = callerOf(lifecycle, context)
      const { callId: id, tool: name, args } = request
      const callAfter = async ({ status, content, errorCode = null }: Ended) =>
        (await call('afterTool', { id, name, args, status, content, errorCode })).returned
      const { returned: decision } = await call('beforeTool', { id, name, args })
      const chosen = decision && 'args' in decision ? { ...decision.args } : args
      let made: Result<'tool'> | undefined = resultOf(decision)
      try {
        made ??= await next({ ...request, args: chosen })
      } catch (error) {
        if (!isOwn(error, context)) throw error
        await reportError(call, 'tool', error)
        const shown = tellable(error, name)
        await callAfter({ status: 'error', content: explain(shown), errorCode: shown.code })
        throw error
      }
      const changed = await callAfter(made)
      return changed ? { ...made, content: changed.content } : made
    },
  }
}

/** Reports the end of a run to a plugin: outside all other hooks, so that each plugin gets it whatever failed. */
export function endingHooks(lifecycle: Lifecycle): Hooks {
  return {
    name: lifecycle.name,
    owner: lifecycle,
    run: async (request, next, context) => {
      const call = callerOf(lifecycle, context)
      const complete = (end: Pick<Completion, 'status' | 'answer' | 'error'>, canAdd: boolean) => {
        const { modelCalls, toolCalls, inputTokens, outputTokens, costUsd } = statusOf(context.log?.() ?? [])
        return call('onComplete', { ...end, modelCalls, toolCalls, inputTokens, outputTokens, costUsd }, canAdd)
      }
      const result = await next(request).catch(async (thrown: unknown) => {
        const reason = context.interruption(thrown)
        const { code, message } = describeError(thrown)
        try {
          if (!reason) await reportError(call, 'run', thrown)
        } finally {
          const status = reason ? stateAfterInterruption[reason] : 'failed'
          await complete({ status, answer: '', error: reason ? null : { code, message } }, false)
        }
        throw thrown
      })
      const { stopReason, answer, error } = result
      const status = stopReason === 'answered' ? 'completed' : stopReason
      const { added } = await complete({ status, answer, error }, context.addToThread !== undefined)
      if (added.length > 0) await context.addToThread?.(await addToConversation(context, 'behind', added))
      return result
    },
  }
}

async function reportError(call: Call, during: 'model' | 'tool' | 'run', error: unknown): Promise<void> {
  const { code, message } = describeError(error)
  await call('onError', { during, code, message })
}

/** False for the failure of a hook, and for a pause or a stop. */
function isOwn(error: unknown, context: Context): boolean {
  return !(error instanceof HookFailed || context.interruption(error))
}

type Ended = Pick<ToolExecution, 'status' | 'content'> & { readonly errorCode?: string | null | undefined }

/** The result that a hook gives in place of the tool; undefined if the tool is to run. */
function resultOf(decision: ToolDecision | undefined) {
  if (!decision) return undefined
  if ('answer' in decision) return { status: 'success', content: decision.answer } as const
  if (!('refuse' in decision)) return undefined
  const content = `This call was refused: ${decision.refuse || 'no reason given'}.`
  return { status: 'denied', content, errorCode: 'approval_denied' } as const
}

type Given<M extends Moment> = Omit<Parameters<NonNullable<Lifecycle[M]>>[0], 'add'>

/** Calls the plugin's hook of a moment, if there is one. */
type Call = <M extends Moment>(
  moment: M,
  given: Given<M>,
  canAdd?: boolean,
) => Promise<{ readonly returned?: Returned<M> | undefined; readonly added: readonly AddedMessage[] }>

function callerOf(lifecycle: Lifecycle, context: Context): Call {
  const { name = unnamed } = lifecycle
  return async <M extends Moment>(moment: M, given: Given<M>, canAdd = true) => {
    const added: AddedMessage[] = []
    const add = (message: unknown) => void added.push(checkAdded(name, moment, canAdd, message))
    // The compiler cannot call a function whose parameters depend on the open M.
    const hook = lifecycle[moment] as ((given: object, context: HookContext) => unknown) | undefined
    if (!hook) return { added }
    return { returned: checkReturned(name, moment, await hook({ ...given, add }, viewOf(context))), added }
  }
}

function withAdded<T extends { readonly added?: readonly AddedMessage[] }>(
  passed: T,
  added: readonly AddedMessage[],
): T {
  return added.length === 0 ? passed : { ...passed, added: [...(passed.added ?? []), ...added] }
}

/** The run as a hook sees it; the getters read the log when they are used. */
function viewOf(context: Context): HookContext {
  const log = context.log?.() ?? []
  const { turn = 1, question = '' } = log.find((event) => event.type === 'run.created')?.payload ?? {}
  return {
    runId: context.correlationId,
    threadId: context.threadId,
    turn,
    question,
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
