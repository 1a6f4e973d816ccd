import { controlCharacters } from '../credentials/mask.ts'
import type { Event } from '../events/index.ts'
import { type Redact, redactAll, redactor } from '../redact.ts'

/** Text without control characters but newline and tab, without direction controls, and without non-characters. */
export function harmless(text: string): string {
  return text.replace(controlCharacters, '')
}

/** The same on one line. */
export function harmlessLine(text: string): string {
  return harmless(text).replace(/[\n\t\u2028\u2029]+/g, ' ')
}

/**
 * Removes control characters, then hides text that is shaped like a credential. The configured ones are in no event, so
 * a session log does not depend on the configuration and is the same whenever it is written.
 */
export const hiddenText: Redact = (text) => hideShapes(harmless(text))

const hideShapes = redactor([])

/** A run's log for session logs. Ids stay. */
export function hiddenLog(log: readonly Event[]): readonly Event[] {
  return log.map(hidden)
}

function hidden<E extends Event>(event: E): E {
  return { ...event, payload: redactAll(event.payload, hiddenText) }
}
