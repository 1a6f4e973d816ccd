import type { Event, StreamEvent, Subscriber } from '../events/index.ts'
import { hiddenText } from './hidden-log.ts'
import { logLine } from './log-line.ts'

export interface ConsoleLogOptions {
  /** Where lines go, each without its new line; stderr, if absent. */
  readonly write?: (line: string) => void
}

/** Says on the console what happens, as it happens, in the lines of the text log: `subscribers: [consoleLog()]`. */
export function consoleLog({ write = toStderr }: ConsoleLogOptions = {}): Subscriber {
  const open = new Map<string, Event>()
  return (event: StreamEvent) => {
    if (event.type === 'status.changed' || event.type === 'message.delta') return
    if (event.type.endsWith('.started')) open.set(event.id, event)
    const line = logLine(event, (id) => open.get(id))
    if (line !== null) write(hiddenText(line))
    if (endsSpan.test(event.type)) open.delete(event.causationId ?? '')
  }
}

const endsSpan = /^(?!message\.).*\.(completed|failed|interrupted)$/

function toStderr(line: string): void {
  process.stderr.write(`${line}\n`)
}
