import { type RunResult, type RunSummary, type ThreadMessage, ThreadNotFound, type ThreadRecord } from '../../index.ts'
import type { UserEngine } from '../user/user-engine.ts'
import { evidenceOf, interruptsOf, thread, threadState, type Values, wireMessages } from './objects.ts'

const atWork: ReadonlySet<string> = new Set(['running', 'queued', 'cancelling'])

export function isAtWork({ status }: RunSummary): boolean {
  return atWork.has(status)
}

/** The messages of a thread; none for one that its first run is about to make. */
export async function messagesOf(engine: UserEngine, threadId: string): Promise<readonly ThreadMessage[]> {
  return engine.messages(threadId).catch((error: unknown) => {
    if (error instanceof ThreadNotFound) return []
    throw error
  })
}

/** The messages of a thread before one of its runs, and the question of that run. */
export async function conversationOf(engine: UserEngine, threadId: string, runId: string) {
  const all = await messagesOf(engine, threadId)
  const own = all.findIndex((each) => each.runId === runId)
  if (own < 0) return { before: wireMessages(all), question: undefined }
  const asked = all.slice(own).find((each) => each.runId === runId && each.role === 'user' && !each.added)
  return { before: wireMessages(all.slice(0, own)), question: wireMessages(asked ? [asked] : [])[0] }
}

/** The state's values after a turn. */
export function valuesAfter(all: readonly ThreadMessage[], result: RunResult): Values {
  const end = all.findLastIndex(({ runId }) => runId === result.runId) + 1
  const messages = wireMessages(all.slice(0, end || all.length))
  return { messages, ...evidenceOf(result) }
}

/** A thread as clients list it. Throws `ThreadNotFound`. */
export async function threadOf(engine: UserEngine, record: ThreadRecord) {
  const { threadId } = record
  const values = { messages: wireMessages(await messagesOf(engine, threadId)) }
  const last = (await engine.runs({ threadId, limit: 1 })).at(-1)
  const interrupts = last?.status === 'requires_action' ? interruptsOf(await engine.result(last.runId)) : []
  return thread(record, values, last, interrupts)
}

/** A state for each turn, the newest first; one empty state for a thread without turns. Throws `ThreadNotFound`. */
export async function statesOf(engine: UserEngine, threadId: string, limit = 10) {
  const all = await engine.messages(threadId)
  const runs = (await engine.runs({ threadId, limit: limit + 1 })).toReversed()
  if (runs.length === 0) return [threadState(threadId, { messages: [] }, null)]
  return Promise.all(
    runs.slice(0, limit).map(async (run, index) => {
      const result = await engine.result(run.runId)
      const parent = runs[index + 1]?.runId ?? null
      const turn = { result, isAtWork: isAtWork(run), createdAt: run.startedAt ?? '', parent }
      return threadState(threadId, valuesAfter(all, result), turn)
    }),
  )
}
