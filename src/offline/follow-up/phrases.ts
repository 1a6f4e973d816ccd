import { namesIn } from '../language/names.ts'

/** A stretch of a question that names something: "the control group", "BioBERT", "2023", "Table 2". */
export interface Phrase {
  /** Without its article. */
  readonly text: string
  readonly start: number
  readonly end: number
  readonly kind: 'title' | 'label' | 'year' | 'number' | 'name' | 'noun'
  /** Where its article begins, if it has one. */
  readonly from: number
  /** The preposition before it, or ''. */
  readonly preposition: string
  /** It stands after an auxiliary: "does SciBERT", "is the fee". */
  readonly isSubject: boolean
}

const TOKEN = /“[^“”]+”|[\p{L}\p{N}]+(?:[-‐–'’&.,][\p{L}\p{N}]+)*/gu
const YEAR = /^(?:1[5-9]|20)\d\d$/
const NUMBER = /^(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|fifty|hundred)$/i
const PREPOSITIONS =
  'in|on|at|by|for|of|from|with|to|about|during|between|since|after|before|under|over|above|below|within|without|using|against|per|until|through|across|among|into|via|than'
const AUXILIARIES = 'do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|may|might|must'
const PREPOSITION_BEFORE = new RegExp(`\\b(${PREPOSITIONS})\\s+$`, 'i')
const AUXILIARY_BEFORE = new RegExp(`\\b(?:${AUXILIARIES})\\s+$`, 'i')
const ARTICLE_BEFORE = /\b(?:an?|the|this|that|these|those|its|their|his|her|my|our|your)\s+$/i
/** Prepositions, for the beginnings of fragments. */
export const PREPOSITION = new RegExp(`^(?:${PREPOSITIONS})\\b`, 'i')

/** Words that no noun phrase holds: they end one. */
const CLOSED = new Set(
  `${PREPOSITIONS} ${AUXILIARIES} a an the this that these those its their his her my our your i it they them he him
   she we us you me ones some any each every all both either neither no not much many more most less least few several
   other what which who whom whose when where why how be been being done and or but if whether while as so there here also
   only just else same such very actually exactly once still already tell give show find list describe explain compare
   compared name define please say says said happen happens mean means today now`.split(/[\s|]+/),
)

/** A question is not read beyond so many characters. */
const MOST_CHARACTERS = 1000

/** The phrases of a question, in order. None overlaps another. */
export function phrasesIn(question: string): readonly Phrase[] {
  const text = question.slice(0, MOST_CHARACTERS)
  const names = namesIn(text)
  const runs: Run[] = []
  for (const { 0: word, index: start } of text.matchAll(TOKEN)) {
    const end = start + word.length
    const kind = kindOf(
      word,
      names.some((name) => start < name.end && name.start < end),
    )
    const last = runs.at(-1)
    const joined = last && text.slice(last.end, start) === ' ' ? kindOfBoth(last.kind, kind) : null
    if (last && joined) runs[runs.length - 1] = { kind: joined, start: last.start, end }
    else if (kind) runs.push({ kind, start, end })
  }
  // "How high is it?": the word says what is asked, and names nothing.
  const naming = runs.filter(({ start }) => !/\bhow\s+$/i.test(text.slice(0, start)))
  return naming.map((run) => asPhrase(text, run)).filter((phrase) => phrase.text !== '')
}

/** "Marie Curie" is one name, "Table 2" a label; other neighbours stay apart. */
function kindOfBoth(one: Phrase['kind'], next: Phrase['kind'] | null): Phrase['kind'] | null {
  if (one !== 'noun' && one !== 'name') return null
  return next === 'number' ? 'label' : next === one ? one : null
}

function kindOf(word: string, isName: boolean): Phrase['kind'] | null {
  if (word.startsWith('“')) return 'title'
  if (YEAR.test(word)) return 'year'
  if (NUMBER.test(word)) return 'number'
  if (isName) return 'name'
  return CLOSED.has(word.toLowerCase()) || /(?:ly|[^d]est)$/.test(word) || !/\p{L}/u.test(word) ? null : 'noun'
}

type Run = Pick<Phrase, 'kind' | 'start' | 'end'>

function asPhrase(text: string, { kind, start, end }: Run): Phrase {
  const own = text.slice(start, end)
  const said = kind === 'noun' ? withoutVerb(own, text.slice(0, start)) : own.replace(/['’]s?$/, '')
  const from = ARTICLE_BEFORE.exec(text.slice(0, start))?.index ?? start
  return {
    text: said,
    start,
    end: start + said.length,
    kind,
    from,
    preposition: PREPOSITION_BEFORE.exec(text.slice(0, from))?.[1]?.toLowerCase() ?? '',
    isSubject: AUXILIARY_BEFORE.test(text.slice(0, from)),
  }
}

const OF_VERB =
  /\b(?:do|does|did|can|could|will|would|should|may|might|must)\s+(?:(?:an?|the|this|that|its|their)\s+)?$/i
const OF_STATE = /\b(?:is|are|was|were|been)\b/i

/** Without the verb that a phrase ends with: "does the lease say", "is the bridge closed". */
function withoutVerb(phrase: string, before: string): string {
  const words = phrase.split(' ')
  if (/\bwhom?\s+$/i.test(before)) return ''
  if (!OF_VERB.test(before)) return OF_STATE.test(before) ? phrase.replace(/\s\w+(?<!e)ed$/, '') : phrase
  return words.slice(0, Math.max(1, words.length - 1)).join(' ')
}

/** A name that does something comes before one that is merely mentioned. */
export function subjectOf(question: string): Phrase | undefined {
  const names = phrasesIn(question).filter(({ kind }) => kind === 'name')
  return names.find(({ isSubject }) => isSubject) ?? names.at(-1)
}
