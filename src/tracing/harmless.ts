import { controlCharacters } from '../credentials/mask.ts'
import type { Event } from '../events/index.ts'
import { type Redact, redactAll, redactor } from '../redact.ts'

/**
 * Text without what a terminal would obey or a reader of YAML refuse: control characters but newline and tab, the
 * controls that turn the direction of writing, and what is no character at all.
 */
export function harmless(text: string): string {
  return text.replace(controlCharacters, '')
}

/** The same on one line. */
export function harmlessLine(text: string): string {
  return harmless(text).replace(/[\n\t\u2028\u2029]+/g, ' ')
}

/**
 * Hides what is shaped like a credential once it is harmless, which a log's text becomes: what parts it may be taken out
 * then. A configured one is in no event; that nothing else is asked of the
 * configuration makes a session log the same whenever, and wherever, it is written anew.
 */
export const hiddenText: Redact = (text) => hideShapes(harmless(text))

const hideShapes = redactor([])

/** A run's log as session logs tell it. Ids stay: they are how an entry is found again. */
export function hiddenLog(log: readonly Event[]): readonly Event[] {
  return log.map((event) => ({ ...event, payload: redactAll(event.payload, hiddenText) }) as Event)
}
