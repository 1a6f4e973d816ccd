import type { StreamEvent } from '../../index.ts'
import { describeEvent } from './describe-event.ts'
import { hiddenDeltas } from './hidden-deltas.ts'
import type { Progress } from './progress.ts'
import { pluralOf } from './table.ts'
import { type Output, printJsonLine } from './terminal.ts'

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

/** Progress on stderr. On a terminal it says how much is written of the answer, which is shown once it is checked. */
export function progressLines({ hide, stderrIsTerminal }: Output, progress: Progress): RunView {
  const written = new Map<string, number>()
  const count = ({ messageId, text, soFar }: Delta['payload']) => {
    const characters = (soFar ? 0 : (written.get(messageId) ?? 0)) + text.length
    written.set(messageId, characters)
    if (characters > 0) progress.show(`Writing the answer: ${pluralOf(characters, 'character')}`)
  }
  return {
    receive: (event) => {
      const described = describeEvent(event, hide)
      if (described) progress[described.stays ? 'keep' : 'show'](described.text)
      if (stderrIsTerminal && event.type === 'message.delta' && event.payload.scope === 'thread') count(event.payload)
    },
    end: progress.stop,
  }
}

type Delta = Extract<StreamEvent, { readonly type: 'message.delta' }>
