import { withoutMark } from './conversation.ts'
import { type Phrase, PREPOSITION, phrasesIn } from './phrases.ts'

const OPENING =
  /^\W*(?:(?:and|but|or|so|also|then|ok|okay)\b[\s,]*){0,3}(?:(?:what|how)\s+about|(?:the\s+)?same\s+(?:for|with)|(?:no|sorry)\b[\s,]+(?:i\s+(?:mean|meant)\b)?|i\s+(?:mean|meant)\b|and|but|or|also)\b[\s,]*/i
/** "In the same table, what about BERT?": the last question says which table. */
const SAME_PLACE = /^\W*(?:in|from|on|for)\s+(?:the|that)\s+same\s+[\p{L}-]+\s*,\s*/iu
const CLAUSE = /^(?:if|when|while|unless|once|whether|because)\s/i
const VERB =
  /\b(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|happens?|means?|wrote|tell|show|give|explain|compare)\b/i
const QUESTION_WORD = /^(?:\p{L}{2,5}\s+)?(?:what|which|whom?|whose|when|where|why|how)\b/iu
/** "The year after": which one it is, is not said. */
const RELATIVE = /\b(?:years?|months?|weeks?|days?|quarters?)\s+(?:before|after|later|earlier|ago|prior)\b/i
const MOST_WORDS = 7
const MOST_CLAUSE_WORDS = 12

/** What is left of "And in 2024?" or "What about X?" when the opening is taken away; null for a whole question. */
export function fragmentOf(question: string): string | null {
  const inPlace = question.replace(SAME_PLACE, '')
  const opening = OPENING.exec(inPlace)?.[0]
  if (opening === undefined) return null
  const rest = withoutMark(inPlace.slice(opening.length))
  const words = rest.split(/\s+/).length
  if (rest === '' || /^(?:its|their|his|her)\s/i.test(rest)) return null
  if (CLAUSE.test(rest)) return words <= MOST_CLAUSE_WORDS ? rest : null
  return words > MOST_WORDS || VERB.test(rest) || QUESTION_WORD.test(rest) ? null : rest
}

/** Words of which one takes the place of another: "and in April?" after a question about March. */
const CLASSES: readonly ReadonlySet<string>[] = [
  'january february march april may june july august september october november december',
  'monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays',
  'spring summer autumn winter',
  'mean median average minimum maximum lowest highest',
  'precision recall accuracy f1 auc',
  'revenue revenues profit income margin sales expenses costs earnings loss losses debt assets liabilities',
].map((words) => new Set(words.split(' ')))

function mayReplace(word: string, other: string): boolean {
  const [a, b] = [word.toLowerCase(), other.toLowerCase()]
  return a !== b && CLASSES.some((words) => words.has(a) && words.has(b))
}

/** The last question with the fragment in the place of what it answers to; null if nothing there is like it. */
export function completeFragment(fragment: string, previous: string): string | null {
  if (RELATIVE.test(fragment)) return null
  if (CLAUSE.test(fragment)) return `${previous.split(/[\s,]+(?:if|when|while|unless|once)\s/i)[0]} ${fragment}?`
  const preposition = PREPOSITION.exec(fragment)?.[0]?.toLowerCase()
  const object = preposition ? fragment.slice(preposition.length).trim() : fragment
  const word = object.replace(/^(?:the|its|their)\s+/i, '')
  for (const { 0: other, index } of previous.matchAll(/[\p{L}\p{N}-]+/gu)) {
    if (mayReplace(other, word)) return `${previous.slice(0, index)}${word}${previous.slice(index + other.length)}?`
  }
  const target = mostAlike(object, phrasesIn(previous), preposition)
  if (!target) return preposition ? `${previous} ${fragment}?` : null
  const text = target.from < target.start ? object.replace(/^(?:the|an?)\s+/i, '') : object
  return `${previous.slice(0, target.start)}${text}${previous.slice(target.end)}?`
}

/** The phrase of the last question that the fragment most looks like; the last one, if several do. */
function mostAlike(object: string, phrases: readonly Phrase[], preposition: string | undefined): Phrase | undefined {
  const found = phrasesIn(`for ${object}`)
  const isName = found.some(({ kind }) => kind === 'name')
  const kind = found.length === 1 && found[0] ? found[0].kind : isName ? 'name' : 'noun'
  const rated = phrases.map((phrase) => ({ phrase, likeness: likeness(object, kind, phrase, preposition) }))
  const most = Math.max(1, ...rated.map((each) => each.likeness))
  return rated.findLast((each) => each.likeness === most)?.phrase
}

/** How well the fragment could stand in the place of a phrase; 0 if it could not. */
function likeness(object: string, kind: Phrase['kind'], other: Phrase, preposition: string | undefined): number {
  const samePreposition = preposition !== undefined && other.preposition === preposition ? 3 : 0
  if (!isNominal(kind) || !isNominal(other.kind)) return kind === other.kind ? 6 + samePreposition : 0
  const words = object.toLowerCase().split(/\s+/)
  const isRelated = other.text
    .toLowerCase()
    .split(/\s+/)
    .some((word) => words.includes(word))
  const sameArticle = /^the\s/i.test(object) === other.from < other.start
  const sameNumber = /s$/.test(object) === /s$/.test(other.text)
  const isName = kind === 'name' && other.kind === 'name'
  const own = 3 * Number(isRelated) + 2 * Number(isName) + Number(isName && other.isSubject) + samePreposition
  // What has another preposition before it replaces a name that has one too, and nothing else.
  if (preposition && samePreposition === 0 && !isRelated) return other.preposition === '' ? 0 : own
  return own + Number(sameArticle) + Number(sameNumber)
}

function isNominal(kind: Phrase['kind']): boolean {
  return kind === 'name' || kind === 'noun' || kind === 'title'
}
