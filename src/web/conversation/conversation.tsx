import { useEffect, useRef } from 'preact/hooks'
import type { Citation } from '../api/requests.ts'
import type { Answer } from '../api/run-events.ts'
import type { Turn } from './turn.ts'
import { TurnView } from './turn-view.tsx'

export interface ConversationProps {
  readonly turns: readonly Turn[]
  readonly opened: Citation | null
  readonly onOpen: (citation: Citation) => void
  readonly onAsk: (question: string) => void
  readonly onResume: (answers: Readonly<Record<string, Answer>>) => void
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
          key={`turn-${index}`}
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
