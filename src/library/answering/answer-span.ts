import { stem } from '../language/stem.ts'
import { tokens } from '../language/terms.ts'
import type { Span } from '../quote.ts'
import { answerForms } from './answer-forms.ts'
import { countedIn } from './answer-signs.ts'
import type { Question } from './question.ts'

/**
 * Where a sentence that answers a question for a time, a figure or a person says it: `text.slice(start, end)` is
 * "April 1991" or "340 miles" without the words around it. Null where the question asks for something else, the
 * sentence says no such thing, or says several and it is not plain which one is meant.
 */
export function answerSpan(question: Question, text: string): Span | null {
  if (text.length > LONGEST_SENTENCE) return null
  const shown = text.replace(REFERENCE, (mark) => ' '.repeat(mark.length))
  const isNew = ({ start, end }: Span) =>
    tokens(text.slice(start, end)).some(({ word }) => !question.said.words.has(word))
  for (const form of answerForms(question)) {
    const found = Array.from(shown.matchAll(form), ({ 0: { length }, index }) => ({
      start: index,
      end: index + length,
    }))
    const candidates = found.filter(isNew)
    if (candidates.length > 0) {
      return question.kind === 'person' ? doer(candidates, shown, question) : clearest(candidates, shown, question)
    }
  }
  return null
}

/** A text of more characters is no sentence. */
const LONGEST_SENTENCE = 3_000

/** "[7]", "[1,3–5]", "(Beltagy et al., 2019)": figures that point elsewhere. */
const REFERENCE = /\[\d[\d,–\s-]{0,40}\]|\([^()]{0,120}\p{L}[^()]{0,20},? (?:19|20)\d\d[a-z]?\)/gu

/** How much nearer than the next one the nearest must be. */
const CLEARLY = 1.2

/**
 * The one that stands nearest to what the question names; null if another is about as near. What stands in brackets is
 * an aside, unless everything does.
 */
function clearest(candidates: readonly Span[], text: string, question: Question): Span | null {
  const outside = candidates.filter(({ start }) => !isBracketed(text, start))
  if (countsOtherThings(candidates, text, question)) return null
  const [first, second] = (outside.length > 0 ? outside : candidates)
    .map((span) => ({ span, nearness: nearnessOf(span, text, question) }))
    .sort((a, b) => b.nearness - a.nearness)
  return first && (!second || first.nearness > second.nearness * CLEARLY) ? first.span : null
}

/** What is counted stands there, but every number counts something else. */
function countsOtherThings(candidates: readonly Span[], text: string, { kind, text: wording }: Question): boolean {
  const counted = kind === 'count' ? countedIn(wording) : null
  if (counted === null || !tokens(text).some(({ word }) => stem(word) === counted)) return false
  return !candidates.some(({ end }) =>
    tokens(text.slice(end))
      .slice(0, 4)
      .some(({ word }) => stem(word) === counted),
  )
}

function isBracketed(text: string, at: number): boolean {
  return text.lastIndexOf('(', at) > text.lastIndexOf(')', at) && text.indexOf(')', at) >= 0
}

/** What a word counts beyond a comma. */
const BEYOND = 0.5

/** How many of the question's words stand around, the near ones counting more, those beyond a comma less. */
function nearnessOf(span: Span, text: string, { kind, text: wording, stems }: Question): number {
  const asked = new Set(stems)
  const counted = kind === 'count' ? countedIn(wording) : null
  const words = tokens(text).map(({ word, start, end }) => ({ stem: stem(word), start, end }))
  const before = words.filter(({ end }) => end <= span.start).reverse()
  const after = words.filter(({ start }) => start >= span.end)
  const isCounted = counted !== null && after.slice(0, 3).some((word) => word.stem === counted)
  const breaks = (word: Span) =>
    (word.end <= span.start ? text.slice(word.end, span.start) : text.slice(span.end, word.start)).match(/[,;:()]/g)
      ?.length ?? 0
  // Of a word that is repeated, the nearest counts.
  const nearest = new Map<string, number>()
  for (const side of [before, after]) {
    side.forEach((word, i) => {
      if (!asked.has(word.stem)) return
      const nearness = BEYOND ** breaks(word) / (1 + i)
      nearest.set(word.stem, Math.max(nearness, nearest.get(word.stem) ?? 0))
    })
  }
  return [...nearest.values()].reduce((sum, each) => sum + each, isCounted ? 1 : 0)
}

const WHO_DID = /\bwho(?:m)?\s+(?:(?:is|was|were|are|has|had|have|first)\s+)?(\p{L}+)/iu
const BETWEEN = new Set(['first', 'then', 'also', 'later', 'was', 'had', 'has', 'is'])

/** The length of "Gray and " before "Cheriton"; 0 for another ending. */
function lengthOfOthers(before: string): number {
  if (!/ (?:and|&) $/.test(before)) return 0
  const words = before.split(' ').slice(0, -2)
  const names = words.length - 1 - words.findLastIndex((word) => !/^\p{Lu}[\p{L}.'’-]*,?$/u.test(word))
  return names === 0
    ? 0
    : before.length - words.slice(0, words.length - names).reduce((sum, word) => sum + word.length + 1, 0)
}

/** The name right before the verb of "who described …", or behind "described by"; null unless there is just one. */
function doer(candidates: readonly Span[], text: string, question: Question): Span | null {
  const verb = WHO_DID.exec(question.text)?.[1]?.toLowerCase()
  if (!verb) return null
  const isVerb = (word: string | undefined) => word !== undefined && stem(word) === stem(verb)
  const does = candidates.filter(({ start, end }) => {
    const [next, afterNext] = tokens(text.slice(end)).map(({ word }) => word)
    const [last, beforeLast] = tokens(text.slice(0, start))
      .map(({ word }) => word)
      .reverse()
    return isVerb(next) || (BETWEEN.has(next ?? '') && isVerb(afterNext)) || (last === 'by' && isVerb(beforeLast))
  })
  const [only, other] = does
  return only && !other ? { start: only.start - lengthOfOthers(text.slice(0, only.start)), end: only.end } : null
}
