import { hasDigit } from './characters.ts'
/** Stems of the vocabulary that are related to each word: what stemming leaves apart of one family. */
export type Relatives = ReadonlyMap<string, readonly string[]>

/** How much a related word counts where the word itself is missing. */
export const RELATED = 0.6

/** Finds, for each stem, those of a vocabulary that share its root: "natur" and "naturalis", "conclud" and "conclus". */
export function relativesOf(stems: Iterable<string>, vocabulary: Iterable<string>): Relatives {
  const relatives = new Map<string, string[]>()
  const wanted = new Map<string, string[]>()
  for (const word of new Set(stems)) {
    relatives.set(word, [])
    if (!isLong(word)) continue
    const root = word.slice(0, LEAST_ROOT)
    wanted.set(root, [...(wanted.get(root) ?? []), word])
  }
  for (const other of new Set(vocabulary)) {
    for (const word of wanted.get(other.slice(0, LEAST_ROOT)) ?? []) {
      if (areRelated(word, other)) relatives.get(word)?.push(other)
    }
  }
  return relatives
}

/** Whether a compound begins or ends with the other word: "betriebsausflug" and "ausflug". */
export function isCompound(one: string, other: string): boolean {
  const [part, whole] = one.length < other.length ? [one, other] : [other, one]
  if (!isLong(part) || part === whole) return false
  return whole.endsWith(part) || (whole.startsWith(part) && whole.length - part.length > LONGER_ENDING)
}

// Five letters in common, and one of the two is almost nothing but the root. Less strictly, "Austria" would be
// related to "Australia" and "protein" to "protease".
const LEAST_ROOT = 5
const SHORTER_ENDING = 1
const LONGER_ENDING = 4

function areRelated(a: string, b: string): boolean {
  if (a === b || !isLong(b)) return false
  const shorter = Math.min(a.length, b.length)
  let root = LEAST_ROOT
  while (root < shorter && a[root] === b[root]) root += 1
  return shorter - root <= SHORTER_ENDING && Math.max(a.length, b.length) - root <= LONGER_ENDING
}

/** A number is never nearly another. */
function isLong(word: string): boolean {
  return word.length >= LEAST_ROOT && !hasDigit(word)
}
