/** The parts of a text that white space separates. */
export function wordsIn(text: string): readonly string[] {
  return text.trim().split(/\s+/u)
}

/** The words of a list, for lookups. */
export function wordSet(list: string): ReadonlySet<string> {
  return new Set(wordsIn(list))
}

/** The text on one line, with single spaces. */
export function oneLine(text: string): string {
  return wordsIn(text).join(' ')
}

export function hasLetter(text: string): boolean {
  return /\p{L}/u.test(text)
}

export function hasDigit(text: string): boolean {
  return /\p{N}/u.test(text)
}

export function hasLetterOrDigit(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}

export function beginsUpper(text: string): boolean {
  return /^\p{Lu}/u.test(text)
}

export function beginsLower(text: string): boolean {
  return /^\p{Ll}/u.test(text)
}

export function beginsWithDigit(text: string): boolean {
  return /^\p{N}/u.test(text)
}

/** Letters and digits alone, in lower case. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}

/** How many characters of a text are letters or digits. */
export function countLetters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
}

/** How far a text goes without the characters at its end that `isDropped` names. */
export function endWithout(text: string, isDropped: (character: string) => boolean): number {
  let end = text.length
  while (end > 0 && isDropped(text.charAt(end - 1))) end -= 1
  return end
}

/** A year of our time in a text, the first; null without one. */
export function yearIn(text: string): number | null {
  const digits = /\b(?:19|20)\d{2}\b/u.exec(text)?.[0]
  return digits ? Number(digits) : null
}

/** Whether a line is a row of a table. */
export function isRow(line: string): boolean {
  return line.includes(' | ')
}
