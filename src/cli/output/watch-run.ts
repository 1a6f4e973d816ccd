import type { StreamEvent } from '../../index.ts'
import { describeEvent } from './describe-event.ts'
import { hiddenDeltas } from './hidden-deltas.ts'
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
    for await (const event of hiddenDeltas(stream)) {
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
export function progressLines({ hide }: Pick<Output, 'hide'>, progress: Progress): RunView {
  return {
    see: (event) => {
      const described = describeEvent(event, hide)
      if (described) progress[described.stays ? 'keep' : 'show'](described.text)
    },
    end: progress.stop,
  }
}

/**
 * Progress on stderr, and the answer on stdout while the model writes it. What is shown here is a draft: its footnotes
 * are not checked yet. The checked answer takes its place, or follows it where it is too long to be taken back.
 */
export function liveDraft(output: Output, progress: Progress): RunView {
  const lines = progressLines(output, progress)
  const answers = new Set<string>()
  let shown = ''
  const write = (text: string) => {
    if (!shown) progress.stop()
    shown += plainText(text)
    output.stdout.write(plainText(text))
  }
  const finish = (note: string | null) => {
    if (!shown) return
    const rows = rowsOf(shown, output.width)
    shown = ''
    if (rows < output.height) output.stdout.write(eraseRows(rows))
    else {
      output.stdout.write('\n')
      if (note) tell(output, note)
    }
  }
  return {
    see: (event) => {
      if (event.type === 'message.created' && isAnswer(event.payload)) answers.add(event.payload.messageId)
      const piece = pieceOf(event, answers)
      if (piece?.text) write(piece.text)
      else if (piece) finish(piece.note)
      else if (!shown) lines.see(event)
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

/** Rows of a terminal that a text fills; a character beyond the Latin scripts may be two columns wide. */
function rowsOf(text: string, width: number): number {
  const columns = (line: string) => [...line].reduce((sum, character) => sum + (character > '\u10ff' ? 2 : 1), 0)
  return text.split('\n').reduce((rows, line) => rows + Math.max(1, Math.ceil(columns(line) / width)), 0)
}

/** Takes back the last rows, the one with the cursor among them. */
function eraseRows(rows: number): string {
  const up = rows > 1 ? `\u001b[${rows - 1}A` : ''
  return `\r${up}\u001b[J`
}

const checkedNote = '\nThat was the draft; the checked answer:\n'
const supersededNote = '\nThat draft was not kept; this is the answer that counts:\n'

function isAnswer(message: { readonly role: string; readonly scope: string }): boolean {
  return message.role === 'assistant' && message.scope === 'thread'
}
