import { controlCharacters } from '../credentials/index.ts'
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

/**
 * Data as YAML, indented by so many spaces: one line for each key, and one for each item of a list, with JSON as the
 * value, which is YAML too. The keys must be names. The `yaml` package would take longer to load than a session log to
 * write.
 */
export function yamlOf(value: object, indent = 0): string {
  const margin = ' '.repeat(indent)
  return Object.entries(value)
    .map(([key, each]) => {
      if (!Array.isArray(each) || each.length === 0) return `${margin}${key}: ${inOneLine(each)}\n`
      return `${margin}${key}:\n${each.map((item) => `${margin}  - ${inOneLine(item)}\n`).join('')}`
    })
    .join('')
}

/** Data as JSON on one line, without control characters. */
export function inOneLine(value: unknown): string {
  const clean = JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'string') return harmless(each)
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each
    // A key of YAML on one line may have 1024 characters.
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [harmless(key).slice(0, 200), inner]))
  })
  // Some readers of YAML take these for line breaks, or for the mark at the beginning of a file.
  return (clean ?? 'null').replace(
    /[\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
