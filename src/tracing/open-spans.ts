import type { Event } from '../events/index.ts'

// A message that is complete is no span. (The kinds of spans are not imported: the thread that writes traces would load all
// schemas of events with them, and start late.)
const ends = /^(?!message\.)[a-z]+\.(?:completed|failed|interrupted)$/

/** Folds events into the spans that are open. Something is kept of each, for instance its start, until it has ended. */
export class OpenSpans<T> {
  readonly #open = new Map<string, T>()
  readonly #begun: (event: Event, parent: T | undefined) => T | undefined

  /** `begun` returns what is kept of a span, from its start; of a span without it, nothing is kept. */
  constructor(begun: (started: Event, parent: T | undefined) => T | undefined) {
    this.#begun = begun
  }

  /** What is kept of the span that the event begins, ends, or belongs to. */
  receive(event: Event): T | undefined {
    const around = this.#open.get(event.causationId ?? '')
    if (!event.type.endsWith('.started')) {
      if (endsSpan(event)) this.#open.delete(event.causationId ?? '')
      return around
    }
    const own = this.#begun(event, around)
    if (own !== undefined) this.#open.set(event.id, own)
    return own
  }

  /** Forgets all open spans, and returns what was kept of them, the innermost first. */
  abandon(): readonly T[] {
    const all = [...this.#open.values()].reverse()
    this.#open.clear()
    return all
  }
}

export function endsSpan({ type }: Event): boolean {
  return ends.test(type)
}
