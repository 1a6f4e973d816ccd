import { useRef, useState } from 'preact/hooks'
import { goTo } from '../address.ts'
import { Offline, Refused, type RunResult, runs, type StreamEvent } from '../api/requests.ts'
import { type Answer, ask, follow, type Reading, resume } from '../api/run-events.ts'
import { afterEvent, endedTurn, newTurn, type Turn } from './turn.ts'

export interface ConversationState {
  readonly threadId: string
  readonly turns: readonly Turn[]
  readonly onAsk: (question: string, documentIds: readonly string[]) => void
  /** Answers the approvals of the last turn, or resumes it where it was interrupted. */
  readonly onResume: (answers: Readonly<Record<string, Answer>>) => void
  readonly onStop: () => void
  /** Shows a stored conversation, and follows its run if one is at work. */
  readonly open: (threadId: string) => Promise<void>
  /** An empty conversation. */
  readonly begin: () => void
}

/** The conversation that is shown, with the run that is being watched. `onProblem` hears what cannot be shown in a turn. */
export function useConversation(onChange: () => void, onProblem: (error: Error) => void): ConversationState {
  const [threadId, setThreadId] = useState<string>(() => crypto.randomUUID())
  const [turns, setTurns] = useState<readonly Turn[]>([])
  const watched = useRef(new AbortController())
  const replaceLast = (turn: Turn) => setTurns((all) => [...all.slice(0, -1), turn])
  const leave = () => {
    watched.current.abort()
    watched.current = new AbortController()
    return watched.current.signal
  }
  const show = async (turn: Turn, events: (reading: Reading) => AsyncIterable<StreamEvent>, signal: AbortSignal) => {
    let isListed = turn.runId !== null
    const update = (next: Turn) => {
      if (signal.aborted) return
      if (!isListed && next.runId !== null) onChange()
      isListed = next.runId !== null
      replaceLast(next)
    }
    await watch(turn, events, signal, update)
    onChange()
  }
  const change = (id: string) => {
    setThreadId(id)
    setTurns([])
    return leave()
  }
  const load = async (id: string, signal: AbortSignal) => {
    const { ended, working } = await stored(id)
    if (signal.aborted) return
    const turn = working && newTurn(working.question, working.runId)
    setTurns([...ended.map(endedTurn), ...(turn ? [turn] : [])])
    if (turn) void show(turn, (reading) => follow(working.runId, reading), signal)
  }
  const last = turns.at(-1)
  return {
    threadId,
    turns,
    onAsk(question, documentIds) {
      goTo({ kind: 'thread', threadId })
      const turn = newTurn(question)
      setTurns((all) => [...all, turn])
      const chosen = documentIds.length > 0 ? { documentIds } : {}
      const asked = { question, threadId, ...chosen, idempotencyKey: crypto.randomUUID() }
      void show(turn, (reading) => ask(asked, reading), leave())
    },
    onResume(answers) {
      if (!last || last.runId === null) return
      const { runId } = last
      const turn = { ...last, isWorking: true, doing: 'Going on', result: null, error: null }
      replaceLast(turn)
      void show(turn, (reading) => resume(runId, answers, reading), leave())
    },
    onStop: () => void (last?.runId && runs.cancel(last.runId).catch(onProblem)),
    async open(id) {
      goTo({ kind: 'thread', threadId: id })
      const signal = change(id)
      await load(id, signal).catch((error: Error) => signal.aborted || onProblem(error))
    },
    begin() {
      goTo({ kind: 'new' })
      change(crypto.randomUUID())
    },
  }
}

/** Shows the events of a run in its turn, then its result. */
async function watch(
  turn: Turn,
  events: (reading: Reading) => AsyncIterable<StreamEvent>,
  signal: AbortSignal,
  update: (turn: Turn) => void,
): Promise<void> {
  let now = turn
  const become = (next: Turn) => {
    now = next
    update(next)
  }
  const reading = { signal, onConnection: (isLost: boolean) => become({ ...now, isLost }) }
  try {
    for await (const event of events(reading)) become(afterEvent(now, event))
    const result = now.runId === null ? null : await runs.result(now.runId)
    become({ ...now, result, isWorking: false, isLost: false, doing: null })
  } catch (error) {
    if (signal.aborted) return
    // What was refused, for instance a changed argument, leaves the run as it was.
    const result = now.runId === null ? null : await runs.result(now.runId).catch(() => null)
    become({ ...now, result, isWorking: false, isLost: false, doing: null, error: messageOf(error) })
  }
}

/** The turns of a conversation that have ended or wait, the oldest first, and the one at work. */
async function stored(threadId: string) {
  const all = (await runs.of(threadId)).runs.toReversed()
  const isStill = (status: string) => status === 'requires_action' || status === 'interrupted'
  const ended: readonly RunResult[] = await Promise.all(
    all.filter(({ endedAt, status }) => endedAt !== null || isStill(status)).map(({ runId }) => runs.result(runId)),
  )
  const working = all.find(({ runId }) => !ended.some((each) => each.runId === runId)) ?? null
  return { ended, working }
}

function messageOf(error: unknown): string {
  const isSaid = error instanceof Offline || error instanceof Refused
  return isSaid ? error.message : 'The connection was lost. Reload the page to go on.'
}
