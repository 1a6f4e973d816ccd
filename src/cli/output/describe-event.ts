import type { Event, StreamEvent } from '../../index.ts'
import { type Redact, redactAll } from '../../redact.ts'
import { plainLine } from './plain-text.ts'
import { shorten } from './table.ts'

/** An event as a line of progress; one that `stays` is not replaced by the next. */
export interface EventDescription {
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
