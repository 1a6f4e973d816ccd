import { LONGEST_WORD, porterStem, stem } from './stem.ts'
import { isStopWord, otherStopWords } from './stop-words.ts'

/** A word of a text, folded for comparison, and where it stands. */
export interface Token {
  /** Lower case, without accents and compatibility forms. */
  readonly word: string
  readonly start: number
  readonly end: number
}

const RUN_OF_LETTERS = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
// "10-K", "J&J", "AT&T": one letter says nothing without what it is joined to. ASCII_WORD is the same for plain texts.
const WORD = new RegExp(
  `(?<![\\p{L}\\p{N}&-])(?:\\p{L}[&-][\\p{L}\\p{N}]{1,2}|[\\p{L}\\p{N}]{1,2}[&-]\\p{L})(?![\\p{L}\\p{N}\\p{M}&-])|${RUN_OF_LETTERS.source}`,
  'gu',
)

/**
 * The words of a text: runs of letters and digits, and short names as "10-K" and "J&J", in order, with their offsets. Where
 * a script sets no spaces between words, each two characters count as one, and overlap.
 */
export function tokens(text: string): readonly Token[] {
  // Most texts are plain ASCII, where words are found much faster.
  return tokensOf(text, ASCII.test(text) ? ASCII_WORD : WORD)
}

function tokensOf(text: string, pattern: RegExp): readonly Token[] {
  const found: Token[] = []
  for (const { 0: run, index } of text.matchAll(pattern)) {
    const pieces = ASCII.test(run) ? [{ text: run, start: 0 }] : piecesOf(run)
    for (const { text: piece, start } of pieces) {
      if (piece.length > LONGEST_WORD) continue
      found.push({ word: fold(piece), start: index + start, end: index + start + piece.length })
    }
  }
  return found
}

// No character beyond the tilde: letters and digits of other scripts, accents and typographic signs.
const ASCII = /^[^\x7f-\uffff]*$/
const ASCII_WORD =
  /(?<![A-Za-z0-9&-])(?:[A-Za-z][&-][A-Za-z0-9]{1,2}|[A-Za-z0-9]{1,2}[&-][A-Za-z])(?![A-Za-z0-9&-])|[A-Za-z0-9]+/g

/** A word in lower case, without accents and compatibility forms. */
export function fold(word: string): string {
  // Most words are plain ASCII, for which normalising is wasted time.
  if (/^[\x20-\x7e]*$/.test(word)) return word.toLowerCase()
  return word.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase()
}

// Marks that a writer may leave out: accents, and the vowel points of Arabic and Hebrew. Vowel signs of other scripts,
// and the marks that tell "ga" from "ka" in Japanese, are as good as letters.
const ACCENTS = /(?![\u3099\u309a])(?=\p{M})[\p{Script=Inherited}\p{Script=Arabic}\p{Script=Hebrew}]/gu

/**
 * A text, or one word of it, for the full-text index. The index splits Latin script itself; words of other scripts are
 * folded here, and split where they stand without spaces. Marks are left out, since the index would end a word at each.
 */
export function indexForm(text: string): string {
  if (!hasOtherScripts(text)) return text
  return text.replace(RUN_OF_LETTERS, (word) => {
    if (!hasOtherScripts(word)) return word
    const pieces = tokens(word).map((token) => token.word.replace(/\p{M}/gu, ''))
    return ` ${pieces.join(' ')} `
  })
}

/** The stems that SQLite's full-text index makes of a text's `indexForm`, for storages that have no such index. */
export function indexStems(text: string): readonly string[] {
  return tokensOf(indexForm(text), RUN_OF_LETTERS).map(({ word }) => porterStem(word))
}

/** True for a text that the full-text index is not given as it stands. */
function hasOtherScripts(text: string): boolean {
  return BEYOND_LATIN.test(text)
}

const BEYOND_LATIN = /(?![\0-\u024f])[\p{L}\p{N}]/u

/** Stems of all words of a text, in order. */
export function stems(text: string): readonly string[] {
  // Ranking reads hundreds of passages for one question.
  if (ASCII.test(text)) {
    return (text.toLowerCase().match(ASCII_WORD) ?? []).filter(({ length }) => length <= LONGEST_WORD).map(stem)
  }
  return tokens(text).map((token) => stem(token.word))
}

/** Stems of the words that carry meaning. */
export function contentStems(text: string): readonly string[] {
  return contentWords(text).map(stem)
}

/** The words that carry meaning, folded: stop words of the text's language and question verbs dropped, repeats kept. */
export function contentWords(text: string): readonly string[] {
  const found = tokens(text)
  const own = otherStopWords(found.map(({ word }) => word))
  const isSmall = ({ word, start, end }: Token, index: number) =>
    own ? own.has(word) : isStopWord(word) && !(index > 0 && text.slice(start, end) === MONTH)
  return found.filter((token, index) => !isSmall(token, index)).map(({ word }) => word)
}

/** The one month that is a small word, too. */
const MONTH = 'May'

/** True unless more speaks for another language: its letters, or its small words. Without small words, it may be English. */
export function isEnglish(text: string): boolean {
  return isLatin(text) && otherStopWords(tokens(text).map(({ word }) => word)) === null
}

/** At least half of its letters are of Latin script. */
function isLatin(text: string): boolean {
  const others = text.match(/(?!\p{Script=Latin})\p{L}/gu)?.length ?? 0
  return others === 0 || (text.match(/\p{L}/gu)?.length ?? 0) >= 2 * others
}

/** How many terms a query may have; what follows is ignored. */
export const MAX_TERMS = 64

/**
 * The words to search for: stop words and question verbs dropped, repeats kept, at most 64. A word of letters followed
 * by digits (`fy2018`) is also searched for in two words. A query of stop words alone is searched for as it is.
 */
export function queryTerms(query: string): readonly string[] {
  const content = contentWords(query)
  const chosen = content.length > 0 ? content : tokens(query).map((token) => token.word)
  return chosen.flatMap(spellings).slice(0, MAX_TERMS)
}

function spellings(word: string): readonly string[] {
  const parts = /^(\p{L}{2,})(\p{N}{2,})$/u.exec(word)
  return parts?.[1] && parts[2] ? [word, parts[1], parts[2]] : [word]
}

interface Piece {
  readonly text: string
  readonly start: number
}

// scx (script extensions) counts the prolonged sound mark of Japanese in, which two scripts share.
const SPACELESS =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u
const RUN = new RegExp(`(?:${SPACELESS.source}\\p{M}*)+`, 'gu')
const CHARACTER = /\P{M}\p{M}*/gu

/**
 * Splits a word of a script without spaces, or of Korean, which joins particles to words, into overlapping pairs of
 * characters (J. H. Lee and J. S. Ahn, "Using n-grams for Korean text retrieval", SIGIR 1996). Words of other scripts
 * stay whole.
 */
export function piecesOf(word: string): readonly Piece[] {
  if (!SPACELESS.test(word)) return [{ text: word, start: 0 }]
  const pieces: Piece[] = []
  let end = 0
  for (const run of word.matchAll(RUN)) {
    if (run.index > end) pieces.push({ text: word.slice(end, run.index), start: end })
    // Not spread into the call: a run may be longer than a call has room for arguments.
    for (const pair of pairsOf(run[0], run.index)) pieces.push(pair)
    end = run.index + run[0].length
  }
  if (end < word.length) pieces.push({ text: word.slice(end), start: end })
  return pieces
}

function pairsOf(run: string, start: number): readonly Piece[] {
  const characters = Array.from(run.matchAll(CHARACTER), (match) => ({ text: match[0], start: start + match.index }))
  if (characters.length < 2) return characters
  return characters.slice(1).map(({ text }, i) => {
    const first = characters[i] ?? { text: '', start }
    return { text: first.text + text, start: first.start }
  })
}
