import { contentWords, numbersIn, stem, stems, tokens } from '../../library/index.ts'
import { questionsIn } from '../follow-up/standalone-question.ts'
import { namesIn } from '../language/names.ts'

/** What kind of thing would answer a question. */
export type AnswerKind = 'person' | 'time' | 'place' | 'number' | 'share' | 'money' | 'reason' | 'definition' | 'open'

/** A question, taken apart for the search of its answer. */
export interface Question {
  /** Without the questions that it leans on. */
  readonly text: string
  readonly kind: AnswerKind
  /** Its content words in order, repeats kept, with those of the questions that it leans on. */
  readonly words: readonly string[]
  /** Their stems. */
  readonly stems: readonly string[]
  /** Stems of the questions that it leans on alone, and of these the names in them. */
  readonly context: { readonly stems: ReadonlySet<string>; readonly names: ReadonlySet<string> }
  /** The years it is about. */
  readonly years: ReadonlySet<string>
  /** What it says itself, which cannot be its answer. */
  readonly said: { readonly words: ReadonlySet<string>; readonly numbers: ReadonlySet<number> }
}

/**
 * Finds out what a question asks for, from its wording alone. Of several questions the last one is asked; those before it
 * say what it is about, and what it asks for where it does not say so itself.
 */
export function readQuestion(whole: string): Question {
  const questions = questionsIn(whole)
  const text = questions.at(-1) ?? whole
  const kinds = questions.map(kindOf)
  const kind = kinds.findLast((each) => each !== 'open') ?? 'open'
  const own = wordsOf(text)
  // A follow-up on another year is not about the year of the question before.
  const hasYear = own.some(isYear)
  const before = questions
    .slice(0, -1)
    .flatMap(wordsOf)
    .filter((word) => !(hasYear && isYear(word)))
  const ownStems = new Set(own.map(stem))
  const context = before.filter((word) => !ownStems.has(stem(word)))
  const names = new Set(questions.slice(0, -1).flatMap((each) => namesIn(each).flatMap((name) => stems(name.text))))
  const words = [...own, ...context]
  const years = new Set(words.filter(isYear))
  const said = {
    words: new Set(tokens(whole).map(({ word }) => word)),
    numbers: new Set(numbersIn(whole).map(({ value }) => value)),
  }
  return {
    text,
    kind,
    words,
    stems: words.map(stem),
    context: { stems: new Set(context.map(stem)), names },
    years,
    said,
  }
}

function kindOf(text: string): AnswerKind {
  return KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'open'
}

function wordsOf(text: string): readonly string[] {
  // "How long": no answer repeats it.
  const others = contentWords(text.replace(HOW_MUCH, ' '))
  return others.length > 0 ? others : contentWords(text)
}

const HOW_MUCH = /\bhow (?:long|old|large|big|tall|high|deep|wide|heavy|far|fast|often|soon|quickly|expensive)\b/gi

/** The years in a text. */
export function yearsIn(text: string): readonly string[] {
  return text.match(/(?<![\d.,])(?:19|20)\d\d(?![\d.,]\d|\d)/g) ?? []
}

function isYear(word: string): boolean {
  return /^(?:19|20)\d\d$/.test(word)
}

/** True when an answer of this kind is a figure. */
export function wantsNumber(kind: AnswerKind): boolean {
  return kind === 'number' || kind === 'share'
}

/** True when one certain thing is asked for that stands in few places: a figure, a time, a person, a place. */
export function wantsFact(kind: AnswerKind): boolean {
  return kind !== 'open' && kind !== 'reason' && kind !== 'definition'
}

/**
 * Does a text hold something that could be the answer? What the question itself says does not count, so that a number
 * in the question is not taken for its answer.
 */
export function bearsAnswer(question: Question, text: string): boolean {
  if (wantsNumber(question.kind)) {
    if (question.kind === 'share' && !SHARE.test(text)) return false
    return numbersIn(text).some(
      ({ value, written }) => !question.said.numbers.has(value) && written.toLowerCase() !== 'one',
    )
  }
  const signs = SIGNS[question.kind]
  if (!signs) return true
  const candidates = Array.from(text.matchAll(signs), (match) => match[0])
  return candidates.some((candidate) => tokens(candidate).some(({ word }) => !question.said.words.has(word)))
}

// The first pattern that fits decides.
const KINDS: readonly (readonly [AnswerKind, RegExp])[] = [
  ['share', /\b(percent|percentage|what share|what fraction|what proportion|proportion of|fraction of)\b/i],
  ['time', /\bhow (?:long|old)\b/i],
  [
    'money',
    /\b(?:how much|what)\b[^?]{0,100}\b(?:costs?|earn|pay|charge)\b(?! of)|\bwhat (?:salary|wages?|fees?|fine|price)\b/i,
  ],
  [
    'number',
    /\bhow (?:many|often|much|far|fast|large|big|high|tall|deep|heavy|loud|wide|small|low|hot|cold|strong|accurate)\b|\bnumber of\b|^\W*(?:wie ?viele?|combien|quant[aei])(?!\p{L})|(?<!\p{L})cuánt[oa]s?(?!\p{L})|^\W*wie (?:hoch|gro(?:ß|ss)|lange?|genau|weit|schnell|tief|schwer|alt)(?!\p{L})/iu,
  ],
  // Not "the WHO", nor "Doctor Who".
  [
    'person',
    /\b(?:who|whom|whose)\b|^\W*Who(?:m|se)?\b|\b[Aa]uthors? of\b|^\W*(?:[Ww]e[rmn]|[Qq]ui|[Qq]uién(?:es)?)(?!\p{L})/u,
  ],
  [
    'time',
    /^\W*(?:when|(?:bis |seit |ab )?wann|(?:depuis |jusqu['’]à )?quand|cuándo)(?!\p{L})|\b(?:what|which) (?:year|date|day|month|century|decade|time)\b|\bsince when\b/iu,
  ],
  [
    'place',
    /^\W*(?:where|wo|woher|wohin|où|a?dónde)(?!\p{L})|\b(?:what|which) (?:country|city|place|state|region|location|town|river|continent)\b/iu,
  ],
  ['reason', /^\W*why\b|\bwhat (?:is the |was the )?(?:reason|cause)s?\b|\bwhat causes?\b/i],
  [
    'number',
    /\b(?:what|which)\b[^?]{0,60}\b(?:score|f1|accuracy|precision|recall|rate|ratio|threshold|length|size|latency|latencies|value|price|cost|correlation|deviation|average|mean|median|number|amount|temperature|weight|height|speed|distance|population|area|dose|dosage|duration|age|limit|maximum|minimum|total|probability|version)\b/i,
  ],
  [
    'definition',
    /^\W*(?:what|who) (?:is|are|was|were) (?:an? |the )?[\p{L}\p{N}-]+(?: [\p{L}\p{N}-]+){0,2}[\s?.!"”]*$|\b(?:define|definition|meaning|stands? for|mean)\b/iu,
  ],
]

const NUMBER_WORD =
  'zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|half|dozen|twice|once|several'
const NAME = /(?<![.!?]\s)(?<!^)\b\p{Lu}[\p{L}\p{N}'’-]+/gu
/** How the names of months begin, in English, German, French and Spanish. */
const MONTH = '(?:jan|ene|feb|fév|mar|mär|apr|avr|abr|may|mai|jun|jui|jul|aug|aoû|ago|sep|okt|oct|nov|dez|dec|déc|dic)'
const TIME = new RegExp(
  `\\d{1,2}[./]\\d{1,2}[./]\\d{2,4}|\\d{1,2}(?:\\.|er|st|nd|rd|th)? (?:de )?${MONTH}\\p{L}{0,8}(?!\\p{L})|\\b1\\d{3}s?\\b|\\b20\\d\\ds?\\b|\\b(january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|winter|century|decade)\\b|(?:(?<![\\p{L}\\p{N}_.,])\\d[\\d.,]*|\\b(?:${NUMBER_WORD})) (second|minute|hour|day|week|month|year|centur|decade|sekunde|stunde|tag|woche|monat|jahr|jour|heure|semaine|mois|an|día|hora|mes|año)`,
  'giu',
)
const SHARE =
  /\d\s?%|\bper\s?cent\b|\b(half|third|thirds|quarter|quarters|fifth|majority)\b|(?<![\p{L}\p{N}.])0?\.\d|\bof (the|all)\b/iu
const MONEY = /[$€£¥₹]|\b(?:usd|eur|gbp|dollars?|euros?|cents?|pounds|rupees?|yen|francs?|free of charge)\b/giu
const REASON =
  /\b(because|since|due to|owing to|therefore|thus|so that|in order to|reason|caused? by|as a result|leads? to|to (avoid|ensure|allow|prevent|reduce|improve|enable))\b/giu
const DEFINING =
  /\b(is|are|was|were) (an?|the|one)\b|\b(refers? to|means?|defined as|stands for|called|known as)\b|\(/giu

const SIGNS: Readonly<Partial<Record<AnswerKind, RegExp>>> = {
  person: NAME,
  time: TIME,
  money: MONEY,
  place: NAME,
  reason: REASON,
  definition: DEFINING,
}
