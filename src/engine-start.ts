import type { AskOptions, AttemptChoices, Quaero, StartingQuaero } from './api.ts'
import type { EngineLife } from './engine-life.ts'
import { asError, NotReady } from './errors.ts'
import { unlessAborted } from './events/index.ts'

/** What `startQuaero` returns: an engine that starts. Questions wait until it is ready. */
export class EngineStart implements StartingQuaero {
  readonly #life: EngineLife
  readonly #opening: Promise<Quaero>
  readonly #left = new AbortController()

  constructor(life: EngineLife, open: (signal: AbortSignal) => Promise<Quaero>) {
    this.#life = life
    this.#opening = open(this.#left.signal)
    // Callers of `ready` get the error; an unawaited failure must not end the process.
    this.#opening.catch(() => {})
  }

  status() {
    return this.#life.status()
  }

  ready() {
    return this.#opening
  }

  async ask(question: string, options: AskOptions = {}) {
    return (await this.#started(options)).ask(question, options)
  }

  async *stream(question: string, options: AskOptions = {}) {
    yield* (await this.#started(options)).stream(question, options)
  }

  async close() {
    this.#left.abort(new NotReady('This Quaero was closed before it was ready.'))
    const quaero = await this.#opening.catch(() => null)
    await quaero?.close()
  }

  /** The engine once it is ready. Rejects when the caller's signal is aborted first. */
  async #started(options: AttemptChoices): Promise<Quaero> {
    // Invalid options are refused by the engine.
    const given: unknown = options?.signal
    try {
      return await (given instanceof AbortSignal ? unlessAborted(this.#opening, given) : this.#opening)
    } catch (cause) {
      if (given instanceof AbortSignal && given.aborted) throw cause
      throw this.#refusal(cause)
    }
  }

  #refusal(cause: unknown): NotReady {
    if (cause instanceof NotReady) return cause
    const { step } = this.#life.status().error ?? {}
    const where = step ? ` at the step "${step}"` : ''
    return new NotReady(`This Quaero could not start${where}, and takes no questions: ${asError(cause).message}`, {
      cause,
    })
  }
}
