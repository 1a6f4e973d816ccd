import { oneLine } from '../../language/characters.ts'

const ligatures: Readonly<Record<string, string>> = {
  ﬀ: 'ff',
  ﬁ: 'fi',
  ﬂ: 'fl',
  ﬃ: 'ffi',
  ﬄ: 'ffl',
  ﬅ: 'st',
  ﬆ: 'st',
}

/**
 * One line of clean text: NFC, ligatures expanded, soft hyphens, control and private-use characters removed, white
 * space collapsed. A soft hyphen at the very end becomes a hyphen, so that the line can be joined to the next.
 */
export function cleanLine(raw: string): string {
  if (isPlain(raw)) return raw
  return oneLine(cleanCharacters(raw.replace(/\u00ad\s*$/u, '-')))
}

/** Whether text is visible ASCII with single spaces inside it: most lines are, and nothing in them is to be cleaned. */
function isPlain(text: string): boolean {
  let before = 32
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 32 || code > 126 || (code === 32 && before === 32)) return false
    before = code
  }
  return before !== 32
}

/** The same for text whose line ends and indentation matter, such as code. Line ends become `\n`. */
export function cleanLines(raw: string): string {
  return cleanCharacters(raw.replace(/\r\n?|\u2028|\u2029/gu, '\n'))
    .replace(/(?<![^\S\n])[^\S\n]+$/gmu, '')
    .replace(/^\n+|(?<!\n)\n+$/gu, '')
}

const joined =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}]/u

/** Characters without a shape go, but for the joiners that the spelling of some scripts needs. */
function keepJoiner(found: string, letter = ''): string {
  const isJoiner = found.endsWith('\u200c') || found.endsWith('\u200d')
  return isJoiner && joined.test(letter) ? found : letter
}

function cleanCharacters(raw: string): string {
  return joinAccents(
    raw
      .replace(/[ﬀ-ﬆ]/gu, (ligature) => ligatures[ligature] ?? ligature)
      .replace(/[\p{Cs}\p{Co}]/gu, '')
      .replace(/([\p{L}\p{M}])?[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, keepJoiner)
      .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/gu, ' ')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed here.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/gu, ' ')
      .normalize('NFC'),
  )
}

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
