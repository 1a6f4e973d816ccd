import type { Evidence } from '../../events/index.ts'
import { decimalMarkOf, figuresIn, isStopWord, stem, type Token, tokens, toNumber } from '../../library/index.ts'
import { addressesOf, harmless, whyUnreadable, withoutControls } from '../draft/clean-draft.ts'
import { parseDraft } from '../draft/parse-draft.ts'
import { isStructure } from '../draft/structure.ts'
import { type Computed, checkFormulas, type FigureSources } from '../figures/check-formulas.ts'
import { formsOf } from '../quotes/page-sentences.ts'

/** A correction, with its formulas computed again. */
export interface Correction {
  readonly text: string
  readonly formulas: readonly Computed[]
}

/**
 * A correction of a sentence that brings nothing of its own, since nobody reads it again: it is one plain sentence that could
 * be part of a draft, other than the one it corrects, and each of its words and figures stands in that one or in the context,
 * which is the question and the passages, or a formula accounts for it. Null for any other.
 */
export function correctionWithin(
  correction: string,
  corrected: string,
  context: string,
  sources: FigureSources,
): Correction | null {
  const line = corrected.trim()
  const mark = markOf(line)
  const plain = mark === '' ? correction : correction.slice(markOf(correction).length)
  if (!isPlainSentence(plain, line, sources.evidence) || isSame(plain, line.slice(mark.length))) return null
  const { text, right, isWrong } = checkFormulas(plain, [], sources)
  const results = new Set(right.flatMap(({ figures }) => figures))
  const computed = figuresIn(text, decimalMarkOf(text) ?? '.').filter(({ value }) => results.has(toNumber(value)))
  const known = [line, context, ...computed.map(({ written }) => written)].join('\n')
  return !isWrong && isWithin(text, known) ? { text: mark + text, formulas: right } : null
}

/** The mark of a list item. */
function markOf(text: string): string {
  return /^(?:[-*•+–]|\d{1,3}[.)])\s+/.exec(text)?.[0] ?? ''
}

function isPlainSentence(text: string, corrected: string, evidence: readonly Evidence[]): boolean {
  const isKnown = addressesOf(evidence)
  const [sentence, ...others] = parseDraft(text)
  if (!sentence || others.length > 0 || sentence.citations.length > 0 || isStructure(sentence)) return false
  if (whyUnreadable(text, 0, isKnown) !== null || markOf(text) !== '') return false
  if (harmless(text, isKnown) !== text || withoutControls(text) !== text) return false
  // What is marked in the sentence, such as a name in bold or the cells of a row, may stay so.
  const marks = (of: string) => (of.match(MARKUP) ?? []).sort().join(' ')
  return marks(text) === '' || marks(text) === marks(corrected)
}

const MARKUP = /[`#|[\]{}~\\_]|^[>=]|\*(?!\s)|<(?![\s\d])|(?<![\s\d])>/g

function isSame(one: string, other: string): boolean {
  const words = (text: string) => tokens(text).map(({ word }) => word)
  return words(one).join(' ') === words(other).join(' ')
}

/** Each word of a text, by its beginning or its stem, and each figure stands in what is known, or is a short function word. */
function isWithin(text: string, known: string): boolean {
  const words = new Set(tokens(known).flatMap(({ word }) => [word, stem(word)]))
  const forms = formsOf(known)
  const isHeld = ({ word }: Token) =>
    words.has(word) ||
    (!/\d/.test(word) && (words.has(stem(word)) || [...formsOf(word)].some((form) => forms.has(form))))
  const figures = [...formsOf(text)].filter((form) => /^\d+$/.test(form))
  return (
    figures.every((figure) => forms.has(figure)) && tokens(text).every((each) => isHeld(each) || isPlain(each, text))
  )
}

/** Up to so many letters, a function word joins others; longer ones say how many, how certain or when. */
const LONGEST_PLAIN = 3

/** A function word that changes no meaning by itself: negations begin alike in many languages, and names are capitals inside. */
function isPlain({ word, start, end }: Token, text: string): boolean {
  const isName = start > 0 && /\p{Lu}/u.test(text.slice(start, end))
  const isNegation = word.startsWith('n') || /['’]/.test(text.charAt(start - 1))
  return word.length <= LONGEST_PLAIN && isStopWord(word) && !isName && !isNegation
}

/** A name (a word with a capital that begins no sentence) or a figure of a sentence that stands nowhere; null if each does. */
export function foreignIn(text: string, known: string): string | null {
  const forms = formsOf(known)
  const words = new Set(tokens(known).map(({ word }) => word))
  const begins = text.search(/[\p{L}\p{N}]/u)
  const found = tokens(text).find(({ word, start, end }) => {
    const isName = /\p{Lu}/u.test(text.slice(start === begins ? start + 1 : start, end))
    if (!(isName || /\d/.test(word)) || words.has(word)) return false
    return /\d/.test(word) || ![...formsOf(word)].some((form) => forms.has(form))
  })
  if (found) return text.slice(found.start, found.end)
  return [...formsOf(text)].find((form) => /^\d+$/.test(form) && !forms.has(form)) ?? null
}
