import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { ToolEnded, ToolTimeout } from '../errors.ts'
import { type Event, formatTrace, type ToolResult, traceOf } from '../events/index.ts'
import { runTool, type Tool, type ToolContext } from './tool.ts'

/** Calls a tool within its time limit. Throws `ToolTimeout`, the signal's reason, and what `runTool` throws. */
export async function callTool(
  tool: Tool,
  args: unknown,
  facts: ToolFacts,
  defaultTimeoutMs: number,
): Promise<ToolResult> {
  facts.signal.throwIfAborted()
  const over = new AbortController()
  const signal = AbortSignal.any([facts.signal, over.signal])
  const context = lentContext(tool.name, { ...facts, signal }, over.signal)
  const { timeoutMs = defaultTimeoutMs } = tool
  try {
    const work = runTool(tool, args, context)
    return await (timeoutMs === null ? work : endInTime(work, tool, facts.signal, timeoutMs))
  } finally {
    over.abort()
  }
}

async function endInTime(
  work: Promise<ToolResult>,
  { name }: Tool,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<ToolResult> {
  const over = new AbortController()
  const late = new ToolTimeout(`${name} took longer than ${timeoutMs / 1000} s.`)
  try {
    return await Promise.race([
      work,
      sleep(timeoutMs, undefined, { signal: over.signal }).then(() => Promise.reject(late)),
      once(signal, 'abort', { signal: over.signal }).then(() => Promise.reject(signal.reason)),
    ])
  } finally {
    over.abort()
  }
}

/** The facts of a call; the rest of a tool's context is computed from the run's log. */
export interface ToolFacts extends Omit<ToolContext, 'previousTools' | 'trace' | 'toString'> {
  readonly log: () => readonly Event[]
}

/** A tool's view of its run. Each member throws once `over` is aborted, also one that the tool has kept. */
function lentContext(tool: string, { log, delegate, ...facts }: ToolFacts, over: AbortSignal): ToolContext {
  const checkActive = () => {
    if (!over.aborted) return
    throw new ToolEnded(
      `The call of "${tool}" has ended, and its context is gone with it. Read what is needed before the tool returns.`,
    )
  }
  const trace = () => {
    checkActive()
    return traceOf(log())
  }
  const members: ToolContext = {
    ...facts,
    get previousTools() {
      return previousTools(log(), facts.callId)
    },
    trace,
    delegate: (...task) => {
      checkActive()
      return delegate(...task)
    },
    toString: () => formatTrace(trace()),
  }
  return new Proxy(members, {
    get: (target, name) => {
      if (Object.hasOwn(target, name)) checkActive()
      return Reflect.get(target, name)
    },
  })
}

function previousTools(log: readonly Event[], callId: string): readonly string[] {
  const started = log.flatMap((event) => (event.type === 'tool.started' ? [event.payload] : []))
  return [...new Set(started.filter((call) => call.callId !== callId).map(({ tool }) => tool))]
}
