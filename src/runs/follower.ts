import type { StreamEvent } from '../events/index.ts'
import { checkIdentifier } from '../storage/identifier.ts'
import type { Storage } from '../storage/storage.ts'
import type { RunInProgress } from './attempt/attempt.ts'
import { checkFollowOptions } from './attempt/check-options.ts'
import type { FeedReader } from './follow/feed.ts'
import { type FollowedRun, type FollowOptions, follow } from './follow/follow.ts'
import type { Runner } from './runner.ts'

/** What becomes of a run when whoever reads its stream leaves before the end. */
export type OnLeave = 'stop' | 'continue'

/**
 * Starts a run, or goes on with one; says when it begins, and resolves when it is over: with its id, if it is to be read
 * although another has begun it.
 */
export type RunWork = (left: AbortSignal, onBegin: (run: RunInProgress) => void) => Promise<string | null>

/** Lets runs be read as they happen. */
export class Follower {
  readonly #storage: Storage
  readonly #runner: Runner

  constructor({ storage, runner }: { readonly storage: Storage; readonly runner: Runner }) {
    this.#storage = storage
    this.#runner = runner
  }

  /** A run from wherever the reader wants, whoever works on it. Throws `RunNotFound`, `InvalidId`, `UsageError`. */
  async *follow(runId: string, options: FollowOptions = {}): AsyncGenerator<StreamEvent> {
    checkFollowOptions(options)
    const { threadId } = await this.#storage.events.run(checkIdentifier('run', runId))
    yield* follow(this.#followed(runId, threadId), options)
  }

  /** Does the work, and yields the lines of its run. A run that was begun by another is followed from its beginning. */
  async *stream(work: RunWork, onLeave: OnLeave = 'stop'): AsyncGenerator<StreamEvent> {
    const left = new AbortController()
    const { begun, begin } = firstRun()
    const done = (async () => work(left.signal, begin))()
    // Who has left is told no more; until then it is thrown below.
    done.catch(() => {})
    let isRead = false
    try {
      const joined = await Promise.race([begun, done.then(() => null)])
      if (joined) {
        const { run, reader } = joined
        const followed = this.#followed(run.runId, run.threadId ?? '')
        yield* follow(followed, { after: reader.position }, reader)
      }
      const runId = await done
      if (!joined && runId !== null) yield* this.follow(runId)
      isRead = true
    } finally {
      if (!isRead && onLeave === 'stop') {
        left.abort()
        await done
      }
    }
  }

  #followed(runId: string, threadId: string): FollowedRun {
    const { events, leases } = this.#storage
    return {
      runId,
      threadId,
      events,
      feed: () => this.#runner.feedOf(runId),
      isAtWork: async () => (await leases.holder(threadId))?.runId === runId,
    }
  }
}

interface Joined {
  readonly run: RunInProgress
  readonly reader: FeedReader
}

/** The run that begins, with a reader who has joined before its first line. */
function firstRun(): { readonly begun: Promise<Joined>; readonly begin: (run: RunInProgress) => void } {
  let begin: (run: RunInProgress) => void = () => {}
  const begun = new Promise<Joined>((resolve) => {
    begin = (run) => resolve({ run, reader: run.feed.join() })
  })
  return { begun, begin }
}
