import type { StreamEvent, Subscriber } from './stream-event.ts'

/**
 * Those who watch. Everyone is told of the same copy, which nobody can change: not for the others, and not for the run.
 * Nobody is waited for, and a subscriber that fails is told no more.
 */
export class Subscribers {
  readonly #subscribers: readonly Subscriber[]
  readonly #onError: (error: unknown) => void
  readonly #failed: Set<Subscriber>

  /** `onError` is told once for each subscriber that fails. */
  constructor(
    subscribers: readonly Subscriber[],
    onError: (error: unknown) => void,
    failed: Set<Subscriber> = new Set(),
  ) {
    this.#subscribers = subscribers
    this.#onError = onError
    this.#failed = failed
  }

  /** The same, and others: who has failed before is told no more here either. */
  with(others: readonly Subscriber[]): Subscribers {
    return new Subscribers([...this.#subscribers, ...others], this.#onError, this.#failed)
  }

  /** Returns what everyone was told. */
  tell(event: StreamEvent): StreamEvent {
    const line = frozenCopy(event)
    for (const each of this.#subscribers) this.#tellOne(each, line)
    return line
  }

  /** Lets everyone finish what they still have to do; rejects never. */
  async flush(): Promise<void> {
    await Promise.allSettled(this.#subscribers.map(async (each) => each.flush?.()))
  }

  #tellOne(subscriber: Subscriber, line: StreamEvent): void {
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

function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  const copy = Array.isArray(value)
    ? value.map(frozenCopy)
    : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, frozenCopy(each)]))
  return Object.freeze(copy) as T
}
