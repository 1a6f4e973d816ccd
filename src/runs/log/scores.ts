import { z } from 'zod'
import type { Mask } from '../../credentials/index.ts'
import { ScoreInvalid } from '../../errors.ts'
import { confidenceScore, type KeptScore, type Score, type ScoreSender, type Subscriber } from '../../events/index.ts'
import { problemsIn, type Shape } from '../../options.ts'
import { checkIdentifier, type Storage } from '../../storage/index.ts'
import { noteName } from './note.ts'
import { creationOf } from './read-log.ts'

/** A judgement on a run. */
export interface NewScore {
  /** A letter, then letters, digits, `_`, `-`, `.`, `:` and spaces; at most 64 characters. */
  readonly name: string
  /** A finite number, a yes or no, or a category of at most 500 characters. */
  readonly value: number | boolean | string
  /** At most 5,000 characters. */
  readonly comment?: string
  /** The author. */
  readonly userId?: string
}

export interface RunScoresParts {
  readonly storage: Pick<Storage, 'scores' | 'events'>
  /** null where nothing is traced in Langfuse: scores are kept until it is. */
  readonly langfuse: ScoreSender | null
  /** Applied to scores before they are stored or sent. */
  readonly mask: Mask
}

/** How long the end of the engine waits for scores to arrive. */
const flushMs = 2500
/** How many waiting scores are sent after one that arrives. */
const waitingAtOnce = 100

/** Scores of runs, by people and by the runs themselves: stored first, then attached to traces in Langfuse. */
export class RunScores {
  readonly #parts: RunScoresParts
  readonly #sending = new Set<Promise<unknown>>()
  readonly #stop = new AbortController()
  #catchingUp: Promise<void> | null = null

  constructor(parts: RunScoresParts) {
    this.#parts = parts
  }

  /** Throws `RunNotFound`, `InvalidId`, `ScoreInvalid`. */
  async score(runId: string, given: NewScore): Promise<KeptScore> {
    const { storage, langfuse, mask } = this.#parts
    const { comment = null, userId = null, ...said } = checkScore(given, mask)
    await storage.events.run(checkIdentifier('run', runId))
    const scoredAt = new Date().toISOString()
    const delivery = (await isCopy(runId, storage)) ? 'local' : 'waiting'
    const kept: KeptScore = { runId, ...said, comment, userId, scoredAt, delivery }
    await storage.scores.put(kept)
    if (!langfuse || delivery === 'local') return kept
    const delivered = this.#deliver(kept, langfuse)
    this.#background(delivered)
    return { ...kept, delivery: await delivered }
  }

  async of(runId: string): Promise<readonly KeptScore[]> {
    const { scores, events } = this.#parts.storage
    await events.run(checkIdentifier('run', runId))
    return (await scores.of(runId)).filter(({ name }) => name !== noteName)
  }

  /** Attaches the confidence of each run that ends to its trace; only the end of the engine waits for it. */
  subscriber(): Subscriber | null {
    const { langfuse } = this.#parts
    if (!langfuse) return null
    const receive: Subscriber = (line) => {
      if (line.type !== 'run.completed') return
      const { runId, timestamp: scoredAt, payload } = line
      if (payload.confidence === null) return
      const score = { runId, name: confidenceScore, value: payload.confidence, comment: null, userId: null, scoredAt }
      // Not stored: the log has it too, and without a trace there is nothing to attach it to.
      const sent = this.#send(score, langfuse)
      this.#background(sent.then((delivery) => (delivery === 'delivered' ? this.#catchUp(langfuse) : undefined)))
    }
    return Object.assign(receive, { flush: () => this.#flush() })
  }

  async #deliver(score: KeptScore, langfuse: ScoreSender): Promise<KeptScore['delivery']> {
    const delivery = await this.#send(score, langfuse)
    if (delivery === 'waiting') return delivery
    await this.#parts.storage.scores.settle(score, delivery)
    if (delivery === 'delivered') this.#background(this.#catchUp(langfuse))
    return delivery
  }

  /** A score that arrives shows that Langfuse is reachable: waiting scores are sent until one has to wait again. */
  #catchUp(langfuse: ScoreSender): Promise<void> {
    this.#catchingUp ??= this.#sendWaiting(langfuse).finally(() => {
      this.#catchingUp = null
    })
    return this.#catchingUp
  }

  async #sendWaiting(langfuse: ScoreSender): Promise<void> {
    const { scores } = this.#parts.storage
    for (const score of await scores.waiting(waitingAtOnce)) {
      const delivery = await this.#send(score, langfuse)
      if (delivery === 'waiting') return
      await scores.settle(score, delivery)
    }
  }

  async #send(score: Score, langfuse: ScoreSender) {
    // A run that is not saved has no log.
    const created = await creationOf(score.runId, this.#parts.storage).catch(() => null)
    return langfuse.send(score, this.#stop.signal, created?.payload.traceParent)
  }

  #background(work: Promise<unknown>): void {
    // Failed scores are sent later.
    const done: Promise<unknown> = work.catch(() => {}).finally(() => this.#sending.delete(done))
    this.#sending.add(done)
  }

  async #flush(): Promise<void> {
    const timer = setTimeout(() => this.#stop.abort(), flushMs)
    // A score that arrives may start others.
    while (this.#sending.size > 0) await Promise.all(this.#sending)
    clearTimeout(timer)
  }
}

const name = z
  .string()
  .regex(
    /^\p{L}[\p{L}\p{N}_.: -]{0,63}$/u,
    'use a letter first, then letters, digits, "_", "-", ".", ":" and spaces; at most 64',
  )
  .refine((value) => value !== confidenceScore, `"${confidenceScore}" is what the run itself states; take another name`)

const newScore = z.strictObject({
  name,
  value: z.union([
    z.number(),
    z.boolean(),
    z
      .string()
      .max(500, 'at most 500 characters')
      .refine((text) => text.trim() !== '', 'must not be empty'),
  ]),
  comment: z.string().max(5000, 'at most 5,000 characters').optional(),
  userId: z.string().min(1).max(200).optional(),
} satisfies Shape<NewScore>)

/** Names identify scores, so they are not masked: a name that holds a credential is refused. */
function checkScore(given: unknown, mask: Mask) {
  const parsed = newScore.safeParse(given)
  if (!parsed.success) throw new ScoreInvalid(`The score cannot be used: ${problemsIn(parsed.error)}`)
  if (mask(parsed.data.name) === parsed.data.name) return mask(parsed.data)
  throw new ScoreInvalid('The score cannot be used: its name holds a configured credential')
}

/** A run that was copied from another thread has no trace of its own. */
async function isCopy(runId: string, storage: Pick<Storage, 'events'>): Promise<boolean> {
  return (await creationOf(runId, storage)).payload.copiedFrom !== undefined
}
