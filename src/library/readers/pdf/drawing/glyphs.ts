/** What pdf.js says of a glyph: its code in the font, and the text that it stands for, or else the code's character. */
export interface Glyph {
  readonly originalCharCode: number
  readonly unicode: string
  readonly width: number
  readonly isSpace: boolean
}

/** What pdf.js says of a font with `fontExtraProperties`. */
export interface FontData {
  readonly name?: string
  readonly composite?: boolean
  readonly fontMatrix?: readonly number[]
  readonly differences?: readonly (string | undefined)[]
  readonly defaultEncoding?: readonly (string | undefined)[]
  readonly toUnicode?: { readonly _map?: readonly (string | number | undefined)[] }
}

/**
 * `known`: as pdf.js reads it; `guessed`: the font does not say which character it is, so that it is the one with the same
 * code, if any; else the character that it is.
 */
export type Reading = 'known' | 'guessed' | { readonly is: string }

/** Stands for a glyph that cannot be read. */
export const unreadable = '\ufffd'

/** A font, and whether what is guessed of it makes words. */
export interface Font {
  readonly data: FontData
  /** By the glyph's code. */
  readonly readings: Map<number, Reading>
  /** Letters in a row that were guessed last. */
  guessedLetters: number
  formsWords: boolean
}

export function fontFrom(data: FontData): Font {
  return { data, readings: new Map(), guessedLetters: 0, formsWords: false }
}

/** The guesses of a font are right if they make a word of at least so many letters. */
const shortestWord = 3

export function readGlyph(font: Font, glyph: Glyph): Reading {
  const { originalCharCode: code, unicode } = glyph
  const reading = font.readings.get(code) ?? readingOf(font.data, code, unicode)
  font.readings.set(code, reading)
  if (reading !== 'guessed') return reading
  // Codes that count glyphs look like words in capitals.
  const isLetter = (font.data.composite ? /^[a-z]$/ : /^[A-Za-z]$/).test(unicode)
  font.guessedLetters = isLetter ? font.guessedLetters + 1 : 0
  font.formsWords ||= font.guessedLetters >= shortestWord
  return reading
}

/** Names that repeat the code in the font: "a65", "g41", "cid1234". */
const codeName = /^(?:\p{L}{1,2}|char|cid|glyph|index)[\dA-F]{1,5}$/iu
/** Fonts of pictures whose codes are those of letters. */
const pictures = /dingbats|icon|webdings|wingdings/iu

function readingOf(font: FontData, code: number, unicode: string): Reading {
  const isPicture = pictures.test(font.name ?? '') && /^[!-~\u00a1-\u00ff\uf021-\uf0ff]$/u.test(unicode)
  if (isPicture) return { is: wingdings[unicode.charCodeAt(0) & 255] ?? unreadable }
  if (/^[\p{Cc}\p{Co}\p{Cn}\ufffd]/u.test(unicode)) return { is: privateCharacter(unicode) ?? unreadable }
  if (font.toUnicode?._map?.[code] !== undefined) return 'known'
  if (font.composite) return 'guessed'
  const name = font.differences?.[code] ?? font.defaultEncoding?.[code] ?? ''
  return name === '' || name === '.notdef' || codeName.test(name) ? 'guessed' : { is: unreadable }
}

/** What forms and lists use of Wingdings, by its code. */
const wingdings: Readonly<Record<number, string>> = {
  108: '●',
  110: '■',
  111: '□',
  113: '❑',
  114: '❒',
  118: '❖',
  120: '☒',
  159: '•',
  161: '○',
  167: '▪',
  168: '☐',
  216: '➢',
  224: '→',
  251: '✗',
  252: '✓',
  253: '☒',
  254: '☑',
}

/** Private characters that many fonts agree on: figures and capitals of other forms, and the bullet of Symbol. */
function privateCharacter(unicode: string): string | null {
  const code = unicode.charCodeAt(0)
  if (code === 0xf0b7) return '•'
  const isForm = (code >= 0xf730 && code <= 0xf739) || (code >= 0xf761 && code <= 0xf77a)
  return isForm ? String.fromCharCode(code - 0xf700) : null
}
