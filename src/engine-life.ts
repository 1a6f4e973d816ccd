import { randomUUID } from 'node:crypto'
import type { Credentials } from './credentials/index.ts'
import { NotReady } from './errors.ts'
import {
  type Context,
  cleanEvent,
  type EngineStatus,
  type Event,
  type Hooks,
  initialEngineStatus,
  reduceEngineStatus,
  type Subscribers,
  span,
} from './events/index.ts'

export interface EngineLifeOptions {
  readonly hooks: readonly Hooks[]
  readonly audience: Subscribers
  /** Removes credentials from events. */
  readonly credentials: Credentials
}

/** The engine's own events: its start, files read outside any run, its end. They are folded and published, not stored. */
export class EngineLife {
  readonly id: string = `engine-${randomUUID()}`
  readonly #options: EngineLifeOptions
  #status: EngineStatus = initialEngineStatus
  #root: string | undefined
  /** Aborted when the engine closes. */
  readonly closing = new AbortController()

  constructor(options: EngineLifeOptions) {
    this.#options = options
  }

  status(): EngineStatus {
    return this.#status
  }

  /** The whole start. If `signal` is aborted it counts as stopped, not as failed. Throws the error of the work. */
  async start<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#spanWith(this.context(signal), 'engine', work)
  }

  /** One step of the start; `describe` gives the detail of its result. */
  step<T>(
    name: string,
    { signal, describe }: { readonly signal: AbortSignal; readonly describe?: (made: T) => string },
    work: () => T | Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    return this.#spanWith(this.context(signal), name, work, describe)
  }

  /** The end: from now on, nothing begins. */
  async stop(reason: string, work: () => Promise<void>): Promise<void> {
    this.closing.abort()
    await span(this.context(), 'shutdown', { reason }, async () => {
      await work()
      return {}
    })
  }

  /** The context of spans outside any run. */
  context(signal: AbortSignal = new AbortController().signal): Context {
    return {
      correlationId: this.id,
      ...(this.#root !== undefined && { causationId: this.#root }),
      threadId: null,
      documents: null,
      hooks: this.#options.hooks,
      credentials: this.#options.credentials,
      signal,
      emit: async (event) => this.#take(event),
      interruption: () => (signal.aborted ? 'shutdown' : undefined),
    }
  }

  /** Throws `NotReady` unless the engine takes questions. */
  requireReady(): void {
    if (this.#status.state === 'ready') return
    throw new NotReady('This Quaero is closed, or closing, and takes no more questions.')
  }

  async #spanWith<T>(
    context: Context,
    step: string,
    work: () => T | Promise<T>,
    describe?: (made: T) => string,
  ): Promise<T> {
    const made: T[] = []
    await span(context, 'bootstrap', { step }, async () => {
      const value = await work()
      made.push(value)
      return describe ? { detail: describe(value) } : {}
    })
    for (const value of made) return value
    // A span completes without its work only if a hook skips it.
    throw new NotReady(`The step "${step}" of the start was left out by a hook.`)
  }

  #take(given: Event): void {
    const event = cleanEvent(given, this.#options.credentials)
    if (event.type === 'bootstrap.started') this.#root ??= event.id
    this.#status = reduceEngineStatus(this.#status, event)
    const { audience } = this.#options
    audience.notify({ ...event, runId: this.id, threadId: null })
  }
}
