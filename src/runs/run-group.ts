import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { type Context, fact, type Payloads } from '../events/index.ts'
import type { Storage } from '../storage/index.ts'
import { traceParentOf } from '../tracing/index.ts'
import type { Traced } from './check-options.ts'
import { type RunResult, resultOf } from './log/result.ts'
import { runIdOf } from './submit.ts'

type Begun = Omit<Payloads['group.begun'], 'traceParent'>

/** Makes a group of runs; asked for with the same key, it is the same, so that what goes on joins its trace. */
export type GroupRuns = (key: readonly string[], begun: Begun) => RunGroup

export function runGroups(context: () => Context): GroupRuns {
  return (key, begun) => new RunGroup(runIdOf(key.join('\n')), begun, context())
}

type Ask<How> = (question: string, how: How & Traced) => Promise<RunResult>

/** The runs of a table, a report or an audit: one trace, and two events. What is all known asks no run, and tells nothing. */
export class RunGroup {
  readonly #begun: Payloads['group.begun']
  readonly #context: Context
  readonly #usages: RunResult['usage'][] = []
  #told: Promise<void> | null = null

  constructor(id: string, begun: Begun, context: Context) {
    this.#begun = { ...begun, traceParent: traceParentOf(id) }
    this.#context = { ...context, correlationId: id }
  }

  /** Asks as it is given, with what makes a run one of the group. */
  around<How extends object>(ask: Ask<How>): Ask<How> {
    return async (question, how) => {
      this.#told ??= fact(this.#context, 'group.begun', this.#begun)
      await this.#told
      const { traceParent } = this.#begun
      const traceAttributes = { 'session.id': this.#context.correlationId }
      const result = await ask(question, { ...how, traceParent, traceAttributes })
      this.#usages.push(result.usage)
      return result
    }
  }

  /** The parts as they come, which the end counts by the words of `wordsOf`. */
  async *during<Part>(
    parts: AsyncIterable<Part>,
    wordsOf: (part: Part) => readonly string[],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Part> {
    const counts: Record<string, number> = {}
    let state: Payloads['group.ended']['state'] = 'stopped'
    try {
      for await (const part of parts) {
        for (const word of wordsOf(part)) counts[word] = (counts[word] ?? 0) + 1
        yield part
      }
      if (!signal?.aborted) state = 'completed'
    } catch (error) {
      if (!signal?.aborted) state = 'failed'
      throw error
    } finally {
      const { kind, traceParent } = this.#begun
      const usage = { runs: this.#usages.length, ...usageOf(this.#usages) }
      if (this.#told !== null) await fact(this.#context, 'group.ended', { kind, traceParent, state, counts, usage })
    }
  }
}

/** What runs have used together; a cost is unknown where one of theirs is. */
export function usageOf(usages: readonly RunResult['usage'][]) {
  const sum = (of: (usage: RunResult['usage']) => number) => usages.reduce((all, usage) => all + of(usage), 0)
  return {
    modelCalls: sum(({ modelCalls }) => modelCalls),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    costUsd: usages.every(({ costUsd }) => costUsd !== null) ? sum(({ costUsd }) => costUsd ?? 0) : null,
  }
}

/** What the run of an idempotency key has come to; null if there is none. */
export type ReadRun = (idempotencyKey: string) => Promise<RunResult | null>

/** Reads runs from the log; those that are asked for in one turn of the event loop are read together. */
export function runReader({ events }: Pick<Storage, 'events'>): ReadRun {
  let wanted: string[] = []
  let reading: Promise<ReadonlyMap<string, RunResult>> | null = null
  const read = async () => {
    await turnOfTheLoop()
    const results = new Map<string, RunResult>()
    const logs = events.logs(wanted)
    wanted = []
    reading = null
    for await (const log of logs) if (log[0]) results.set(log[0].correlationId, resultOf(log))
    return results
  }
  return async (key) => {
    const runId = runIdOf(key)
    wanted.push(runId)
    reading ??= read()
    return (await reading).get(runId) ?? null
  }
}
