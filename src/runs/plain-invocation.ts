import { randomUUID } from 'node:crypto'
import { END, type LangGraphRunnableConfig } from '@langchain/langgraph'
import { type AgentState, currentQuestion } from '../agents/index.ts'
import type { Credentials } from '../credentials/index.ts'
import { InvalidId, QuaeroError } from '../errors.ts'
import type { Context } from '../events/index.ts'
import { type NodeName, nextNode, type RunScope } from '../graph/index.ts'
import type { RunOutcome } from './attempt.ts'
import { outcomeOf } from './graph-calls.ts'
import type { Runner, RunToWork } from './runner.ts'
import { firstEvents } from './submit.ts'

interface DirectInvocationParts {
  readonly runner: Pick<Runner, 'submit' | 'work'>
  readonly credentials: Pick<Credentials, 'mask'>
  /** Throws `NotReady` unless runs may begin. */
  readonly requireReady: () => void
}

interface OpenRun {
  readonly context: Context
  readonly finish: (outcome: RunOutcome) => void
  readonly fail: (error: unknown) => void
  readonly abandon: () => void
  readonly ended: Promise<void>
}

/**
 * Lets `graph.invoke` be called like any LangGraph graph. A node that is not given a run opens one itself, with the same
 * log, lease and tracing as `ask`. The run's span stays open from the first node to the last.
 */
export function directInvocation(parts: DirectInvocationParts): RunScope {
  const open = new Map<string, OpenRun>()
  return async (node, state, config, work) => {
    // Only the runner passes a context.
    const { run: passed, watch } = config.context ?? {}
    if (passed && watch) return watch(work(passed))
    const runId = node === 'orchestrator' ? randomUUID() : (state.runId ?? randomUUID())
    const run = open.get(runId) ?? (await openRun(parts, runId, node, state, config))
    const forget = () => open.delete(runId)
    if (!open.has(runId)) void run.ended.then(forget, forget)
    open.set(runId, run)
    return workIn(run, node, state, config, work)
  }
}

const workIn = async (run: OpenRun, ...[node, state, { signal }, work]: Parameters<RunScope>) => {
  try {
    const update = await work(run.context)
    // Once aborted, LangGraph drops what a node returns, and runs no other.
    if (signal?.aborted) run.abandon()
    // An update has no field that is undefined, which its type allows.
    else if (nextNode(node, { nextAgent: update.nextAgent ?? state.nextAgent }) === END)
      run.finish(outcomeOf({ ...state, ...update } as AgentState))
    else return update
    await run.ended
    return update
  } catch (error) {
    // Once aborted, LangGraph makes a node's steps fail with errors of its own; failures that end a run are ours.
    if (signal?.aborted && !(error instanceof QuaeroError)) run.abandon()
    else run.fail(error)
    await run.ended.catch(() => {})
    throw error
  }
}

async function openRun(
  { runner, credentials, requireReady }: DirectInvocationParts,
  runId: string,
  node: NodeName,
  state: AgentState,
  { configurable }: LangGraphRunnableConfig,
): Promise<OpenRun> {
  const threadId = threadIdOf(configurable, state.sessionId)
  const outcome = deferred<RunOutcome>()
  const opened = deferred<Context>()
  const left = new AbortController()
  const perform = (context: Context) => {
    // Between two nodes, nothing else would notice a stop.
    context.signal.addEventListener('abort', () => outcome.reject(context.signal.reason), { once: true })
    opened.resolve(context)
    return outcome.promise
  }
  const begin = async (): Promise<RunToWork> => {
    requireReady()
    const asked = { question: credentials.mask(currentQuestion(state)), documents: null }
    if (threadId === null) return { runId, threadId, log: firstEvents(runId, { ...asked, threadId: '', turn: 1 }) }
    return node === 'orchestrator' ? runner.submit({ ...asked, runId, threadId }) : { runId, threadId }
  }
  const ended = begin().then(async (run) => void (await runner.work(run, { signal: left.signal, perform })))
  ended.catch(opened.reject)
  outcome.promise.catch(() => {})
  const context = await opened.promise
  return { context, finish: outcome.resolve, fail: outcome.reject, abandon: () => left.abort(), ended }
}

/** `sessionId` is the thread id; given both, they must agree. */
function threadIdOf(configurable: LangGraphRunnableConfig['configurable'], sessionId: string | null): string | null {
  const thread: unknown = configurable?.thread_id
  if (typeof thread !== 'string') return null
  if (sessionId !== null && sessionId !== thread) {
    throw new InvalidId(`sessionId "${sessionId}" and thread id "${thread}" differ; give one, or the same twice.`)
  }
  return thread
}

/** `Promise.withResolvers`, which Node.js 20 does not have. */
function deferred<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((onResolved, onRejected) => {
    resolve = onResolved
    reject = onRejected
  })
  return { promise, resolve, reject }
}
