import type { Event } from '../events/index.ts'
import { type Redact, redactAll, redactor } from '../redact.ts'
import { harmless } from './harmless.ts'

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
