import { useRef, useState } from 'preact/hooks'
import { goTo } from '../address.ts'
import { Offline, Refused, type RunResult, runs, type StreamEvent } from '../api/requests.ts'
import { type Answer, ask, follow, type QuestionChoice, type Reading, resume } from '../api/run-events.ts'
import { afterEvent, endedTurn, newTurn, type Turn } from './turn.ts'

export interface ConversationState {
  readonly threadId: string
  readonly turns: readonly Turn[]
  readonly ask: (question: string, choice: QuestionChoice) => void
  /** Answers the approvals of the last turn, or resumes it where it was interrupted. */
  readonly resume: (answers: Readonly<Record<string, Answer>>) => void
  readonly stop: () => void
  /** Writes the note on an answer; an empty text removes it. Rejects where that fails. */
  readonly note: (runId: string, text: string) => Promise<void>
  /** Shows a stored conversation, and follows its run if one is at work; the filter that its last answer was limited to. */
  readonly open: (threadId: string) => Promise<string | null>
  /** An empty conversation. */
  readonly begin: () => void
}

/** The conversation that is shown, with the run that is being watched. `onProblem` hears what cannot be shown in a turn. */
export function useConversation(onChange: () => void, onProblem: (error: Error) => void): ConversationState {
  const [threadId, setThreadId] = useState<string>(() => crypto.randomUUID())
  const [turns, setTurns] = useState<readonly Turn[]>([])
  const watched = useRef(new AbortController())
  const leave = () => {
    watched.current.abort()
    watched.current = new AbortController()
    return watched.current.signal
  }
  const change = (id: string) => {
    setThreadId(id)
    setTurns([])
    return leave()
  }
  /** Shows the events of a run in the last turn, then its result. */
  const watch = async (turn: Turn, events: (reading: Reading) => AsyncIterable<StreamEvent>, signal: AbortSignal) => {
    let now = turn
    const become = (changed: Partial<Turn>) => {
      const isBegun = now.runId === null && Boolean(changed.runId)
      now = { ...now, ...changed }
      if (signal.aborted) return
      setTurns((all) => [...all.slice(0, -1), now])
      if (isBegun) onChange()
    }
    let error: string | null = null
    const noResult = (thrown: unknown) => {
      error ??= messageOf(thrown)
      return null
    }
    try {
      const reading = { signal, onConnection: (isLost: boolean) => become({ isLost }) }
      for await (const event of events(reading)) become(afterEvent(now, event))
    } catch (thrown) {
      noResult(thrown)
    }
    // What was refused, for instance a changed argument, leaves the run as it was.
    const result = now.runId === null || signal.aborted ? null : await runs.result(now.runId).catch(noResult)
    become({ result, error, isWorking: false, isLost: false, doing: null })
    onChange()
  }
  const load = async (id: string, signal: AbortSignal) => {
    const { ended, working } = await stored(id)
    if (signal.aborted) return null
    const turn = working && newTurn(working.question, working.runId)
    setTurns([...ended.map(endedTurn), ...(turn ? [turn] : [])])
    if (turn) void watch(turn, (reading) => follow(working.runId, reading), signal)
    return ended.at(-1)?.limitedTo?.filter ?? null
  }
  return {
    threadId,
    turns,
    ask(question, choice) {
      goTo({ kind: 'thread', threadId })
      const turn = newTurn(question)
      setTurns((all) => [...all, turn])
      const asked = { question, threadId, ...choice, idempotencyKey: crypto.randomUUID() }
      void watch(turn, (reading) => ask(asked, reading), leave())
    },
    resume(answers) {
      const last = turns.at(-1)
      if (!last || last.runId === null) return
      const { runId } = last
      const turn = { ...last, isWorking: true, doing: 'Going on', result: null, error: null }
      setTurns((all) => [...all.slice(0, -1), turn])
      void watch(turn, (reading) => resume(runId, answers, reading), leave())
    },
    stop() {
      const runId = turns.at(-1)?.runId
      if (runId) runs.cancel(runId).catch(onProblem)
    },
    async note(runId, text) {
      const { note } = await runs.note(runId, text)
      const noted = (result: RunResult) => (result.runId === runId ? { ...result, note: note ?? undefined } : result)
      setTurns((all) => all.map((turn) => ({ ...turn, result: turn.result && noted(turn.result) })))
    },
    async open(id) {
      goTo({ kind: 'thread', threadId: id })
      const signal = change(id)
      return load(id, signal).catch((error: Error) => {
        if (!signal.aborted) onProblem(error)
        return null
      })
    },
    begin() {
      goTo({ kind: 'new' })
      change(crypto.randomUUID())
    },
  }
}

/** The turns of a conversation that have ended or wait, the oldest first, and the one at work. */
async function stored(threadId: string) {
  const all = (await runs.of(threadId)).runs.toReversed()
  const isStill = (status: string) => status === 'requires_action' || status === 'interrupted'
  const ended = await Promise.all(
    all.filter(({ endedAt, status }) => endedAt !== null || isStill(status)).map(({ runId }) => runs.result(runId)),
  )
  const working = all.find(({ runId }) => !ended.some((each) => each.runId === runId)) ?? null
  return { ended, working }
}

function messageOf(error: unknown): string {
  const isSaid = error instanceof Offline || error instanceof Refused
  return isSaid ? error.message : 'The connection was lost. Reload the page to go on.'
}
