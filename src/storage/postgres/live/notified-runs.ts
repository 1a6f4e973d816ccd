import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import { z } from 'zod'
import type { Mailbox } from '../../mailbox.ts'
import { type Channel, FarChannel, runSignal, type SignalSource } from '../../run-signals.ts'
import type { LiveRuns } from '../../storage.ts'
import { runWork, type Sql } from '../database/connection.ts'
import { dialect, runsChannel } from '../database/dialect.ts'
import { JsonParts, Listener, sendJson, sendMessages } from './channels.ts'
import { PublishedRun } from './published-run.ts'

/** On the channel of a run: what comes from the process that works on it. */
const signalsMessage = z.array(runSignal)

/** On the channel of all runs: news of a run, or that one who listens asks for its signals. */
const runsMessage = z.union([
  z.object({ asksFor: z.string() }),
  z.object({ runId: z.string(), threadId: z.string().optional() }),
])

/** How often this process asks again for the runs that it follows. Milliseconds. */
const askEveryMs = 2000
/** What this process asks comes back to itself, so that so much silence means a dead connection. Milliseconds. */
const silentMs = 3 * askEveryMs
/** Closing does not wait longer for last signals. Milliseconds. */
const closesWithinMs = 1000

/** A run of another process, as all followers in this one hear it. */
interface HeardRun {
  readonly channels: Set<FarChannel>
  readonly parts: JsonParts
}

/**
 * Offers runs to other processes by LISTEN and NOTIFY. Who follows a run asks for it on the channel of all runs, again and
 * again, and hears its signals on a channel of the run. Nothing is sent of a run for which nobody asks. Where no answer
 * comes, runs are followed in the log alone.
 */
export class NotifiedRuns implements LiveRuns {
  readonly #sql: Sql
  readonly #listener: Listener
  readonly #offered = new Map<string, PublishedRun>()
  /** The runs that are withdrawn, with last signals to send. */
  readonly #ending = new Set<Promise<void>>()
  readonly #heard = new Map<string, HeardRun>()
  readonly #watchers = new Map<string, Set<() => void>>()
  #hearing: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined

  /** `pool`: of one connection, for this alone. */
  constructor(sql: Sql, pool: Pool) {
    this.#sql = sql
    this.#listener = new Listener(pool, () => this.#startAgain())
  }

  offer(runId: string, source: SignalSource): () => void {
    const published = new PublishedRun(source, (signals) =>
      sendJson(this.#sql, channelOf(runId), JSON.stringify(signals)),
    )
    this.#offered.set(runId, published)
    // Without it, followers look into the log.
    const tell = async () => {
      await this.#hearRuns()
      await runWork(this.#sql, dialect.tell(runId))
    }
    void tell().catch(() => {})
    return () => {
      if (this.#offered.get(runId) === published) this.#offered.delete(runId)
      const ending = published.close().finally(() => this.#ending.delete(ending))
      this.#ending.add(ending)
    }
  }

  join(runId: string, mailbox: Mailbox): Channel {
    const channel = new FarChannel(mailbox)
    const heard = this.#heard.get(runId) ?? { channels: new Set(), parts: new JsonParts() }
    this.#heard.set(runId, heard)
    heard.channels.add(channel)
    channel.ended.addEventListener('abort', () => this.#leave(runId, heard, channel), { once: true })
    void this.#listenTo(runId).catch(() => {})
    return channel
  }

  watch(runId: string, wake: () => void): () => void {
    const watchers = this.#watchers.get(runId) ?? new Set()
    this.#watchers.set(runId, watchers.add(wake))
    void this.#hearRuns()
    return () => {
      watchers.delete(wake)
      if (watchers.size === 0) this.#watchers.delete(runId)
    }
  }

  watchThread(threadId: string, wake: () => void): () => void {
    return this.watch(keyOfThread(threadId), wake)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#closeChannels()
    const ending = [...this.#ending, ...[...this.#offered.values()].map((each) => each.close())]
    await Promise.race([Promise.all(ending), wait(closesWithinMs, undefined, { ref: false })])
    await this.#listener.close()
  }

  #hearRuns(): Promise<void> {
    this.#hearing ??= this.#listener.listen(runsChannel, (message) => this.#hear(message))
    return this.#hearing
  }

  #hear(json: string): void {
    const message = parsed(runsMessage, json)
    if (!message) return
    if ('asksFor' in message) this.#offered.get(message.asksFor)?.ask()
    else this.#tell(message.runId, message.threadId)
  }

  #tell(runId: string, threadId?: string): void {
    for (const wake of this.#watchers.get(runId) ?? []) wake()
    if (threadId !== undefined) for (const wake of this.#watchers.get(keyOfThread(threadId)) ?? []) wake()
    // The process that works on it may not have heard what was asked before.
    if (this.#heard.has(runId)) void this.#ask([runId]).catch(() => {})
  }

  async #listenTo(runId: string): Promise<void> {
    this.#timer ??= setInterval(() => void this.#askAgain().catch(() => {}), askEveryMs)
    await this.#hearRuns()
    await this.#listener.listen(channelOf(runId), (part) => this.#hearOf(runId, part))
    await this.#ask([runId])
  }

  #hearOf(runId: string, part: string): void {
    const heard = this.#heard.get(runId)
    const json = heard?.parts.add(part) ?? null
    const signals = json === null ? null : parsed(signalsMessage, json)
    if (signals) for (const channel of heard?.channels ?? []) channel.hear(signals)
  }

  #leave(runId: string, heard: HeardRun, channel: FarChannel): void {
    heard.channels.delete(channel)
    if (heard.channels.size > 0) return
    this.#heard.delete(runId)
    this.#listener.unlisten(channelOf(runId))
    if (this.#heard.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #askAgain(): Promise<void> {
    if (this.#listener.silentMs > silentMs) this.#listener.reset()
    await this.#ask([...this.#heard.keys()])
  }

  async #ask(runIds: readonly string[]): Promise<void> {
    const messages = runIds.map((asksFor) => JSON.stringify({ asksFor } satisfies z.output<typeof runsMessage>))
    await sendMessages(this.#sql, runsChannel, messages)
  }

  /** Messages are missing. */
  #startAgain(): void {
    this.#closeChannels()
    for (const watchers of this.#watchers.values()) for (const wake of watchers) wake()
  }

  #closeChannels(): void {
    for (const { channels } of [...this.#heard.values()]) for (const channel of channels) channel.close()
  }
}

/** Among the watchers of runs; no id of a run has a space. */
function keyOfThread(threadId: string): string {
  return `thread ${threadId}`
}

function channelOf(runId: string): string {
  return `quaero_${createHash('sha256').update(runId).digest('hex').slice(0, 40)}`
}

/** What the message says; null for one that another version of the program may have sent. */
function parsed<T>(schema: z.ZodType<T>, message: string): T | null {
  try {
    return schema.safeParse(JSON.parse(message)).data ?? null
  } catch {
    return null
  }
}
