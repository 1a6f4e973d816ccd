import { useState } from 'preact/hooks'
import type { Answer, RunResult } from './api.ts'

type Approval = RunResult['approvals'][number]

/** Tool calls that wait for the person: allow them as they are or changed, or refuse them with a reason. */
export function Approvals({
  approvals,
  onAnswer,
}: {
  readonly approvals: readonly Approval[]
  readonly onAnswer: (answers: Readonly<Record<string, Answer>>) => void
}) {
  const [answers, setAnswers] = useState<Readonly<Record<string, Answer>>>({})
  const answer = (id: string, given: Answer) => {
    const all = { ...answers, [id]: given }
    setAnswers(all)
    if (approvals.every((each) => all[each.id])) onAnswer(all)
  }
  return (
    <section class="approvals" aria-label="Waiting for your approval">
      {approvals.map((approval) =>
        answers[approval.id] ? null : <One approval={approval} onAnswer={(given) => answer(approval.id, given)} />,
      )}
    </section>
  )
}

function One({
  approval: { tool, args },
  onAnswer,
}: {
  readonly approval: Approval
  readonly onAnswer: (answer: Answer) => void
}) {
  const written = JSON.stringify(args, null, 2)
  const [text, setText] = useState(written)
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const allow = () => {
    if (text === written) return onAnswer({ approved: true })
    try {
      onAnswer({ approved: true, args: JSON.parse(text) })
    } catch {
      setProblem('The arguments are no JSON.')
    }
  }
  return (
    <div class="approval">
      <p>
        The assistant wants to use <strong>{tool}</strong>.
      </p>
      <textarea
        aria-label={`Arguments of ${tool}`}
        value={text}
        rows={Math.min(12, text.split('\n').length)}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {problem && <p class="problem">{problem}</p>}
      <input
        aria-label="Reason for a refusal"
        placeholder="Reason, if you refuse"
        value={reason}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      <button type="button" class="primary" onClick={allow}>
        Allow
      </button>
      <button type="button" onClick={() => onAnswer({ approved: false, ...(reason && { reason }) })}>
        Refuse
      </button>
    </div>
  )
}
