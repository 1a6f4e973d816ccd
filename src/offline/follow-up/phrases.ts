import { namesIn } from '../language/names.ts'

/** A stretch of a question that names something: "the control group", "BioBERT", "2023", "Table 2". */
export interface Phrase {
  /** Without its article. */
  readonly text: string
  readonly start: number
  readonly end: number
  readonly kind: 'title' | 'label' | 'year' | 'number' | 'name' | 'noun'
  /** With "the" or the like; names always are. */
  readonly definite: boolean
  /** Where its article begins, if it has one. */
  readonly from: number
  /** The preposition before it, or ''. */
  readonly preposition: string
  /** It stands after an auxiliary: "does SciBERT", "is the fee". */
  readonly isSubject: boolean
}

const TITLE = /“([^“”]+)”/g
const LABEL =
  /\b(?:table|figure|fig\.?|section|chapter|appendix|equation|clause|article|part|step|question|level|phase|class|version|item|row|column)\s+(?:\d+(?:\.\d+)*[a-z]?|[A-Z]|[IVX]+)\b/giu
const YEAR = /\b(?:1[5-9]|20)\d\d\b/g
const NUMBER_WORDS =
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundred|thousand'
const NUMBER = new RegExp(`(?<![\\p{L}\\p{N}.-])(?:\\d+(?:[.,]\\d+)*|${NUMBER_WORDS})(?![\\p{L}\\p{N}-])`, 'giu')

/** "Unit 7", "Supply Contract 118": the number is part of the name. */
const NUMBER_OF_NAME = /^ \d+\b(?![.,%]\d)/

const PREPOSITIONS =
  'in|on|at|by|for|of|from|with|to|about|during|between|since|after|before|under|over|above|below|within|without|using|against|per|until|through|across|among|into|towards?|via|than|around'
const PREPOSITION_BEFORE = new RegExp(`\\b(${PREPOSITIONS})\\s+$`, 'i')
const AUXILIARY_BEFORE =
  /\b(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|may|might|must)\s+$/i
const ARTICLE_BEFORE = /\b(?:an?|the|this|that|these|those|its|their|his|her|my|our|your)\s+$/i
/** Prepositions, for the beginnings of fragments. */
export const PREPOSITION = new RegExp(`^(?:${PREPOSITIONS})\\b`, 'i')

/** Words that no noun phrase holds: they end one. */
const CLOSED = new Set(
  `${PREPOSITIONS.replaceAll('|', ' ')} a an the this that these those its their his her my our your i it they them he him
   she we us you me one ones some any each every all both either neither no not much many more most less least few several other
   what which who whom whose when where why how is are was were be been being do does did done can could will would
   shall should may might must has have had having and or but if whether while as so than then there here also only just
   else same such too very really actually exactly once yet still already
   tell give show find list describe explain compare compared name define please say says said happens happen mean means
   today yesterday tomorrow now`.split(/\s+/),
)

const WORD = /[\p{L}\p{N}][\p{L}\p{N}]*(?:[-‐–'’&][\p{L}\p{N}]+)*/gu

/** A question is not read beyond so many characters. */
const MOST_CHARACTERS = 1000

/** The phrases of a question, in order. None overlaps another. */
export function phrasesIn(question: string): readonly Phrase[] {
  const text = question.slice(0, MOST_CHARACTERS)
  const fixed: Phrase[] = []
  const add = (kind: Phrase['kind'], start: number, end: number) => {
    if (!fixed.some((other) => start < other.end && other.start < end)) {
      fixed.push(phrase(text, kind, start, end))
    }
  }
  for (const match of text.matchAll(TITLE)) add('title', match.index, match.index + match[0].length)
  for (const match of text.matchAll(LABEL)) add('label', match.index, match.index + match[0].length)
  for (const match of text.matchAll(YEAR)) add('year', match.index, match.index + match[0].length)
  for (const { start, end } of namesIn(text)) {
    const number = NUMBER_OF_NAME.exec(text.slice(end))?.[0].length ?? 0
    if (fixed.some((other) => start < other.end && other.start < end + number)) add('name', start, end)
    else add('name', start, end + number)
  }
  for (const match of text.matchAll(NUMBER)) add('number', match.index, match.index + match[0].length)
  for (const { start, end } of nounRuns(text, fixed)) add('noun', start, end)
  return fixed.sort((a, b) => a.start - b.start)
}

/** A name that owns or does something comes before one that is merely mentioned. */
export function subjectOf(question: string): Phrase | undefined {
  const names = phrasesIn(question).filter(({ kind }) => kind === 'name')
  const subject = names.find(({ isSubject }) => isSubject)
  const owner = names.find((name) => /^['’]s?\b/.test(question.slice(name.end)))
  return subject ?? owner ?? names.at(-1)
}

function phrase(text: string, kind: Phrase['kind'], start: number, end: number): Phrase {
  const article = ARTICLE_BEFORE.exec(text.slice(0, start))
  const from = article?.index ?? start
  return {
    text: text.slice(start, end),
    start,
    end,
    kind,
    definite: kind !== 'noun' || (article !== null && !/^an?\s/i.test(article[0])),
    from,
    preposition: PREPOSITION_BEFORE.exec(text.slice(0, from))?.[1]?.toLowerCase() ?? '',
    isSubject: AUXILIARY_BEFORE.test(text.slice(0, from)),
  }
}

interface Run {
  start: number
  end: number
  words: number
}

/** Runs of words that may be nouns, without the verb that a run may begin or end with. */
function nounRuns(text: string, fixed: readonly Phrase[]): readonly Run[] {
  const runs: Run[] = []
  for (const match of text.matchAll(WORD)) {
    const start = match.index
    const end = start + match[0].length
    // "How high is it?": the word says what is asked, and names nothing.
    const isDegree = /\bhow\s+$/i.test(text.slice(0, start))
    const isTaken = fixed.some((other) => start < other.end && other.start < end)
    if (
      isTaken ||
      isDegree ||
      /(?:ly|[^d]est)$/.test(match[0]) ||
      CLOSED.has(match[0].toLowerCase()) ||
      !/\p{L}/u.test(match[0])
    )
      continue
    const last = runs.at(-1)
    if (last && text.slice(last.end, start) === ' ') {
      last.end = end
      last.words += 1
    } else runs.push({ start, end, words: 1 })
  }
  return runs.flatMap((run) => withoutVerb(text, run, fixed))
}

const WHO_BEFORE = /\b(?:who|whom)\s+$/i
const AUXILIARY_IN = /\b(?:do|does|did|can|could|will|would|should|may|might|must)\s/i
const PARTICIPLE =
  /(?:(?<!e)ed|able|ible)$|^(?:due|open|valid|free|ready|effective|kept|built|held|made|found|sold|given|taken|written|known|shown|born|sunk|stored|lost|won|paid|left|set|put|grown|bought|brought|begun|driven|sent|spent|drawn|eaten|used|meant|chosen)$/i
const PARTICIPLE_ENDS_AFTER = /\b(?:is|are|was|were|be|been|has|have|had)\b/i

/** "the lease say" is a noun and its verb, "the bridge closed" a noun and its participle. */
function withoutVerb(text: string, run: Run, fixed: readonly Phrase[]): readonly Run[] {
  const before = text.slice(0, run.start)
  if (WHO_BEFORE.test(before)) return []
  const words = text.slice(run.start, run.end).split(' ')
  const auxiliary = AUXILIARY_IN.exec(before)
  if (!auxiliary) {
    const isPredicate = PARTICIPLE.test(words.at(-1) ?? '') && PARTICIPLE_ENDS_AFTER.test(before)
    return keep(run, words, words.length - Number(isPredicate))
  }
  const between = before.slice(auxiliary.index + auxiliary[0].length)
  if (SUBJECT_BEGINS.test(between)) return keep(run, words, subjectLength(text.slice(0, auxiliary.index), words.length))
  // "does SciBERT reach": what follows a name is its verb.
  if (fixed.some(({ kind, end }) => kind === 'name' && text.slice(end, run.start) === ' ')) return []
  if (PRONOUN_BEFORE.test(before)) return keep(run, words, words.length - 1)
  return keep(run, words, OF_BEFORE.test(before) ? Math.max(1, words.length - 1) : words.length)
}

const SUBJECT_BEGINS = /^(?:an?|the|this|that|these|those|its|their|his|her|all|most)?\s*$/i
const PRONOUN_BEFORE = /\b(?:it|they|he|she|we|you|i)\s+$/i
const OF_BEFORE = /\bof\s+$/i

/** How many words of "penguins sleep", "gradient checkpointing save memory" are the subject. */
function subjectLength(opening: string, words: number): number {
  const objectIsAsked = /\b(?:what|which|how\s+(?:many|much))\b/i.test(opening)
  if (objectIsAsked || words < 3) return Math.max(1, words - 1)
  return words - 2
}

function keep(run: Run, words: readonly string[], count: number): readonly Run[] {
  if (count < 1) return []
  return [{ ...run, end: run.start + words.slice(0, count).join(' ').length, words: count }]
}

/** True for "engineers", "the days"; false for "glass", "analysis". */
export function isPlural(phrase: string): boolean {
  const [head = ''] = phrase.split(/\s(?:of|for)\s/)
  return /(?<![suiSUI])s$|^(?:people|children|men|women|data|criteria|species)$|\b(?:people|children|men|women)$/i.test(
    head,
  )
}
