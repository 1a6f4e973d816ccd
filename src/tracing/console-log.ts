import { z } from 'zod'
import type { Event, StreamEvent, Subscriber } from '../events/index.ts'
import { callable, checkOptions } from '../options.ts'
import { hiddenText } from './harmless.ts'
import { logLine } from './log-line.ts'

export interface ConsoleLogOptions {
  /** Receives each line without its newline; stderr if absent. */
  readonly write?: (line: string) => void
}

const consoleLogOptions = z.strictObject({ write: callable.optional() })

/** Prints events live, as lines of the text log: `subscribers: [consoleLog()]`. Throws `UsageError`. */
export function consoleLog(options: ConsoleLogOptions = {}): Subscriber {
  checkOptions('consoleLog: the options', consoleLogOptions, options)
  const { write = (line) => void process.stderr.write(`${line}\n`) } = options
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
