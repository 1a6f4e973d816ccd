import { createHash } from 'node:crypto'
import { type Message, textOf } from './shapes.ts'

const mostKept = 2000

/**
 * The thread that a conversation continues, for clients that send all of it each time and name no thread. It is known by
 * the last answer and what was asked before; after a restart, such a conversation begins anew.
 */
export class ConversationThreads {
  readonly #threads = new Map<string, string>()

  /** The thread in which the messages before the last question were said; null if that is not known. */
  of(user: string, messages: readonly Message[]): string | null {
    const last = messages.findLastIndex(({ role }) => role === 'user')
    return this.#threads.get(keyOf(user, messages.slice(0, last))) ?? null
  }

  keep(user: string, messages: readonly Message[], answer: string, threadId: string): void {
    const [oldest] = this.#threads.keys()
    if (this.#threads.size >= mostKept && oldest !== undefined) this.#threads.delete(oldest)
    this.#threads.set(keyOf(user, [...messages, { role: 'assistant', content: answer }]), threadId)
  }
}

function keyOf(user: string, messages: readonly Message[]): string {
  const said = messages.filter(({ role }) => role === 'user' || role === 'assistant')
  const words = said.map((each) => [each.role, textOf(each).trim()])
  return createHash('sha256')
    .update(JSON.stringify([user, words]))
    .digest('base64')
}
