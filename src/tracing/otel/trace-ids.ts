import { createHash } from 'node:crypto'

/** The trace of a run, by the run's id alone: every attempt joins it, and a link to it needs no request. */
export function traceIdOf(runId: string): string {
  return digest(runId, 32)
}

/** The root of a run's trace, the same for every attempt. */
export function rootSpanIdOf(runId: string): string {
  return digest(`${runId}:root`, 16)
}

/** A span is named by the event that started it. */
export function spanIdOf(startedEventId: string): string {
  return digest(startedEventId, 16)
}

/** The root of a trace that several runs share, in W3C's form (https://www.w3.org/TR/trace-context/#traceparent-header). */
export function traceParentOf(id: string): string {
  return `00-${traceIdOf(id)}-${rootSpanIdOf(id)}-01`
}

/** The trace of a run, and the span around its root: its own trace, unless it was asked with a `traceParent`. */
export function tracePlaceOf(runId: string, traceParent?: string) {
  const [, traceId = traceIdOf(runId), parentSpanId] = traceParent?.split('-') ?? []
  return { traceId, parentSpanId }
}

/** Hands out the ids that were planned for the next span; spans are started one after another, never at once. */
export class PlannedIds {
  #traceId = ''
  #spanId = ''

  plan(traceId: string, spanId: string): void {
    this.#traceId = traceId
    this.#spanId = spanId
  }

  readonly generateTraceId = (): string => this.#traceId
  readonly generateSpanId = (): string => this.#spanId
}

function digest(text: string, characters: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, characters)
}
