import { useEffect, useRef, useState } from 'preact/hooks'
import { Answer } from './answer.tsx'
import type { Answer as ApprovalAnswer, Citation, RunResult } from './api.ts'
import { Approvals } from './approvals.tsx'
import { Markdown } from './markdown.tsx'
import { Timeline } from './timeline.tsx'
import type { Turn } from './turn.ts'

export interface ConversationProps {
  readonly turns: readonly Turn[]
  readonly opened: Citation | null
  readonly onOpen: (citation: Citation) => void
  readonly onAsk: (question: string) => void
  readonly onApprove: (turn: Turn, answers: Readonly<Record<string, ApprovalAnswer>>) => void
  readonly onResume: (turn: Turn) => void
  readonly onFork: (turn: number) => void
}

/** A conversation as a page: each question a heading, each answer the text below it. */
export function Conversation({ turns, ...actions }: ConversationProps) {
  const end = useRef<HTMLDivElement>(null)
  const count = turns.length
  useEffect(() => end.current?.previousElementSibling?.scrollIntoView({ block: 'start' }), [count])
  return (
    <div class="turns">
      {turns.map((turn, index) => (
        <TurnView
          key={turn.runId ?? `turn-${index}`}
          turn={turn}
          isLast={index === turns.length - 1}
          number={index + 1}
          {...actions}
        />
      ))}
      <div ref={end} />
    </div>
  )
}

type TurnProps = Omit<ConversationProps, 'turns'> & {
  readonly turn: Turn
  readonly isLast: boolean
  readonly number: number
}

function TurnView({ turn, isLast, number, opened, onOpen, onAsk, onApprove, onResume, onFork }: TurnProps) {
  const { question, result, text, doing, isWorking, error, candidates } = turn
  const understood = result?.standaloneQuestion
  return (
    <article class="turn">
      <h2 class="question">{question}</h2>
      {understood && understood !== question && <p class="understood">Understood as: {understood}</p>}
      {result && result.answer !== '' ? (
        <Answer result={result} onOpen={onOpen} opened={opened} />
      ) : (
        text !== '' && <Draft text={text} isWorking={isWorking} />
      )}
      {isWorking && doing && (
        <p class="doing" role="status">
          {doing} …
        </p>
      )}
      {isLast && !isWorking && result?.clarification && <Candidates candidates={candidates} onAsk={onAsk} />}
      {result?.status === 'requires_action' && (
        <Approvals approvals={result.approvals} onAnswer={(answers) => onApprove(turn, answers)} />
      )}
      {result && <Ending result={result} onResume={() => onResume(turn)} />}
      {error && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {!isWorking && <Tools turn={turn} number={number} onFork={onFork} />}
    </article>
  )
}

/** Words as they come; a screen reader hears whole sentences. */
function Draft({ text, isWorking }: { readonly text: string; readonly isWorking: boolean }) {
  const sentences = text.match(/[^.!?]+[.!?]+(?=\s)/g)?.join('') ?? ''
  return (
    <>
      <div class="prose" aria-hidden={isWorking}>
        <Markdown text={text} marker={(marker) => <span class="chip">{marker}</span>} />
      </div>
      <p class="hidden" aria-live="polite">
        {sentences}
      </p>
    </>
  )
}

function Candidates({
  candidates,
  onAsk,
}: {
  readonly candidates: readonly string[]
  readonly onAsk: (question: string) => void
}) {
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

function Ending({ result, onResume }: { readonly result: RunResult; readonly onResume: () => void }) {
  const { status, ending, error } = result
  if (status === 'completed' || status === 'clarification_needed' || status === 'requires_action') return null
  const why =
    status === 'limit_reached' ? `A limit was reached: ${ending?.limit ?? ''}.` : (error?.message ?? words[status])
  return (
    <div class="problem" role="alert">
      <p>{why}</p>
      {status === 'interrupted' && (
        <button type="button" onClick={onResume}>
          Go on
        </button>
      )}
    </div>
  )
}

const words: Readonly<Record<string, string>> = {
  cancelled: 'You stopped this question.',
  failed: 'The question could not be answered.',
  interrupted: 'The work on this question was interrupted. Nothing that was done is lost.',
}

/** What can be done with an answer, and how it came about. */
function Tools({
  turn,
  number,
  onFork,
}: {
  readonly turn: Turn
  readonly number: number
  readonly onFork: (turn: number) => void
}) {
  const [isShown, show] = useState(false)
  const { result, steps } = turn
  if (!result) return null
  return (
    <footer class="tools">
      <button type="button" onClick={() => navigator.clipboard.writeText(withFootnotes(result))}>
        Copy
      </button>
      <button type="button" onClick={() => onFork(number)}>
        Continue from here
      </button>
      <button type="button" aria-expanded={isShown} onClick={() => show(!isShown)}>
        How it was found
      </button>
      {isShown && <Timeline runId={result.runId} steps={steps} result={result} />}
    </footer>
  )
}

function withFootnotes({ answer, citations }: RunResult): string {
  return [answer, ...citations.map(({ marker, label, quote }) => `[${marker}] ${label} — “${quote}”`)].join('\n\n')
}
