import { createQuaero, type Quaero, type RunResult, type StreamEvent } from '../../src/index.ts'
import { type Account, accountOf } from './account.ts'

/** A question as it is put. */
export interface Asked {
  readonly id: string
  readonly question: string
  /** The question that is asked before it, in the same thread. */
  readonly after?: string
  /** Where it may look; without them, in the whole library. */
  readonly documentIds?: readonly string[]
}

/** Questions of one thread. */
export type Conversation<Q extends Asked> = readonly Q[]

/** What came of a question, while the library is still open. */
export interface Outcome<Q extends Asked> {
  readonly asked: Q
  readonly result: RunResult
  readonly account: Account
  readonly quaero: Quaero
}

export interface AskingOptions {
  readonly dataDir: string
  /** `openai:<name>` or `extractive`; null: as the environment says. */
  readonly model: string | null
  /** The base URL of the model's endpoint; null: as the environment says. */
  readonly endpoint?: string | null
  /** A folder with prompts of the benchmark's own. */
  readonly promptsDir?: string | null
}

/** For a model that may take as long as it likes. */
export const patient = {
  limits: { wallClockSeconds: null },
  endpoint: { headersTimeoutSeconds: 1e6, idleTimeoutSeconds: 1e6 },
} as const

/** Conversations at a time with a model over HTTP. */
const AT_ONCE = 6

/** Questions with those that are asked after them. */
export function conversationsIn<Q extends Asked>(questions: readonly Q[]): readonly Conversation<Q>[] {
  const found = new Map<string, Q[]>()
  for (const question of questions) {
    const conversation = found.get(question.after ?? '') ?? []
    conversation.push(question)
    found.set(question.id, conversation)
  }
  return [...new Set(found.values())]
}

/** One of so many in a row, the same each time, and each time another of them: sets have their questions in a pattern. */
export function oneIn<T>(every: number, all: readonly T[]): readonly T[] {
  return all.filter((_, at) => at % every === Math.floor(at / every) % every)
}

/** Asks the questions of all conversations over a library, and tells what came of each. */
export async function askAll<Q extends Asked>(
  conversations: readonly Conversation<Q>[],
  { dataDir, model, endpoint = null, promptsDir = null }: AskingOptions,
  take: (outcome: Outcome<Q>) => Promise<void>,
): Promise<void> {
  const lines = new Map<string, StreamEvent[]>()
  const keep = (line: StreamEvent) => {
    if (line.type !== 'message.delta') lines.set(line.runId, [...(lines.get(line.runId) ?? []), line])
  }
  const settings = {
    ...patient,
    promptsDir,
    endpoint: { ...patient.endpoint, ...(endpoint !== null && { baseUrl: endpoint }) },
  }
  const quaero = await createQuaero({ dataDir, settings, subscribers: [keep], ...(model !== null && { model }) })
  const waiting = [...conversations]
  const askNext = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      let threadId: string | undefined
      for (const asked of next) {
        const { question, documentIds } = asked
        const where = { ...(documentIds && { documentIds }), ...(threadId !== undefined && { threadId }) }
        const result = await quaero.ask(question, where)
        threadId = result.threadId
        const account = accountOf(lines.get(result.runId) ?? [])
        lines.delete(result.runId)
        await take({ asked, result, account, quaero })
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: model === 'extractive' ? 1 : AT_ONCE }, askNext))
  } finally {
    await quaero.close()
  }
}
