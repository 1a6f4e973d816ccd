import { stem } from '../../library/language/stem.ts'
import { tokens } from '../../library/language/terms.ts'
import type { Span } from '../../library/quote.ts'
import { countedIn } from './answer-signs.ts'
import type { Question } from './question.ts'

/**
 * Where a sentence that answers a question for a time or a figure says it: `text.slice(start, end)` is
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
    if (candidates.length > 0) return clearest(candidates, shown, question)
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

/** How many of the question's words stand around, the near ones counting more, those beyond a comma less. */
function nearnessOf(span: Span, text: string, { kind, text: wording, stems }: Question): number {
  const counted = kind === 'count' ? countedIn(wording) : null
  const sides = [text.slice(0, span.start), text.slice(span.end)].map((side) =>
    tokens(side).map(({ word, start, end }) => ({
      word: stem(word),
      between: [side.slice(end), side.slice(0, start)],
    })),
  )
  const [before = [], after = []] = sides
  const near = (words: typeof before, side: 0 | 1) =>
    words.map(({ word, between }, i) => {
      const breaks = between[side]?.match(/[,;:()]/g)?.length ?? 0
      return { word, nearness: BEYOND ** breaks / (1 + i) }
    })
  const around = [...near(before.toReversed(), 0), ...near(after, 1)]
  // Of a word that is repeated, the nearest counts.
  const nearest = [...new Set(stems)].map((wanted) =>
    Math.max(0, ...around.filter(({ word }) => word === wanted).map(({ nearness }) => nearness)),
  )
  const isCounted = after.slice(0, 3).some(({ word }) => word === counted)
  return nearest.reduce((sum, each) => sum + each, Number(isCounted))
}

/** What a word counts beyond a comma. */
const BEYOND = 0.5

// What times and figures look like in running text. All are sources of regular expressions with the flag `u`.
// Repeats are bounded, so that the check of expressions can prove the long ones.

/** At the beginning of a sentence too. */
const anyCase = (words: string) => words.replace(/(?<=^|\|)\p{L}/gu, (letter) => `[${letter.toUpperCase()}${letter}]`)
const UNITS = anyCase(
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen',
)
const TENS = anyCase('twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety')
const WORDS = String.raw`(?<![\p{L}-])(?:(?:${TENS})(?:-(?:${UNITS}))?|${UNITS}|a hundred|hundreds|thousands|a dozen)(?!\p{L})`
const DIGITS = String.raw`(?<![\p{L}\p{N}]|\p{L}[,-]|\p{N}[.,:–-])(?:\d{1,3}(?:[,\u00a0\u202f]\d{3}){1,5}|\d{1,15})(?:\.\d{1,15})?(?!:\d)`
const SCALE = String.raw`(?:\s?(?:k|K|M|B|bn)(?![\p{L}\p{N}])|\s(?:hundred|thousand|million|billion|trillion))`
const FIGURE = `(?:${DIGITS}${SCALE}?|${WORDS}${SCALE}{0,2})`
const SECOND = String.raw`(?:\s?[–-]\s?|\s(?:to|or)\s)(?:\d[\d,.]{0,20}\d|\d)${SCALE}?|\s(?:to|or)\s${WORDS}${SCALE}{0,2}`
/** "81.1M", "nine", "30 to 50 thousand", "100–150". */
const NUMBER = String.raw`${FIGURE}(?:${SECOND})?(?![\p{N}]|[.,]\d)`

const YEAR = String.raw`(?<![\p{N}\p{L}.,])(?:1\d|20)\d\d(?:s|[–-]\d{2,4})?(?![\p{N}\p{L}%]|[.,]\d)`
const MONTH =
  '(?:January|February|March|April|May|June|July|August|September|October|November|December|(?:Jan|Feb|Mar|Apr|Aug|Sept?|Oct|Nov|Dec)\\.)'
const DAY = String.raw`\d{1,2}(?:st|nd|rd|th)?`
const CENTURY = String.raw`(?:the )?(?:[Ee]arly |[Mm]id-?|[Ll]ate )?(?:\d{1,2}(?:st|nd|rd|th)|\p{L}{3,12}th) century`
/** "19 March 1997", "April 1991", "the summer of 1521", "the 1940s", "in March", "the 12th century". */
const DATE = [
  String.raw`(?<![\p{N}\p{L}])${DAY}(?: of)? ${MONTH},?(?: ${YEAR})?`,
  `${MONTH}(?: ${DAY})?,? ${YEAR}`,
  String.raw`${MONTH} ${DAY}(?![\p{L}\p{N}])`,
  `(?:the )?(?:[Ss]pring|[Ss]ummer|[Aa]utumn|[Ff]all|[Ww]inter) (?:of )?${YEAR}`,
  `(?:[Ee]arly|[Mm]id|[Ll]ate)[ -](?:the )?${YEAR}`,
  String.raw`(?<=\b(?:[Ii]n|[Ss]ince|[Uu]ntil|[Bb]y|[Dd]uring|[Ll]ast) )${MONTH}(?!\p{L})`,
  CENTURY,
  YEAR,
].join('|')
const YEAR_WITH_MONTH = String.raw`(?:(?:\d{1,2} )?\p{Lu}\p{L}{2,8} (?:\d{1,2},? )?)?(?:1\d|20)\d\ds?`
/** "between 2005 and 2010", "from 1870 to 1939", "from May 1997 to 3 June 1999". */
const PERIOD = String.raw`(?:[Bb]etween|[Ff]rom) ${YEAR_WITH_MONTH} (?:and|to|until) ${YEAR_WITH_MONTH}(?![\p{N}\p{L}%]|[.,]\d)`

const UNIT_OF_TIME = '(?:milliseconds?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur(?:y|ies))'
const DURATION = String.raw`${NUMBER}[\s-]${UNIT_OF_TIME}`
const SIGN = String.raw`\s?(?:%|‰|°\s?[CFK]|[µμmkMG]?[glmsWVAJ]|[µμmck]m²?|[kMGT]i?B|kWh|mph|[kMG]?Hz|dB|rpm|ha|ft|lb|bar)(?![\p{L}\p{N}])`
const WORD_OF_UNIT = String.raw`\s(?:per ?cent|percentage points|points|times|miles?|kilomet(?:er|re)s?|met(?:er|re)s?|feet|inch(?:es)?|acres?|hectares?|(?:square|cubic) \p{L}{1,20}|tons?|tonnes?|kilograms?|grams?|pounds|dollars|euros|yen|bytes|characters|words|degrees(?: \p{L}{1,20})?|${UNIT_OF_TIME})(?!\p{L})`
const MONEY = String.raw`(?:(?:US|USD|EUR|GBP)\s?)?[$€£¥]\s?\d[\d,]{0,20}(?:\.\d{1,15})?${SCALE}?`
const QUANTITY = `${MONEY}|${NUMBER}(?:${SIGN}|${WORD_OF_UNIT})`
const PART = String.raw`(?:(?:one|two|three|a)[ -])?(?:half|thirds?|quarters?|fourths?|fifths?|tenths?)(?!\p{L})`
const SHARE = String.raw`${NUMBER}\s?(?:%|per ?cent)(?!\p{L})|${PART}`

// The first line whose kind and wording fit decides. A kind is missing where the words that would be picked were wrong
// too often on the development questions: see `npm run bench -- spans`.
const SOURCES: readonly (readonly [Question['kind'], RegExp, ...(readonly string[])])[] = [
  ['time', /\bhow long\b/i, `${PERIOD}|${DURATION}`],
  ['time', /\bhow old\b/i, String.raw`(?<=\bage[ds]? (?:of )?)${NUMBER}|${NUMBER}[ -]years?`],
  ['time', /\b(?:what|which) year\b/i, YEAR],
  ['time', /\bcentury\b/i, CENTURY],
  ['time', /./, `${PERIOD}|${DATE}`, `${DURATION} (?:later|ago|after|before|earlier)`],
  [
    'count',
    /\bhow often\b/i,
    `every (?:${NUMBER} )?${UNIT_OF_TIME}|(?:once|twice)(?: (?:a|an|per|every) \\p{L}{1,20})?`,
  ],
  ['count', /./, String.raw`(?<!\b(?:first|last|next) )(?![Oo]ne(?!\p{L}))${NUMBER}(?!\s?%)`],
  ['share', /./, SHARE],
  ['amount', /./, QUANTITY, NUMBER],
  ['money', /./, QUANTITY, NUMBER],
]

const FORMS = SOURCES.map(([asked, wording, ...forms]) => ({
  asked,
  wording,
  forms: forms.map((form) => new RegExp(form, 'gu')),
}))

/** What the answer to a question looks like, the likeliest form first; empty where no form can be trusted. */
function answerForms({ kind, text }: Question): readonly RegExp[] {
  return FORMS.find(({ asked, wording }) => asked === kind && wording.test(text))?.forms ?? []
}
