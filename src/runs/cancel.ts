import { ThreadBusy } from '../errors.ts'
import type { Event, Subscribers } from '../events/index.ts'
import type { Storage } from '../storage/index.ts'
import { Attempt } from './attempt.ts'
import { closeWhatCrashed, logOf } from './log/read-log.ts'

interface CancelParts {
  readonly storage: Storage
  readonly audience: Subscribers
  readonly model: string
}

/**
 * Cancels a run that this process does not work on: at once if no process does, while it holds the thread's lease; else by
 * a request that the process of the run reads from the log.
 */
export async function cancelElsewhere(requested: Event, threadId: string, parts: CancelParts): Promise<void> {
  const { storage, audience, model } = parts
  const runId = requested.correlationId
  const isTaken = await storage.leases.acquire(threadId, runId).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ThreadBusy) return false
      throw error
    },
  )
  try {
    if (!isTaken && (await storage.leases.holder(threadId))?.runId === runId) {
      await storage.events.append(requested)
      return
    }
    // An attempt, so that these events are stored and published like any other.
    const log = await logOf(runId, storage)
    const attempt = new Attempt({ storage, audience, hooks: () => [] }, { log, model })
    for (const each of [...closeWhatCrashed(log), requested]) await attempt.emit(each)
    await storage.dropParked(runId)
  } finally {
    if (isTaken) await storage.leases.release(threadId, runId)
  }
}

/** How often the log is looked at: where the storage tells of requests, in case it does not. */
const everyMs = { untold: 250, told: 2000 }

/** Watches the log for a cancel that another process requests. The log is read only if another process has written. */
export class CancelWatch {
  readonly #attempt: Attempt
  readonly #storage: Pick<Storage, 'events' | 'live'>
  #timer: NodeJS.Timeout | undefined
  #stop: (() => void) | undefined
  #seen: number | null = null

  constructor(attempt: Attempt, storage: Pick<Storage, 'events' | 'live'>) {
    this.#attempt = attempt
    this.#storage = storage
  }

  begin(): void {
    const { runId, threadId } = this.#attempt
    if (threadId === null) return
    // A failed look is repeated; if the storage is gone, the run itself reports it.
    const look = () => void this.look().catch(() => {})
    this.#stop = this.#storage.live?.watch?.(runId, look)
    this.#timer = setInterval(look, this.#stop ? everyMs.told : everyMs.untold)
    this.#timer.unref()
  }

  async look(): Promise<void> {
    if (this.#attempt.threadId === null) return
    const { runId } = this.#attempt
    const { events } = this.#storage
    const version = await events.version()
    if (version === this.#seen) return
    const { state } = (await events.run(runId)).status
    if (state === 'cancelling' || state === 'cancelled') {
      for await (const event of events.read(runId)) {
        if (event.type === 'cancel.requested' && this.#attempt.learn(event)) this.#attempt.stop('cancelled')
      }
    }
    this.#seen = version
  }

  end(): void {
    this.#stop?.()
    clearInterval(this.#timer)
  }
}
