import { toMessages } from '../../agents/loop/messages.ts'
import { explain, tellable } from '../../agents/loop/tool-round.ts'
import { HookFailed, NoModel } from '../../errors.ts'
import {
  type AddedMessage,
  type Context,
  describeError,
  type Hook,
  type Hooks,
  type Payloads,
  stateAfterInterruption,
  statusOf,
  traceOf,
} from '../../events/index.ts'
import { addToConversation } from './added-to-thread.ts'
import type { Completion, HookContext, Lifecycle, Moment, ToolDecision } from './lifecycle.ts'
import { handedBack } from './validate-hook-result.ts'

/** The hooks around spans that the named moments stand for, but for a run's ending. */
export function lifecycleHooks(lifecycle: Lifecycle): Hooks {
  const name = nameOf(lifecycle)
  return {
    name,
    owner: lifecycle,
    run: beginHook(lifecycle, name),
    model: modelHook(lifecycle, name),
    round: roundHook(lifecycle, name),
    tool: toolHook(lifecycle, name),
  }
}

/**
 * The hook that tells of a run's ending. It stands outside the beginnings of all, so that a plugin is told how a run
 * ended that another, or itself, has failed at its beginning.
 */
export function endingHooks(lifecycle: Lifecycle): Hooks {
  const name = nameOf(lifecycle)
  return { name, owner: lifecycle, run: endHook(lifecycle, name) }
}

function nameOf({ name = 'a bundle without a name' }: Lifecycle): string {
  return name
}

function beginHook(lifecycle: Lifecycle, name: string): Hook<'run'> {
  return async (request, next, context) => {
    if (request.attempt === 1) await begin(lifecycle, name, request.question, context)
    return next(request)
  }
}

function endHook(lifecycle: Lifecycle, name: string): Hook<'run'> {
  return async (request, next, context) => {
    const result = await next(request).catch(async (error: unknown) => {
      await breakOff(lifecycle, name, error, context)
      throw error
    })
    await finish(lifecycle, name, result, context)
    return result
  }
}

async function begin({ afterUserInput }: Lifecycle, name: string, question: string, context: Context): Promise<void> {
  const { add, added } = collector(name, 'afterUserInput', spoken)
  handedBack(name, 'afterUserInput', await afterUserInput?.({ add, question }, viewOf(context)))
  await addToConversation(context, 'before', added)
}

async function finish(
  { onComplete }: Lifecycle,
  name: string,
  { stopReason, answer, error }: Payloads['run.completed'],
  context: Context,
): Promise<void> {
  const { add, added } = collector(name, 'onComplete', context.addToThread ? spoken : [])
  const status = stopReason === 'answered' ? 'completed' : stopReason
  const told: Moment & Completion = { status, answer, error, ...totalsOf(context), add }
  handedBack(name, 'onComplete', await onComplete?.(told, viewOf(context)))
  if (added.length > 0) await context.addToThread?.(await addToConversation(context, 'behind', added))
}

async function breakOff(lifecycle: Lifecycle, name: string, thrown: unknown, context: Context): Promise<void> {
  const { onError, onComplete } = lifecycle
  const reason = context.interruption(thrown)
  const { code, message } = describeError(thrown)
  const view = viewOf(context)
  const ending = reason
    ? { status: stateAfterInterruption[reason], answer: '', error: null }
    : { status: 'failed' as const, answer: '', error: { code, message } }
  try {
    const failure = { during: 'run', code, message, ...nowhere(name, 'onError') } as const
    if (!reason) handedBack(name, 'onError', await onError?.(failure, view))
  } finally {
    const told = { ...ending, ...totalsOf(context), ...nowhere(name, 'onComplete of an unfinished turn') }
    handedBack(name, 'onComplete', await onComplete?.(told, view))
  }
}

function modelHook({ beforeModel, afterModel, onError }: Lifecycle, name: string): Hook<'model'> {
  return async (request, next, context) => {
    const { input: messages } = request
    const before = collector(name, 'beforeModel', anyRole)
    const call = { add: before.add, model: request.model, messages }
    handedBack(name, 'beforeModel', await beforeModel?.(call, viewOf(context)))
    const input = [...messages, ...toMessages(before.added)]
    const result = await orReport(next({ ...request, input }), 'model', { onError, name, context })
    const after = collector(name, 'afterModel', anyRole)
    const { toolCalls, usage, contextPercent } = result
    const reply = { add: after.add, model: request.model, text: result.reply.text, toolCalls, usage, contextPercent }
    const changed = handedBack(name, 'afterModel', await afterModel?.(reply, viewOf(context)))
    return { ...withAdded(result, after.added), toolCalls: [...(changed?.toolCalls ?? toolCalls)] }
  }
}

function roundHook({ beforeRound, afterRound }: Lifecycle, name: string): Hook<'round'> {
  return async (request, next, context) => {
    const before = collector(name, 'beforeRound', anyRole)
    handedBack(name, 'beforeRound', await beforeRound?.({ add: before.add, calls: request.calls }, viewOf(context)))
    const result = await next(withAdded(request, before.added))
    const after = collector(name, 'afterRound', anyRole)
    const over = { add: after.add, calls: request.calls, failed: result.failed }
    handedBack(name, 'afterRound', await afterRound?.(over, viewOf(context)))
    return withAdded(result, after.added)
  }
}

function toolHook({ beforeTool, afterTool, onError }: Lifecycle, name: string): Hook<'tool'> {
  return async (request, next, context) => {
    const { callId: id, tool, args } = request
    const call = { id, name: tool, args }
    const tell = async (execution: { status: ToolStatus; content: string; errorCode?: string | undefined }) => {
      const { errorCode = null } = execution
      const over = { ...call, ...execution, errorCode, ...nowhere(name, 'afterTool') }
      return handedBack(name, 'afterTool', await afterTool?.(over, viewOf(context)))
    }
    const asked = { ...call, ...nowhere(name, 'beforeTool') }
    const decision = handedBack(name, 'beforeTool', await beforeTool?.(asked, viewOf(context)))
    try {
      const made = madeOf(decision) ?? (await next({ ...request, args: { ...argsOf(decision, args) } }))
      const changed = await tell(made)
      return { ...made, ...(changed && { content: changed.content }) }
    } catch (error) {
      if (error instanceof HookFailed || context.interruption(error)) throw error
      await tellError('tool', error, { onError, name, context })
      const told = tellable(error, tool)
      await tell({ status: 'error', content: explain(told), errorCode: told.code })
      throw error
    }
  }
}

type ToolStatus = 'success' | 'error' | 'not_found' | 'denied'

/** What a hook decided in the tool's place; undefined if the tool is to run. */
function madeOf(decision: ToolDecision | undefined) {
  if (!decision) return undefined
  if ('answer' in decision) return { status: 'success', content: decision.answer } as const
  if (!('refuse' in decision)) return undefined
  const content = `This call was refused: ${decision.refuse || 'no reason given'}.`
  return { status: 'denied', content, errorCode: 'approval_denied' } as const
}

function argsOf(decision: ToolDecision | undefined, args: Readonly<Record<string, unknown>>) {
  return decision && 'args' in decision ? decision.args : args
}

/** Waits for a call; if it fails, says so before it passes the failure on. */
async function orReport<T>(work: Promise<T>, during: 'model', listener: ErrorListener): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof HookFailed || listener.context.interruption(error)) throw error
    await tellError(during, error, listener)
    throw error
  }
}

interface ErrorListener {
  readonly onError: Lifecycle['onError']
  readonly name: string
  readonly context: Context
}

async function tellError(during: 'model' | 'tool', error: unknown, { onError, name, context }: ErrorListener) {
  const { code, message } = describeError(error)
  const failure = { during, code, message, ...nowhere(name, 'onError') }
  handedBack(name, 'onError', await onError?.(failure, viewOf(context)))
}

const spoken: readonly AddedMessage['role'][] = ['user', 'assistant']
const anyRole: readonly AddedMessage['role'][] = ['user', 'assistant', 'system']

/** Takes the messages that a hook adds at a moment where it may. */
function collector(name: string, moment: string, roles: readonly AddedMessage['role'][]) {
  const added: AddedMessage[] = []
  const add = (message: AddedMessage) => {
    if (roles.length === 0) throw noPlace(name, moment)
    const { role, text } = (message ?? {}) as Partial<AddedMessage>
    if (role === undefined || !roles.includes(role) || typeof text !== 'string' || text === '') {
      throw new HookFailed(
        `${moment} of "${name}" added something that is no message: give { role: ${roles.map((each) => `"${each}"`).join(' | ')}, text }.`,
      )
    }
    added.push({ role, text })
  }
  return { add, added }
}

function nowhere(name: string, moment: string): Moment {
  return {
    add: () => {
      throw noPlace(name, moment)
    },
  }
}

function noPlace(name: string, moment: string): HookFailed {
  return new HookFailed(`"${name}" added a message in ${moment}, where none can be added.`)
}

function withAdded<T extends { readonly added?: readonly AddedMessage[] }>(
  passed: T,
  added: readonly AddedMessage[],
): T {
  return added.length === 0 ? passed : { ...passed, added: [...(passed.added ?? []), ...added] }
}

function logOf({ log }: Context) {
  return log?.() ?? []
}

/** The run as a hook sees it, at the moment when it looks. */
function viewOf(context: Context): HookContext {
  const log = logOf(context)
  const created = log.find((event) => event.type === 'run.created')
  return {
    runId: context.correlationId,
    threadId: context.threadId,
    turn: created?.payload.turn ?? 1,
    question: created?.payload.question ?? '',
    agent: context.agent ?? null,
    signal: context.signal,
    ask: context.ask ?? nobody,
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

const nobody: HookContext['ask'] = () => Promise.reject(new NoModel('There is no model here that a hook could ask.'))

function totalsOf(context: Context) {
  const { modelCalls, toolCalls, inputTokens, outputTokens, costUsd } = statusOf(logOf(context))
  return { modelCalls, toolCalls, inputTokens, outputTokens, costUsd }
}
