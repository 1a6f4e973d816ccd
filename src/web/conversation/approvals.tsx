import { useState } from 'preact/hooks'
import type { RunResult } from '../api/requests.ts'
import type { Answer } from '../api/run-events.ts'
import { Form, Problem, SendOrBack } from '../controls.tsx'
import { Arguments } from './timeline.tsx'

type Approval = RunResult['approvals'][number]

export interface ApprovalsProps {
  readonly approvals: readonly Approval[]
  readonly onAnswer: (answers: Readonly<Record<string, Answer>>) => void
}

/** Tool calls that wait for the person: allow them as they are or changed, or refuse them with a reason. */
export function Approvals({ approvals, onAnswer }: ApprovalsProps) {
  const [answers, setAnswers] = useState<Readonly<Record<string, Answer>>>({})
  const answer = (id: string, given: Answer) => {
    const all = { ...answers, [id]: given }
    setAnswers(all)
    if (approvals.every((each) => all[each.id])) onAnswer(all)
  }
  return (
    <section class="approvals" aria-label="Waiting for your approval">
      {approvals
        .filter(({ id }) => !answers[id])
        .map((approval) => (
          <OneApproval key={approval.id} approval={approval} onAnswer={(given) => answer(approval.id, given)} />
        ))}
    </section>
  )
}

interface OneProps {
  readonly approval: Approval
  readonly onAnswer: (answer: Answer) => void
}

function OneApproval({ approval, onAnswer }: OneProps) {
  const [mode, setMode] = useState<'asked' | 'edit' | 'refuse'>('asked')
  const onBack = () => setMode('asked')
  return (
    <div class="box approval">
      <p class="label">Waiting for your approval</p>
      <p>
        The assistant wants to use <strong>{approval.tool}</strong>.
      </p>
      {mode === 'edit' ? <Edit {...{ approval, onAnswer, onBack }} /> : <Arguments args={approval.args} />}
      {mode === 'refuse' && (
        <Form onSend={({ reason }) => onAnswer({ approved: false, ...(reason && { reason }) })}>
          <input name="reason" aria-label="Reason for the refusal" placeholder="Reason, which the assistant is told" />
          <SendOrBack send="Refuse" onBack={onBack} />
        </Form>
      )}
      {mode === 'asked' && (
        <div class="buttons">
          <button type="button" class="primary" onClick={() => onAnswer({ approved: true })}>
            Allow
          </button>
          <button type="button" onClick={() => setMode('edit')}>
            Edit
          </button>
          <button type="button" onClick={() => setMode('refuse')}>
            Refuse
          </button>
        </div>
      )}
    </div>
  )
}

function Edit({ approval: { tool, args }, onAnswer, onBack }: OneProps & { readonly onBack: () => void }) {
  const [text, setText] = useState(() => JSON.stringify(args, null, 2))
  const [problem, setProblem] = useState<string | null>(null)
  const allow = () => {
    try {
      onAnswer({ approved: true, args: JSON.parse(text) })
    } catch (error) {
      setProblem(`This is no JSON: ${error instanceof Error ? error.message : error}`)
    }
  }
  return (
    <Form onSend={allow}>
      <textarea
        class="code"
        aria-label={`Arguments of ${tool}`}
        value={text}
        rows={Math.min(12, text.split('\n').length)}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {problem && <Problem>{problem}</Problem>}
      <SendOrBack send="Allow with these" onBack={onBack} />
    </Form>
  )
}
