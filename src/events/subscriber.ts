import type { Event, StoredEvent } from './event.ts'
import type { RunState } from './status.ts'

/** Subscribers are not waited for, and one that fails gets no more events. */
export class Subscribers {
  /** Those of the program: they change no line, and get the lines themselves. */
  readonly #own: readonly Subscriber[]
  /** Those that were given: they get frozen copies. */
  readonly #given: readonly Subscriber[]
  readonly #onError: (error: unknown) => void
  readonly #failed: Set<Subscriber>

  /** `onError` is called once for each subscriber that fails. */
  constructor(
    given: readonly Subscriber[],
    onError: (error: unknown) => void,
    own: readonly Subscriber[] = [],
    failed: Set<Subscriber> = new Set(),
  ) {
    this.#given = given
    this.#onError = onError
    this.#own = own
    this.#failed = failed
  }

  /** These subscribers and others of the program; one that has failed stays excluded. */
  withOwn(others: readonly Subscriber[]): Subscribers {
    return new Subscribers(this.#given, this.#onError, [...this.#own, ...others], this.#failed)
  }

  get isEmpty(): boolean {
    return this.#given.length + this.#own.length === 0
  }

  /** Sends a line. */
  notify(line: StreamEvent): void {
    for (const each of this.#own) this.#notifyOne(each, line)
    if (this.#given.length === 0) return
    const copy = frozenCopy(line)
    for (const each of this.#given) this.#notifyOne(each, copy)
  }

  /** Lets all subscribers finish; never rejects. */
  async flush(): Promise<void> {
    await Promise.allSettled([...this.#given, ...this.#own].map(async (each) => each.flush?.()))
  }

  #notifyOne(subscriber: Subscriber, line: StreamEvent): void {
    if (this.#failed.has(subscriber)) return
    const drop = (error: unknown) => {
      if (this.#failed.has(subscriber)) return
      this.#failed.add(subscriber)
      this.#onError(error)
    }
    try {
      Promise.resolve(subscriber(line)).catch(drop)
    } catch (error) {
      drop(error)
    }
  }
}

/** A copy that no subscriber can change for the others or for the run. */
export function frozenCopy<T>(value: T): T
export function frozenCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const copy = Array.isArray(value)
    ? value.map(frozenCopy)
    : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, frozenCopy(each)]))
  return Object.freeze(copy)
}

/** A derived line: the run's state changed. Streamed, never stored. */
export interface StatusChanged {
  readonly id: string
  readonly type: 'status.changed'
  /** ISO 8601. */
  readonly timestamp: string
  readonly correlationId: string
  readonly payload: {
    readonly from: RunState
    readonly to: RunState
    /** The type of the event that changed it. */
    readonly trigger: string
    /** The tool behind the change: one that waits for approval, or whose failure ended the run. */
    readonly tool?: string
    /** What ended the run, if something went wrong. */
    readonly error?: { readonly code: string; readonly message: string }
  }
}

/**
 * One line of a run's stream. Stored events carry their `position` in the log; `message.delta` and `status.changed` are
 * never stored. Events of the engine's own life carry the engine's id, `engine-…`, as `runId`, and no thread.
 */
export type StreamEvent = (Event | StoredEvent | StatusChanged) & {
  readonly runId: string
  readonly threadId: string | null
}

/** Watches a run without changing it; errors are reported and ignored. */
export interface Subscriber {
  (event: StreamEvent): void | Promise<void>
  /** Finishes what the subscriber still has to do; called once, and waited for within bounds, when the engine closes. */
  readonly flush?: () => Promise<void>
}
