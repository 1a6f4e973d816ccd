import { useEffect, useRef, useState } from 'preact/hooks'
import { Abstention, Answer, Fallen } from '../answer/answer.tsx'
import { withNotes } from '../answer/footnote.tsx'
import { Markdown } from '../answer/markdown.tsx'
import { type ClaimStanding, pause, queue, type RunResult, threads, useLoaded } from '../api/requests.ts'
import { follow } from '../api/run-events.ts'
import { LimitedTo, Problem, Questions } from '../controls.tsx'
import { AnswerNote } from './answer-note.tsx'
import { Approvals } from './approvals.tsx'
import { Timeline } from './timeline.tsx'
import { afterEvent, newTurn, searchesIn, starting, type Turn } from './turn.ts'
import type { ConversationState } from './use-conversation.ts'

/** What a person may do in a conversation. */
export interface ConversationProps extends Pick<ConversationState, 'turns'> {
  readonly onAsk: (question: string) => void
  readonly onResume: ConversationState['resume']
  readonly onNote: ConversationState['note']
  readonly onFork: (turn: number) => void
}

/** A conversation as a page: each question a heading, each answer the text below it. */
export function Conversation({ turns, ...actions }: ConversationProps) {
  const end = useRef<HTMLDivElement>(null)
  const { length } = turns
  useEffect(() => end.current?.previousElementSibling?.scrollIntoView({ block: 'start' }), [length])
  const threadId = turns.find(({ result }) => result)?.result?.threadId ?? null
  const { value } = useLoaded(threadId, () => threads.fallen(threadId ?? ''))
  // The quotes of an imported answer were never in this library; the answer says so itself.
  const fallenOf = ({ runId, result }: Turn) =>
    (result?.imported ? undefined : value)?.filter(({ claim }) => claim.runId === runId) ?? []
  return (
    <div class="turns">
      {turns.map((turn, index) => (
        <TurnView
          key={`turn-${index}`}
          turn={turn}
          fallen={fallenOf(turn)}
          isLast={index === length - 1}
          number={index + 1}
          {...actions}
        />
      ))}
      <div ref={end} />
    </div>
  )
}

interface TurnProps extends Omit<ConversationProps, 'turns'> {
  readonly turn: Turn
  readonly fallen: readonly ClaimStanding[]
  readonly isLast: boolean
  readonly number: number
}

/** A question, and what has become of it. */
function TurnView({ turn: shown, fallen, isLast, number, onAsk, onResume, onNote, onFork }: TurnProps) {
  const [isTimeline, showTimeline] = useState(false)
  const needsLog = isTimeline || Boolean(shown.result?.abstained || shown.result?.clarification)
  const turn = useLog(shown, needsLog)
  const { question, result, isWorking, error, candidates } = turn
  const understood = result?.standaloneQuestion
  return (
    <article class="turn">
      <h2 class="question">{question}</h2>
      {understood && understood !== question && (
        <p class="understood">
          <span>Understood as</span> {understood}
        </p>
      )}
      <LimitedTo {...result} />
      <Reply turn={turn} />
      <Fallen claims={fallen} />
      <Progress turn={turn} />
      {isLast && !isWorking && result?.clarification && (
        <Questions name="What you may mean" questions={candidates} onChoose={onAsk} />
      )}
      {isLast && result?.status === 'requires_action' && (
        <Approvals key={error} approvals={result.approvals} onAnswer={onResume} />
      )}
      {error && <Problem>{error}</Problem>}
      {!isWorking && <Ending turn={turn} isLast={isLast} onAsk={onAsk} onResume={onResume} />}
      {result && !isWorking && (
        <footer class="tools">
          <button type="button" aria-expanded={isTimeline} onClick={() => showTimeline(!isTimeline)}>
            How it was found
          </button>
          {result.answer !== '' && (
            <>
              <Copy text={withNotes(result.answer, result)} />
              <button type="button" onClick={() => onFork(number)}>
                Continue from here
              </button>
              <AnswerNote note={result.note} onWrite={(text) => onNote(result.runId, text)} />
            </>
          )}
        </footer>
      )}
      {isTimeline && result && <Timeline steps={turn.steps} result={result} />}
    </article>
  )
}

/** The turn with what only the log of its run holds: steps, candidates, documents. Reads it where it was not watched. */
function useLog(turn: Turn, isWanted: boolean): Turn {
  const { runId, isWorking, isWatched } = turn
  const isMissing = isWanted && !isWorking && !isWatched
  // The answer stands without it.
  const { value: log } = useLoaded(isMissing ? runId : null, async (signal) => {
    let read = newTurn('', runId)
    for await (const event of follow(runId ?? '', { signal, onConnection: () => {} })) read = afterEvent(read, event)
    return read
  })
  return log ? { ...turn, steps: log.steps, candidates: log.candidates, documents: log.documents } : turn
}

function Reply({ turn }: Pick<TurnProps, 'turn'>) {
  const { result, text, isWorking, documents } = turn
  if (result?.abstained) return <Abstention result={result} searches={searchesIn(turn)} among={documents} />
  if (result?.clarification) return <Draft text={result.clarification} />
  if (result && result.answer !== '') return <Answer result={result} />
  return text === '' ? null : <Draft text={text} isWorking={isWorking} />
}

/** Words as they come, which the live region reads by sentences. */
function Draft({ text, isWorking = false }: { readonly text: string; readonly isWorking?: boolean }) {
  return (
    <div class={isWorking ? 'prose coming' : 'prose'} aria-hidden={isWorking}>
      <Markdown text={text} marker={(marker) => <span class="marker">{marker}</span>} />
    </div>
  )
}

/** A question that begins sooner waits for nothing that a person should know of. Milliseconds. */
const patienceMs = 1500

function Progress({ turn: { isWorking, isLost, doing } }: Pick<TurnProps, 'turn'>) {
  const { value: waiting } = useLoaded(isWorking && doing === starting ? starting : null, async (signal) => {
    await pause(patienceMs, signal)
    return waitsFor(await queue.state())
  })
  if (!isWorking || (!doing && !isLost)) return null
  const words = isLost ? 'The server does not answer. Trying again' : (waiting ?? doing)
  return <p class={isLost ? 'doing lost' : 'doing'}>{words} …</p>
}

/** What a question waits for that does not begin; null where there is no queue. */
function waitsFor({ workers, waiting = 0 }: Awaited<ReturnType<typeof queue.state>>): string | null {
  if (workers === undefined) return null
  if (workers === 0) return 'Waiting: no worker is connected'
  return waiting === 0 ? null : `Waiting for one of ${workers} workers; ${waiting} in the queue`
}

/** Why there is no answer, or not all of it, and what can be done. */
function Ending({ turn, isLast, onAsk, onResume }: Pick<TurnProps, 'turn' | 'isLast' | 'onAsk' | 'onResume'>) {
  const { result, error, question } = turn
  const why = result ? whyEnded(result, isLast) : null
  const isOver = result === null || result.status === 'failed' || result.status === 'cancelled'
  if (!why && !(isOver && error)) return null
  return (
    <div class="ending">
      {why && <p class={result?.status === 'failed' ? 'problem' : 'quiet'}>{why}</p>}
      {isLast && result?.status === 'interrupted' && (
        <button type="button" onClick={() => onResume({})}>
          Go on
        </button>
      )}
      {isLast && isOver && (
        <button type="button" onClick={() => onAsk(question)}>
          Ask again
        </button>
      )}
    </div>
  )
}

function whyEnded({ status, ending, error }: RunResult, isLast: boolean): string | null {
  if (status === 'requires_action') return isLast ? null : 'It waited for your approval when you asked on.'
  if (status === 'limit_reached') return `Stopped early: ${ending?.reason ?? 'a limit was reached'}`
  return words[status] ?? error?.message ?? (status === 'failed' ? 'The question could not be answered.' : null)
}

const words: Readonly<Record<string, string>> = {
  cancelled: 'You stopped this question.',
  interrupted: 'The work on this question was interrupted. Nothing that was done is lost.',
}

function Copy({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true))
  return (
    <button type="button" onClick={() => void copy()}>
      {isCopied ? 'Copied' : 'Copy'}
    </button>
  )
}

/**
 * What a screen reader hears of the last turn: what is being done, the answer sentence by sentence as it is written, and
 * how it ended. Always there, since only changes of what is there are read.
 */
export function LiveRegion({ turn }: { readonly turn: Turn | undefined }) {
  return (
    <div class="hidden" role="log" aria-label="Answer as it is written">
      {turn && heard(turn).map((sentence) => <p>{sentence}</p>)}
    </div>
  )
}

function heard({ text, doing, isWorking, isLost, isWatched, result }: Turn): readonly string[] {
  // A stored conversation is read, not announced.
  if (!isWorking && !isWatched) return []
  const written = sentencesOf(text, !isWorking)
  const now = isLost ? ['The server does not answer. Trying again.'] : doing && isWorking ? [doing] : []
  return [...written, ...now, ...(result ? [ending(result)] : [])]
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** The sentences that have ended; the last one too, once no more comes. */
function sentencesOf(text: string, isWhole: boolean): readonly string[] {
  const plain = text.replace(/\[\d{1,3}\]|[*`]/g, '')
  const sentences = Array.from(segmenter.segment(plain), ({ segment }) => segment.trim()).filter((each) => each !== '')
  return isWhole ? sentences : sentences.slice(0, -1)
}

function ending({ status, abstained, citations, approvals, clarification }: NonNullable<Turn['result']>): string {
  if (status === 'requires_action')
    return `Waiting for your approval of ${approvals.map(({ tool }) => tool).join(', ')}.`
  if (clarification) return 'Please say what you mean.'
  if (abstained) return 'The documents hold no answer.'
  if (status !== 'completed') return 'The question was not answered.'
  return `The answer is complete, with ${citations.length === 1 ? 'one source' : `${citations.length} sources`}.`
}
