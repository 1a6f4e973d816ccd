import { hiddenPieces, type StreamRedactor } from '../../credentials/mask.ts'
import type { Event, StreamEvent } from '../../index.ts'
import { type Redact, redactAll } from '../../redact.ts'
import { plainLine } from './plain-text.ts'
import type { Progress } from './progress.ts'
import { pluralOf, shorten } from './table.ts'
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

/** An event as a line of progress; one that `stays` is not replaced by the next. */
interface EventDescription {
  readonly text: string
  readonly stays: boolean
}

/** A line of progress for the events that matter to a person; null for the others. Credentials are hidden before a cut. */
export function describeEvent(event: StreamEvent, hide: Redact): EventDescription | null {
  switch (event.type) {
    case 'ingest.started':
      return passing(`Reading ${event.payload.source}`)
    case 'agent.started':
      return passing(activityOf(event.payload, hide))
    case 'tool.started':
      return passing(`${event.payload.tool} ${shorten(JSON.stringify(redactAll(event.payload.args, hide)), 120, hide)}`)
    case 'tool.failed':
      return staying(`A tool failed: ${event.payload.message}`)
    case 'model.retried':
      return staying(`${event.payload.message}; ${retry(event.payload)}`)
    case 'model.trimmed':
      return staying(event.payload.message)
    case 'notice':
      return event.payload.known ? null : staying(event.payload.message)
    default:
      return null
  }
}

/** An event of a run's log as a row of a table: position, time, type, agent, payload. */
export function describeStored(
  event: Event & { readonly position: number },
  hide: Redact,
): readonly (string | number)[] {
  const { position, timestamp, type, agent = '', payload } = event
  return [position, timestamp.slice(11, 23), type, agent, JSON.stringify(redactAll(payload, hide))]
}

const activityOfAgent: Readonly<Record<string, string>> = {
  orchestrator: 'Understanding the question',
  clarification: 'Asking back',
  research: 'Looking for evidence',
  synthesis: 'Writing the answer',
}

function activityOf(
  { name, task }: { readonly name: string; readonly task?: string | undefined },
  hide: Redact,
): string {
  if (task !== undefined) return `Specialist ${name}: ${shorten(task, 120, hide)}`
  return activityOfAgent[name] ?? `${name} at work`
}

function passing(text: string): EventDescription {
  return { text: plainLine(text), stays: false }
}

function staying(text: string): EventDescription {
  return { text: plainLine(text), stays: true }
}

function retry({ waitMs, attempt, of }: { waitMs: number; attempt: number; of: number }): string {
  return `retrying in ${Math.round(waitMs / 100) / 10} s (${attempt}/${of})`
}

type Part = { readonly pieces: StreamRedactor; readonly last: Delta }

/**
 * A stream whose messages can be shown piece by piece: text that is shaped like a credential is hidden, also if it comes
 * in two pieces. A piece that may be the beginning of one waits for the next piece, or for the end of its message.
 */
export async function* hiddenDeltas(stream: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent> {
  const open = new Map<string, Map<number | 'text', Part>>()
  for await (const event of stream) {
    if (event.type === 'message.delta') {
      const parts = open.get(event.payload.messageId) ?? new Map<number | 'text', Part>()
      open.set(event.payload.messageId, parts)
      const shown = receive(event, parts)
      if (shown) yield shown
      continue
    }
    if (event.type === 'message.completed') {
      yield* held(open.get(event.payload.messageId))
      open.delete(event.payload.messageId)
    }
    yield event
  }
}

/** What may be shown now; null for nothing. A message has one part for its text and one for each tool call. */
function receive(delta: Delta, parts: Map<number | 'text', Part>): Delta | null {
  const { text, toolCall, soFar } = delta.payload
  const key = toolCall?.index ?? 'text'
  const pieces = (soFar ? undefined : parts.get(key)?.pieces) ?? hiddenPieces()
  parts.set(key, { pieces, last: delta })
  const shown = pieces.push(toolCall ? toolCall.args : text)
  return toolCall || shown ? withText(delta, shown) : null
}

/** The text that was held back, at the end of its message. */
function* held(parts: ReadonlyMap<unknown, Part> = new Map()): Iterable<Delta> {
  for (const { pieces, last } of parts.values()) {
    const rest = pieces.flush()
    const { soFar: _, ...payload } = last.payload
    if (rest) yield withText({ ...last, id: `${last.id}:rest`, payload }, rest)
  }
}

function withText(delta: Delta, text: string): Delta {
  const { payload } = delta
  const { toolCall } = payload
  return { ...delta, payload: { ...payload, ...(toolCall ? { toolCall: { ...toolCall, args: text } } : { text }) } }
}
