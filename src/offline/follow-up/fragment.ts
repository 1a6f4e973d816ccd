import { withoutMark } from './conversation.ts'
import { isPlural, type Phrase, PREPOSITION, phrasesIn } from './phrases.ts'
import { isMeasure, mayReplace } from './word-classes.ts'

const OPENING =
  /^\W*(?:(?:and|but|or|so|also|then|ok|okay|well)\b[\s,]*)*(?:what\s+about|how\s+about|what\s+of|(?:and\s+)?(?:the\s+)?same\s+(?:question\s+)?(?:for|with)|likewise\s+for|(?:no|nope|sorry|actually)\b[\s,]+(?:(?:i\s+(?:mean|meant)|not\s+that\s+one)\b[\s,]*)?|i\s+(?:mean|meant)\b|and|but|or|also)\b[\s,]*/i
/** "In the same table, what about BERT?": the last question says which table. */
const SAME_PLACE = /^\W*(?:and\s+)?(?:in|from|on|for)\s+(?:the|that)\s+same\s+[\p{L}-]+\s*,\s*/iu
const CLAUSE = /^(?:if|when|while|unless|once|whether|because)\s/i
const VERB =
  /\b(is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|happens?|means?|wrote|tell|show|give|explain|compare)\b/i
const QUESTION_WORD =
  /^(?:(?:in|on|at|by|for|of|from|with|to|since|until|under)\s+)?(?:what|which|whom?|whose|when|where|why|how)\b/i
const MOST_WORDS = 7
const MOST_CLAUSE_WORDS = 12

/** What is left of "And in 2024?" or "What about X?" when the opening is taken away; null for a whole question. */
export function fragmentOf(question: string): string | null {
  const inPlace = question.replace(SAME_PLACE, '')
  const opening = OPENING.exec(inPlace)?.[0]
  if (opening === undefined) return null
  const rest = withoutMark(inPlace.slice(opening.length)).replace(/\bthe year (?=\d{4}\b)/i, '')
  if (rest === '') return null
  const words = rest.split(/\s+/).length
  if (CLAUSE.test(rest)) return words <= MOST_CLAUSE_WORDS ? rest : null
  return words > MOST_WORDS || VERB.test(rest) || QUESTION_WORD.test(rest) ? null : rest
}

/** A common noun takes no other's place that differs from it in article or number, and has nothing else in common. */
const LEAST_OF_NOUNS = 2

/**
 * The last question with the fragment in the place of what it answers to; null if nothing there is like it.
 */
export function completeFragment(fragment: string, previous: string): string | null {
  if (CLAUSE.test(fragment)) return withClause(fragment, previous)
  if (RELATIVE.test(fragment)) return null
  if (ADVERB.test(fragment)) return `${previous} ${fragment}?`
  const word = replaceWord(fragment, previous)
  if (word !== null) return word
  const preposition = PREPOSITION.exec(fragment)?.[0]?.toLowerCase()
  const object = preposition ? fragment.slice(preposition.length).trim() : fragment
  const target = mostAlike(object, phrasesIn(previous), preposition)
  if (!target) return preposition ? `${previous} ${fragment}?` : null
  return `${replaced(previous, target.phrase, fragment, preposition)}?`
}

/** "The year after": which one it is, is not said. */
const RELATIVE = /\b(?:years?|months?|weeks?|days?|quarters?)\s+(?:before|after|later|earlier|ago|prior)\b/i
const ADVERB = /^(?:abroad|overseas|online|offline|outdoors|indoors|worldwide|locally|overall)$/i

/** The clause that sets the condition is put in the place of the one before. */
function withClause(clause: string, previous: string): string {
  const before = previous.search(/[\s,](?:if|when|while|unless|once)\s/i)
  return `${before < 0 ? previous : previous.slice(0, before).replace(/[\s,]{1,20}$/, '')} ${clause}?`
}

/** "And in April?", "same for precision": one word takes the place of another of its kind. */
function replaceWord(fragment: string, previous: string): string | null {
  const words = fragment.replace(/^(?:(?:in|on|at|for|the|by|of|with|its|their)\s+)+/i, '')
  if (/\s/.test(words)) return null
  for (const match of previous.matchAll(/[\p{L}\p{N}-]+/gu)) {
    if (!mayReplace(match[0], words)) continue
    return `${previous.slice(0, match.index)}${words}${previous.slice(match.index + match[0].length)}?`
  }
  return null
}

function replaced(previous: string, target: Phrase, fragment: string, preposition: string | undefined): string {
  const object = preposition ? fragment.slice(preposition.length).trim() : fragment
  const bare = object.replace(/^(?:the|an?)\s+/i, '')
  const hasArticle = bare !== object || target.from === target.start
  const text = bare !== object && target.kind === 'name' && target.from < target.start ? bare : object
  const start = hasArticle && text === object ? target.from : target.start
  const lead = previous.slice(0, start)
  const differs = preposition && target.preposition !== '' && target.preposition !== preposition
  if (!differs) return lead + text + previous.slice(target.end)
  const phrase = lead.trimEnd().slice(0, -target.preposition.length)
  return `${phrase}${preposition} ${text}${previous.slice(target.end)}`
}

interface Alike {
  readonly phrase: Phrase
  readonly likeness: number
}

/** The phrase of the last question that the fragment most looks like; the last one, if several do. */
function mostAlike(object: string, phrases: readonly Phrase[], preposition: string | undefined): Alike | undefined {
  const own = ownPhrase(object)
  const scored = phrases
    .map((phrase) => ({ phrase, likeness: likeness(own, phrase, preposition) }))
    .filter(({ phrase }) => !keepsFigure(own, phrase) && (phrase.preposition !== 'per' || preposition === 'per'))
    .filter((each) => each.likeness >= (own.kind === 'noun' ? LEAST_OF_NOUNS : 1))
  return scored.reduce<Alike | undefined>(
    (best, each) => (best && best.likeness > each.likeness ? best : each),
    undefined,
  )
}

/** The fragment as a phrase; as a whole it names something, whatever its parts. */
function ownPhrase(object: string): Phrase {
  const phrases = phrasesIn(`for ${object}`)
  const main = phrases.at(-1)
  const text = object.replace(/^(?:the|an?)\s+/i, '')
  const kind = phrases.length === 1 && main ? main.kind : (phrases.find((each) => each.kind === 'name')?.kind ?? 'noun')
  const definite = kind !== 'noun' || /^(?:the|this|that|its|their)\s/i.test(object)
  return { text, start: 0, end: text.length, from: 0, kind, definite, preposition: '', isSubject: false }
}

/** How well `own` could stand in the place of `other`; 0 if it could not. */
function likeness(own: Phrase, other: Phrase, preposition: string | undefined): number {
  const samePreposition = preposition !== undefined && other.preposition === preposition ? 3 : 0
  if (own.kind === other.kind && !isNominal(own)) return 6 + samePreposition
  const related = isRelated(own, other) ? 5 : 0
  if (!isNominal(own) || !isNominal(other)) return related
  const names = nameLikeness(own, other)
  // What has another preposition before it replaces a name that has one too, and nothing else.
  if (preposition && samePreposition + related === 0) return other.preposition === '' ? 0 : names
  return Math.max(0, agreement(own, other) + related + names + samePreposition)
}

function isRelated(own: Phrase, other: Phrase): boolean {
  return sharedWords(own.text, other.text) > 0 || areOfAKind(headOf(own.text), headOf(other.text))
}

function areOfAKind(word: string, other: string): boolean {
  return mayReplace(word, other) || (word !== other && isMeasure(word) && isMeasure(other))
}

/** "And hotels?" asks about the same figure, not for hotels in its place. */
function keepsFigure(own: Phrase, other: Phrase): boolean {
  return own.kind === 'noun' && !own.definite && isMeasure(headOf(other.text)) && !isRelated(own, other)
}

function isNominal({ kind }: Phrase): boolean {
  return kind === 'name' || kind === 'noun' || kind === 'title'
}

function agreement(own: Phrase, other: Phrase): number {
  // A name seldom takes the place of a common noun.
  const mixed = own.kind !== other.kind && !(own.kind === 'noun' && own.definite) ? -1 : 1
  return mixed + Number(own.definite === other.definite) + Number(isPlural(own.text) === isPlural(other.text))
}

function headOf(text: string): string {
  return text.split(/\s+/).at(-1) ?? text
}

/** How much two names look as if they named things of one kind. */
function nameLikeness(own: Phrase, other: Phrase): number {
  if (own.kind !== 'name' || other.kind !== 'name') return 0
  const shape = shapeOf(own.text) === shapeOf(other.text) ? 2 : 0
  const affix = sharedAffix(own.text, other.text) >= LEAST_AFFIX ? 3 : 0
  return 2 + shape + affix + Number(other.isSubject)
}

/** "BioBERT" and "SciBERT" are of a kind. */
const LEAST_AFFIX = 3

function sharedAffix(a: string, b: string): number {
  const [own, other] = [a.toLowerCase(), b.toLowerCase()]
  const most = Math.min(own.length, other.length)
  let front = 0
  while (front < most && own[front] === other[front]) front += 1
  let back = 0
  while (back < most && own.at(-1 - back) === other.at(-1 - back)) back += 1
  return Math.max(front, back)
}

function sharedWords(a: string, b: string): number {
  const own = new Set(a.toLowerCase().split(/\s+/))
  return b
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => own.has(word)).length
}

/** Names of one shape are often of one kind: GPT-3 and BERT, SciBERT and BioBERT, Oslo and Bergen. */
function shapeOf(name: string): string {
  const letters = name.replace(/[^\p{L}]/gu, '')
  if (/^\p{Lu}+s?$/u.test(letters)) return 'acronym'
  return /\p{Ll}\p{Lu}/u.test(name) ? 'inner capitals' : 'word'
}
