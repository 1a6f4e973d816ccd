import { beginsUpper, beginsWithDigit } from '../../language/characters.ts'
/** How often each word occurs in a document, without words that a line end may have cut. */
export type Vocabulary = ReadonlyMap<string, number>

const words = /[\p{L}\p{N}]+(?:[-‐][\p{L}\p{N}]+)*/gu
const cutEnd = /[\p{L}\p{N}][-‐]$/u

/** Counts the words of all lines: plain (`language`) and hyphenated (`english-language`) forms. */
export function vocabulary(lines: Iterable<string>): Vocabulary {
  const counts = new Map<string, number>()
  const count = (word: string): void => {
    counts.set(word, (counts.get(word) ?? 0) + 1)
    if (word.includes('-')) word.split('-').forEach(count)
  }
  let cut = false
  for (const line of lines) {
    const found = line.toLowerCase().match(words) ?? []
    const endsCut = isCut(line)
    const end = found.length - (endsCut ? 1 : 0)
    for (let at = cut ? 1 : 0; at < end; at++) {
      count(found[at] ?? '')
    }
    cut = endsCut
  }
  return counts
}

// Most lines do not end in a hyphen, which needs no search.
function isCut(text: string): boolean {
  return (text.endsWith('-') || text.endsWith('‐')) && cutEnd.test(text)
}

/**
 * Joins the lines of one paragraph with spaces. A word that a hyphen cuts at a line end becomes one word if that word
 * occurs elsewhere in the document; it keeps its hyphen if the hyphenated form does, if both halves are words seen more
 * than twice, or if the first is an adverb; else it becomes one word.
 */
export function joinLines(lines: readonly string[], known: Vocabulary): string {
  let text = ''
  // The last characters of `text`: a search of all of it at every line would take quadratic time.
  let end = ''
  for (const line of lines) {
    const join = text === '' ? '' : joint(end, line, known)
    if (join === null) text = text.slice(0, -1)
    text += (join ?? '') + line
    end = (join === null ? end.slice(0, -1) + line : end + join + line).slice(-80)
  }
  return text
}

/** The text between two lines; null if the hyphen before is removed. */
function joint(end: string, line: string, known: Vocabulary): ' ' | '' | null {
  const head = isCut(end) ? lastWord(end.slice(0, -1)) : ''
  const [tail] = (head && /^[\p{L}\p{N}]+/u.exec(line)) || []
  if (!head || !tail) return ' '
  return keepsHyphen(head, tail, known) ? '' : null
}

/** With the hyphens inside it. */
function lastWord(text: string): string {
  return (
    text
      .split(/[^\p{L}\p{N}‐-]+|[-‐]{2,}/u)
      .at(-1)
      ?.replace(/^[-‐]/u, '') ?? ''
  )
}

function keepsHyphen(head: string, tail: string, known: Vocabulary): boolean {
  const seen = (word: string): number => known.get(word.toLowerCase()) ?? 0
  const half = head.split(/[-‐]/u).at(-1) ?? head
  if (/\p{N}$/u.test(head) || beginsWithDigit(tail)) return true
  if (seen(half + tail) > 0) return false
  if (seen(`${head}-${tail}`) > 0) return true
  if (seen(half) > 2 && seen(tail) > 2) return true
  if (seen(half) > 0 && /\p{L}{2}ly$/u.test(half)) return true
  return beginsUpper(tail) && !(isUpper(half) && isUpper(tail))
}

function isUpper(word: string): boolean {
  return word === word.toUpperCase()
}
