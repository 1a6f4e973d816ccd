/** Accents that stand apart, as characters of their own. */
const marks: Readonly<Record<string, string>> = {
  '´': '\u0301',
  '¨': '\u0308',
  ˆ: '\u0302',
  '˜': '\u0303',
  ˇ: '\u030c',
  '˘': '\u0306',
  '˚': '\u030a',
  '˙': '\u0307',
  '¯': '\u0304',
  '˝': '\u030b',
  '¸': '\u0327',
  '˛': '\u0328',
}

const apart = /(\p{L}?)( ?)([´¨ˆ˜ˇ˘˚˙¯˝¸˛])( ?)(\p{L}?)/gu

/**
 * Joins accents that stand apart to the letter with which they make one of the Latin alphabets: the one behind, as TeX sets
 * them, else the one before.
 */
export function joinAccents(text: string): string {
  return text.replace(apart, (found, before: string, gap: string, accent: string, space: string, after: string) => {
    const mark = marks[accent] ?? ''
    const [earlier, later] = [gap === '' ? withMark(before, mark) : null, withMark(after, mark)]
    if (later !== null && (space === '' || earlier === null)) return before + later
    return earlier === null ? found : earlier + space + after
  })
}

// In a word, not in a formula: letters stand before or behind.
const misplaced =
  /(?:(?<=\p{L}{2})|(?=...\p{Ll}))([A-Za-zıȷ])([\u0301-\u0304\u0306-\u0308\u030a-\u030c\u0327\u0328])([A-Za-zıȷ])/gu

/** The same for combining marks of a text whose glyphs may be drawn in another order: they belong to the letter before, if they can. */
export function moveAccents(text: string): string {
  return text.replace(misplaced, (found, before: string, mark: string, after: string) => {
    const [earlier, later] = [withMark(before, mark), withMark(after, mark)]
    if (earlier !== null) return earlier + after
    return later === null ? found : before + later
  })
}

/** Behind it stand letters that few languages have, as "ṕ". */
const lastOfLatin = 0x24f

function withMark(letter: string, mark: string): string | null {
  if (letter === '') return null
  const plain = letter === 'ı' ? 'i' : letter === 'ȷ' ? 'j' : letter
  const joined = (plain + mark).normalize('NFC')
  return joined.length === 1 && joined.charCodeAt(0) <= lastOfLatin ? joined : null
}
