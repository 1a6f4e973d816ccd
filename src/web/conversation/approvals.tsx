import { useState } from 'preact/hooks'
import type { RunResult } from '../api/requests.ts'
import type { Answer } from '../api/run-events.ts'
import { Form } from '../form.tsx'
import { Arguments } from './arguments.tsx'

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
      {approvals.map((approval) =>
        answers[approval.id] ? null : (
          <OneApproval key={approval.id} approval={approval} onAnswer={(given) => answer(approval.id, given)} />
        ),
      )}
    </section>
  )
}

interface OneProps {
  readonly approval: Approval
  readonly onAnswer: (answer: Answer) => void
}

function OneApproval({ approval: { tool, args }, onAnswer }: OneProps) {
  const [mode, setMode] = useState<'asked' | 'edit' | 'refuse'>('asked')
  return (
    <div class="box approval">
      <p class="label">Waiting for your approval</p>
      <p>
        The assistant wants to use <strong>{tool}</strong>.
      </p>
      {mode === 'edit' ? (
        <Edit args={args} tool={tool} onAnswer={onAnswer} onBack={() => setMode('asked')} />
      ) : (
        <Arguments args={args} />
      )}
      {mode === 'refuse' && <Refuse onAnswer={onAnswer} onBack={() => setMode('asked')} />}
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

interface EditProps extends Pick<OneProps, 'onAnswer'> {
  readonly tool: string
  readonly args: Approval['args']
  readonly onBack: () => void
}

function Edit({ args, tool, onAnswer, onBack }: EditProps) {
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
    <Form submit="Allow with these" onSubmit={allow} onBack={onBack}>
      <textarea
        class="code"
        aria-label={`Arguments of ${tool}`}
        value={text}
        rows={Math.min(12, text.split('\n').length)}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </Form>
  )
}

function Refuse({ onAnswer, onBack }: Pick<EditProps, 'onAnswer' | 'onBack'>) {
  const [reason, setReason] = useState('')
  const refuse = () => onAnswer({ approved: false, ...(reason && { reason }) })
  return (
    <Form submit="Refuse" onSubmit={refuse} onBack={onBack}>
      <input
        aria-label="Reason for the refusal"
        placeholder="Reason, which the assistant is told"
        value={reason}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
    </Form>
  )
}
