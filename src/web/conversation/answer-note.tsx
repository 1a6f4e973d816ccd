import { useState } from 'preact/hooks'
import { describeNote } from '../../runs/log/describe-note.ts'
import type { RunResult } from '../api/requests.ts'
import { Form, Problem, SendOrBack, writeOn } from '../controls.tsx'

export interface AnswerNoteProps extends Pick<RunResult, 'note'> {
  readonly onWrite: (text: string) => Promise<void>
}

/** The note on an answer, a button to write it, and the field in which it is written. */
export function AnswerNote({ note, onWrite }: AnswerNoteProps) {
  const [writing, setWriting] = useState<{ readonly problem?: string } | null>(null)
  const end = () => setWriting(null)
  const save = ({ text = '' }) => void onWrite(text).then(end, ({ message }) => setWriting({ problem: message }))
  if (writing) {
    return (
      <Form class="box" onSend={save}>
        <textarea name="text" aria-label="Your note" placeholder="Your note" defaultValue={note?.text} ref={writeOn} />
        {writing.problem && <Problem>{writing.problem}</Problem>}
        <SendOrBack send="Save" onBack={end} />
      </Form>
    )
  }
  return (
    <>
      <button type="button" onClick={() => setWriting({})}>
        {note ? 'Edit the note' : 'Add a note'}
      </button>
      {note && <p class="box">{describeNote(note)}</p>}
    </>
  )
}
