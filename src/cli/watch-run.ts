import type { StreamEvent } from '../index.ts'
import { describeEvent } from './describe-event.ts'
import { plainText } from './plain-text.ts'
import type { Progress } from './progress.ts'
import { type Output, printJsonLine, tell } from './terminal.ts'

/** Something that looks at the events of a run as they come. */
export interface RunView {
  readonly see: (event: StreamEvent) => void
  /** The stream is over. */
  readonly end: () => void
}

/** Shows a run's events as they come, and returns the run's id; null if nothing came. */
export async function watchRun(stream: AsyncIterable<StreamEvent>, view: RunView): Promise<string | null> {
  let runId: string | null = null
  try {
    for await (const event of stream) {
      runId ??= event.runId
      view.see(event)
    }
  } finally {
    view.end()
  }
  return runId
}

/** The event stream on stdout, one object a line. */
export function eventLines(output: Output): RunView {
  return { see: (event) => printJsonLine(output, event), end: () => {} }
}

/** Progress on stderr. */
export function progressLines(progress: Progress): RunView {
  return {
    see: (event) => {
      const described = describeEvent(event)
      if (described) progress[described.stays ? 'keep' : 'show'](described.text)
    },
    end: progress.stop,
  }
}

/**
 * Progress on stderr, and the answer on stdout while the model writes it. What is shown here is a draft: its footnotes
 * are not checked yet, and the checked answer follows.
 */
export function liveDraft(output: Output, progress: Progress): RunView {
  const lines = progressLines(progress)
  const answers = new Set<string>()
  let writing = false
  const write = (text: string) => {
    if (!writing) progress.stop()
    writing = true
    output.stdout.write(plainText(text))
  }
  const finish = (note: string | null) => {
    if (!writing) return
    writing = false
    output.stdout.write('\n')
    if (note) tell(output, note)
  }
  return {
    see: (event) => {
      if (event.type === 'message.created' && isAnswer(event.payload)) answers.add(event.payload.messageId)
      const piece = pieceOf(event, answers)
      if (piece?.text) write(piece.text)
      else if (piece) finish(piece.note)
      else if (!writing) lines.see(event)
    },
    end: () => {
      finish(null)
      lines.end()
    },
  }
}

/** A piece of the draft, or its end with a note on what follows. */
type DraftPiece = { readonly text: string; readonly note: null } | { readonly text: ''; readonly note: string }

/** What an event adds to the draft; null if nothing. `answers` holds the ids of messages that are answers. */
function pieceOf(event: StreamEvent, answers: ReadonlySet<string>): DraftPiece | null {
  if (event.type !== 'message.delta' && event.type !== 'message.completed') return null
  if (!answers.has(event.payload.messageId)) return null
  if (event.type === 'message.delta') return event.payload.text ? { text: event.payload.text, note: null } : null
  return { text: '', note: event.payload.superseded ? supersededNote : checkedNote }
}

const checkedNote = '\nThat was the draft; the checked answer:\n'
const supersededNote = '\nThat draft was not kept; this is the answer that counts:\n'

function isAnswer(message: { readonly role: string; readonly scope: string }): boolean {
  return message.role === 'assistant' && message.scope === 'thread'
}
