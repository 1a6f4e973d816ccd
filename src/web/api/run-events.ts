import { body, framesOf, type Limit, Offline, pause, Refused, type StreamEvent, send } from './requests.ts'

/** What a question searches. */
export interface QuestionChoice extends Partial<Limit> {
  readonly documentIds?: readonly string[]
}

export interface NewQuestion extends QuestionChoice {
  readonly question: string
  readonly threadId: string
  readonly idempotencyKey: string
}

/** The answer to an approval: the call as it is or with other arguments, or a refusal. */
export interface Answer {
  readonly approved: boolean
  readonly reason?: string
  readonly args?: Readonly<Record<string, unknown>>
}

export interface Reading {
  readonly signal: AbortSignal
  /** Hears when the connection is lost, and when it is there again. */
  readonly onConnection: (isLost: boolean) => void
}

export function ask(question: NewQuestion, reading: Reading): AsyncIterable<StreamEvent> {
  return reconnecting('/api/ask', body({ ...question, approve: 'ask' }), reading)
}

export function follow(runId: string, reading: Reading): AsyncIterable<StreamEvent> {
  return reconnecting(`/api/runs/${runId}/events`, {}, reading)
}

export function resume(runId: string, answers: Readonly<Record<string, Answer>>, reading: Reading) {
  return reconnecting(`/api/runs/${runId}/resume`, body({ answers }), reading)
}

const mostTries = 7
const longestWaitMs = 8000

/**
 * The events of a run; where the connection is cut, reading goes on after the last event that came. A request that did
 * not reach the server is sent again: the key of a question makes that harmless. Throws `Refused`, `Offline`.
 */
async function* reconnecting(path: string, init: RequestInit, reading: Reading): AsyncGenerator<StreamEvent> {
  const { signal, onConnection } = reading
  const first = { ...init, signal, headers: { ...init.headers, accept: 'text/event-stream' } }
  let runId: string | null = null
  let position = 0
  for (let tries = 1; ; tries += 1) {
    try {
      const after = `/api/runs/${runId}/events?after=${position}`
      const response: Response = await (runId === null ? send(path, first) : send(after, { signal }))
      onConnection(false)
      for await (const { data: event } of framesOf<StreamEvent>(response)) {
        tries = 1
        runId = event.runId
        if ('position' in event) position = event.position
        yield event
      }
      return
    } catch (error) {
      await beforeNext(tries, error, reading)
    }
  }
}

/** Waits before the next try. Throws where there is to be none. */
async function beforeNext(tries: number, error: unknown, { signal, onConnection }: Reading): Promise<void> {
  if (signal.aborted || error instanceof Refused) throw error
  if (tries > mostTries) throw new Offline('The server does not answer any more.')
  onConnection(true)
  await pause(Math.min(longestWaitMs, 250 * 2 ** tries), signal)
}
