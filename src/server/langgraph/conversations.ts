import { type RunResult, type ThreadMessage, ThreadNotFound } from '../../index.ts'
import type { UserEngine } from '../access/user-engine.ts'
import { type ClientIds, type Values, wireMessages } from './objects.ts'

const mostKept = 2000

/** Ids that clients gave their questions, so that what they show at once and what the server says are one message. */
export class QuestionIds implements ClientIds {
  readonly #ids = new Map<string, string>()

  get(runId: string): string | undefined {
    return this.#ids.get(runId)
  }

  keep(runId: string, id: string): void {
    const [oldest] = this.#ids.keys()
    if (this.#ids.size >= mostKept && oldest !== undefined) this.#ids.delete(oldest)
    this.#ids.set(runId, id)
  }
}

/** The messages of a thread; none for one that has no turn yet, which clients make before they ask. */
export async function messagesOf(engine: UserEngine, threadId: string): Promise<readonly ThreadMessage[]> {
  return engine.messages(threadId).catch((error: unknown) => {
    if (error instanceof ThreadNotFound) return []
    throw error
  })
}

/** The state's values after a turn, the last if none is named. */
export async function valuesAfter(
  engine: UserEngine,
  threadId: string,
  ids: ClientIds,
  result: RunResult | null,
): Promise<Values> {
  const all = await messagesOf(engine, threadId)
  const end = result ? all.findLastIndex(({ runId }) => runId === result.runId) + 1 : all.length
  const messages = wireMessages(all.slice(0, end || all.length), ids)
  if (!result) return { messages }
  const { citations, confidence, abstained, unsupported } = result
  return { messages, citations, confidence, abstained, unsupported }
}
