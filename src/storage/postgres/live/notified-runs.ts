import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { LiveReader, LiveRuns } from '../../storage.ts'
import type { Sql } from '../database/connection.ts'
import { notifyOfRun, runsChannel, sendJson, sendMessages } from '../database/notifications.ts'
import { FollowedRun } from './followed-run.ts'
import { Listener } from './listener.ts'
import { PublishedRun } from './published-run.ts'
import { channelOf, parsed, type RunMessage, type RunsMessage, runsMessage } from './run-messages.ts'

/** How often this process asks on for the runs that it follows, and looks who works on them. Milliseconds. */
const checkEveryMs = 2000
/** What this process asks comes back to itself, so that so much silence means a dead connection. Milliseconds. */
const silentMs = 3 * checkEveryMs
/** Closing does not wait longer for last lines. Milliseconds. */
const closesWithinMs = 1000

/** Who works on which run, by the leases. */
export interface RunOwners {
  /** Names this storage among those that hold leases. */
  readonly owner: string
  /** Whose leases the runs are under now, by run. */
  ownersOf(runIds: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/**
 * Offers runs to other processes by LISTEN and NOTIFY. Who follows a run asks its owner on the channel of all runs, and hears
 * a state to join at and the lines on a channel of the run. Nothing is sent of a run for which nobody asks. Where no
 * answer comes, runs are followed in the log.
 */
export class NotifiedRuns implements LiveRuns {
  readonly #sql: Sql
  readonly #leases: RunOwners
  readonly #listener: Listener
  readonly #offered = new Map<string, PublishedRun>()
  /** The runs that are withdrawn, with last lines to send. */
  readonly #ending = new Map<Promise<void>, string>()
  readonly #followed = new Map<string, FollowedRun>()
  readonly #watchers = new Map<string, Set<() => void>>()
  #hearing: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined

  /** `pool`: of one connection, for this alone. */
  constructor(sql: Sql, pool: Pool, leases: RunOwners) {
    this.#sql = sql
    this.#leases = leases
    this.#listener = new Listener(pool, () => this.#startAgain())
  }

  offer(runId: string, join: () => LiveReader): () => void {
    const published = new PublishedRun(join, (message) => this.#sendTo(runId, message))
    this.#offered.set(runId, published)
    // Without it, followers look into the log.
    const tell = async () => {
      await this.#hearRuns()
      await notifyOfRun(this.#sql, runId)
    }
    void tell().catch(() => {})
    return () => {
      if (this.#offered.get(runId) === published) this.#offered.delete(runId)
      const ending = published.close().finally(() => this.#ending.delete(ending))
      this.#ending.set(ending, runId)
    }
  }

  async join(runId: string, signal?: AbortSignal): Promise<LiveReader | 'late' | null> {
    const owner = (await this.#leases.ownersOf([runId])).get(runId)
    if (owner === undefined || owner === this.#leases.owner || signal?.aborted) return null
    const followed = this.#follow(runId, owner)
    const reader = followed.join(signal)
    const ask = async () => {
      await this.#hearRuns()
      await this.#listener.listen(channelOf(owner, runId), (part) => this.#followed.get(runId)?.hear(part))
      await this.#ask([{ runId, owner, asks: 'to join' }])
    }
    void ask().catch(() => {})
    return await reader
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
    for (const followed of this.#followed.values()) followed.end()
    const ending = [...this.#ending.keys(), ...[...this.#offered.values()].map((each) => each.close())]
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
    if (!('asks' in message)) this.#tell(message.runId, message.threadId)
    else if (message.owner === this.#leases.owner) this.#answer(message.runId, message.asks)
  }

  #tell(runId: string, threadId?: string): void {
    for (const wake of this.#watchers.get(runId) ?? []) wake()
    if (threadId !== undefined) for (const wake of this.#watchers.get(keyOfThread(threadId)) ?? []) wake()
    const followed = this.#followed.get(runId)
    // Its owner may not have heard what was asked before, or has an end to tell.
    if (followed) void this.#ask([{ runId, owner: followed.owner, asks: 'to join' }]).catch(() => {})
  }

  #answer(runId: string, asks: 'to join' | 'to go on'): void {
    const published = this.#offered.get(runId)
    this.#keepTime()
    const isEnding = [...this.#ending.values()].includes(runId)
    if (asks === 'to join' && published) published.join()
    // The last lines say it themselves, and go another way to the server than this would.
    else if (!isEnding && !published?.want()) void this.#sendTo(runId, { isOver: true }).catch(() => {})
  }

  #follow(runId: string, owner: string): FollowedRun {
    const known = this.#followed.get(runId)
    if (known?.owner === owner) return known
    known?.end()
    const followed = new FollowedRun(owner, () => {
      if (this.#followed.get(runId) !== followed) return
      this.#followed.delete(runId)
      this.#listener.unlisten(channelOf(owner, runId))
    })
    this.#followed.set(runId, followed)
    this.#keepTime()
    return followed
  }

  /** Messages are missing. */
  #startAgain(): void {
    for (const followed of this.#followed.values()) followed.end()
    for (const watchers of this.#watchers.values()) for (const wake of watchers) wake()
  }

  #keepTime(): void {
    this.#timer ??= setInterval(() => void this.#check().catch(() => {}), checkEveryMs)
    // Who follows waits for lines; who offers does not.
    if (this.#followed.size > 0) this.#timer.ref()
    else this.#timer.unref()
  }

  async #check(): Promise<void> {
    for (const published of this.#offered.values()) published.endIfUnwanted()
    this.#keepTime()
    if (this.#followed.size === 0) return
    if (this.#listener.silentMs > silentMs) this.#listener.reset()
    const followed = [...this.#followed]
    const owners = await this.#leases.ownersOf(followed.map(([runId]) => runId))
    // A process that was stopped loses its run to another.
    for (const [runId, each] of followed) if (owners.get(runId) !== each.owner) each.end()
    await this.#ask([...this.#followed].map(([runId, { owner }]) => ({ runId, owner, asks: 'to go on' })))
  }

  async #ask(messages: readonly RunsMessage[]): Promise<void> {
    const texts = messages.map((message) => JSON.stringify(message))
    await sendMessages(this.#sql, runsChannel, texts)
  }

  /** Sends to those who follow a run of this process. */
  async #sendTo(runId: string, message: RunMessage): Promise<void> {
    await sendJson(this.#sql, channelOf(this.#leases.owner, runId), JSON.stringify(message))
  }
}

/** Among the watchers of runs; no id of a run has a space. */
function keyOfThread(threadId: string): string {
  return `thread ${threadId}`
}
