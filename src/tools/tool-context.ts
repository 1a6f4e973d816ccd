import { ToolEnded } from '../errors.ts'
import { type Event, formatTrace, traceOf } from '../events/index.ts'
import type { ToolContext } from './tool.ts'

/** What is known of a call; the rest of a tool's context follows from the run's log. */
export interface ToolFacts extends Omit<ToolContext, 'previousTools' | 'trace' | 'toString'> {
  readonly log: () => readonly Event[]
}

export interface LentContext {
  readonly context: ToolContext
  /** Takes the context back: from then on, whoever reads it gets a `ToolEnded`. */
  readonly takeBack: () => void
}

/** A tool's view of its run, for as long as the call lasts. */
export function lendContext(tool: string, { log, delegate, ...facts }: ToolFacts): LentContext {
  let isLent = true
  const check = () => {
    if (isLent) return
    throw new ToolEnded(
      `The call of "${tool}" has ended, and its context is gone with it. Read what is needed before the tool returns.`,
    )
  }
  // Functions can be kept by themselves, so each one checks too.
  const lent =
    <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
    (...args: Args): Result => {
      check()
      return work(...args)
    }
  const whole: ToolContext = {
    ...facts,
    get previousTools() {
      return previousTools(log(), facts.callId)
    },
    trace: lent(() => traceOf(log())),
    delegate: lent(delegate),
    toString: lent(() => formatTrace(traceOf(log()))),
  }
  return { context: new Proxy(whole, checking(check)), takeBack: () => (isLent = false) }
}

/** Lets nothing of an object be seen without the check. */
function checking(check: () => void): ProxyHandler<ToolContext> {
  return {
    get(target, key) {
      check()
      return Reflect.get(target, key)
    },
    has(target, key) {
      check()
      return Reflect.has(target, key)
    },
    ownKeys(target) {
      check()
      return Reflect.ownKeys(target)
    },
    getOwnPropertyDescriptor(target, key) {
      check()
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
  }
}

function previousTools(log: readonly Event[], callId: string): readonly string[] {
  const started = log.flatMap((event) => (event.type === 'tool.started' ? [event.payload] : []))
  return [...new Set(started.filter((call) => call.callId !== callId).map(({ tool }) => tool))]
}
