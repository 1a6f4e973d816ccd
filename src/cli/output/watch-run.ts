import type { StreamEvent } from '../../index.ts'
import { describeEvent } from './describe-event.ts'
import { hiddenDeltas } from './hidden-deltas.ts'
import { plainText } from './plain-text.ts'
import type { Progress } from './progress.ts'
import { type Output, printJsonLine, tell } from './terminal.ts'

/** Receives the events of a run as they come. */
export interface RunView {
  readonly receive: (event: StreamEvent) => void
  /** The stream has ended. */
  readonly end: () => void
}

/** Shows a run's events as they come, and returns the run's id; null if there were none. */
export async function watchRun(stream: AsyncIterable<StreamEvent>, view: RunView): Promise<string | null> {
  let runId: string | null = null
  try {
    for await (const event of hiddenDeltas(stream)) {
      runId ??= event.runId
      view.receive(event)
    }
  } finally {
    view.end()
  }
  return runId
}

/** The event stream on stdout, one object per line. */
export function eventLines(output: Output): RunView {
  return { receive: (event) => printJsonLine(output, event), end: () => {} }
}

/** Progress on stderr. */
export function progressLines({ hide }: Pick<Output, 'hide'>, progress: Progress): RunView {
  return {
    receive: (event) => {
      const described = describeEvent(event, hide)
      if (described) progress[described.stays ? 'keep' : 'show'](described.text)
    },
    end: progress.stop,
  }
}

/**
 * Progress on stderr, and on stdout the draft of the answer while the model writes it. Its footnotes are not checked yet.
 * The checked answer replaces it, or follows it if it is too long to be erased.
 */
export function liveDraft(output: Output, progress: Progress): RunView {
  const lines = progressLines(output, progress)
  const answers = new Set<string>()
  let shown = ''
  const write = (text: string) => {
    if (!text) return
    if (!shown) progress.stop()
    shown += text
    output.stdout.write(text)
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
    receive: (event) => {
      if (isAnswerCreated(event)) answers.add(event.payload.messageId)
      const isDraft = 'messageId' in event.payload && answers.has(event.payload.messageId ?? '')
      if (isDraft && event.type === 'message.delta') write(plainText(event.payload.text))
      else if (isDraft && event.type === 'message.completed') finish(draftNote)
      else if (!shown) lines.receive(event)
    },
    end: () => {
      finish(null)
      lines.end()
    },
  }
}

const draftNote = '\nThat was the draft. The checked answer:\n'

type Created = Extract<StreamEvent, { readonly type: 'message.created' }>

function isAnswerCreated(event: StreamEvent): event is Created {
  return event.type === 'message.created' && event.payload.role === 'assistant' && event.payload.scope === 'thread'
}

/** The rows of a terminal that a text fills. Characters beyond the Latin scripts are counted as two columns wide. */
function rowsOf(text: string, width: number): number {
  const columns = (line: string) => [...line].reduce((sum, character) => sum + (character > '\u10ff' ? 2 : 1), 0)
  return text.split('\n').reduce((rows, line) => rows + Math.max(1, Math.ceil(columns(line) / width)), 0)
}

/** Erases the last rows, including the one with the cursor. */
function eraseRows(rows: number): string {
  const up = rows > 1 ? `\u001b[${rows - 1}A` : ''
  return `\r${up}\u001b[J`
}
