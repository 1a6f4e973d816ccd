import { useState } from 'preact/hooks'
import { Abstention } from '../answer/abstention.tsx'
import { Answer } from '../answer/answer.tsx'
import { withNotes } from '../answer/footnote.tsx'
import { Markdown } from '../answer/markdown.tsx'
import type { RunResult } from '../api/requests.ts'
import { Approvals } from './approvals.tsx'
import type { ConversationProps } from './conversation.tsx'
import { Timeline } from './timeline.tsx'
import { searchesIn, starting, type Turn } from './turn.ts'
import { useLog } from './use-log.ts'
import { useWaiting } from './use-waiting.ts'

export interface TurnProps extends Omit<ConversationProps, 'turns'> {
  readonly turn: Turn
  readonly isLast: boolean
  readonly number: number
}

/** A question, and what has become of it. */
export function TurnView({ turn: shown, isLast, number, opened, onOpen, onAsk, onResume, onFork }: TurnProps) {
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
      <Reply turn={turn} opened={opened} onOpen={onOpen} />
      <Progress turn={turn} />
      {isLast && !isWorking && result?.clarification && <Candidates candidates={candidates} onAsk={onAsk} />}
      {isLast && result?.status === 'requires_action' && (
        <Approvals key={error} approvals={result.approvals} onAnswer={onResume} />
      )}
      {error && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {!isWorking && <Ending turn={turn} isLast={isLast} onResume={() => onResume({})} onAsk={() => onAsk(question)} />}
      {result && !isWorking && (
        <Tools result={result} isTimeline={isTimeline} onTimeline={showTimeline} onFork={() => onFork(number)} />
      )}
      {isTimeline && result && <Timeline steps={turn.steps} result={result} />}
    </article>
  )
}

function Reply({ turn, opened, onOpen }: Pick<TurnProps, 'turn' | 'opened' | 'onOpen'>) {
  const { result, text, isWorking } = turn
  if (result?.abstained) {
    return <Abstention result={result} searches={searchesIn(turn)} among={turn.documents} onOpen={onOpen} />
  }
  if (result?.clarification) return <Draft text={result.clarification} />
  if (result && result.answer !== '') return <Answer result={result} opened={opened} onOpen={onOpen} />
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

function Progress({ turn: { isWorking, isLost, doing } }: Pick<TurnProps, 'turn'>) {
  const waiting = useWaiting(isWorking && doing === starting)
  if (!isWorking || (!doing && !isLost)) return null
  const words = isLost ? 'The server does not answer. Trying again' : (waiting ?? doing)
  return <p class={isLost ? 'doing lost' : 'doing'}>{words} …</p>
}

interface CandidatesProps {
  readonly candidates: readonly string[]
  readonly onAsk: (question: string) => void
}

function Candidates({ candidates, onAsk }: CandidatesProps) {
  if (candidates.length === 0) return null
  return (
    <fieldset class="candidates">
      <legend class="hidden">What you may mean</legend>
      {candidates.map((each) => (
        <button type="button" onClick={() => onAsk(each)}>
          {each}
        </button>
      ))}
    </fieldset>
  )
}

interface EndingProps extends Pick<TurnProps, 'turn' | 'isLast'> {
  readonly onResume: () => void
  readonly onAsk: () => void
}

/** Why there is no answer, or not all of it, and what can be done. */
function Ending({ turn: { result, error }, isLast, onResume, onAsk }: EndingProps) {
  const why = result ? whyEnded(result, isLast) : null
  const isInterrupted = result?.status === 'interrupted'
  const isOver = result === null || result.status === 'failed' || result.status === 'cancelled'
  if (!why && !(isOver && error)) return null
  return (
    <div class="ending">
      {why && <p class={result?.status === 'failed' ? 'problem' : 'quiet'}>{why}</p>}
      {isLast && isInterrupted && (
        <button type="button" onClick={onResume}>
          Go on
        </button>
      )}
      {isLast && isOver && (
        <button type="button" onClick={onAsk}>
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

interface ToolsProps {
  readonly result: RunResult
  readonly isTimeline: boolean
  readonly onTimeline: (isShown: boolean) => void
  readonly onFork: () => void
}

/** What can be done with an answer, and how it came about. */
function Tools({ result, isTimeline, onTimeline, onFork }: ToolsProps) {
  const [isCopied, setCopied] = useState(false)
  const text = withNotes(result.answer, result)
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true))
  return (
    <footer class="tools">
      <button type="button" aria-expanded={isTimeline} onClick={() => onTimeline(!isTimeline)}>
        How it was found
      </button>
      {result.answer !== '' && (
        <>
          <button type="button" onClick={() => void copy()}>
            {isCopied ? 'Copied' : 'Copy'}
          </button>
          <button type="button" onClick={onFork}>
            Continue from here
          </button>
        </>
      )}
    </footer>
  )
}
