import { controlCharacters } from '../credentials/mask.ts'

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
