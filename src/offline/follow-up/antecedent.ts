import { namesIn } from '../language/names.ts'
import type { Conversation, Turn } from './conversation.ts'
import { quoted, withoutMark } from './conversation.ts'
import { itemsIn } from './lists.ts'
import { personIn } from './person.ts'
import { isPlural, type Phrase, phrasesIn, subjectOf } from './phrases.ts'
import { isMeasure, isRole } from './word-classes.ts'

/** What a pronoun asks for. */
export type Wanted = 'thing' | 'several' | 'person' | 'document'

/** What a pronoun of this kind stands for after the conversation; null if nothing fits. */
export function antecedent({ turns }: Conversation, wanted: Wanted): string | null {
  for (const turn of turns.toReversed()) {
    const found = antecedentIn(turn, wanted)
    if (found !== null) return found
  }
  return null
}

function antecedentIn(turn: Turn, wanted: Wanted): string | null {
  switch (wanted) {
    case 'person':
      return personIn(turn)
    case 'document':
      return documentOf(turn) ?? topicOf(turn, 'thing')
    default:
      return topicOf(turn, wanted)
  }
}

const A_WORK = /\b(?:book|novel|play|poem|song|letter|opera|film|law|treaty|constitution)\b/i

/** The document that the answer rests on, by the name that the question gives it, else by its title. */
function documentOf({ base, cited: [title] }: Turn): string | null {
  if (title === undefined) return null
  if (PARENTHESIS.test(withoutMark(base))) return quoted(title)
  const own = subjectOf(base)
  if (own && (title.toLowerCase().includes(own.text.toLowerCase()) || A_WORK.test(base))) return own.text
  return quoted(title)
}

const PARENTHESIS = /\(([^()]{2,200})\)$/
const ASKS_WHICH = /^\W*(?:which|what)\s+(?!(?:is|are|was|were|do|does|did)\b)/i

function topicOf(turn: Turn, wanted: 'thing' | 'several'): string | null {
  const question = withoutMark(turn.base)
  const added = PARENTHESIS.exec(question)?.[1]
  if (added) return quoted(added)
  const phrases = phrasesIn(question)
  const title = phrases.find(({ kind }) => kind === 'title')
  if (title) return title.text
  const subject = subjectOf(question)
  const asked = phrases
    .filter(({ kind }) => kind === 'noun')
    .find(({ text }) => isPlural(text) === (wanted === 'several'))
  if (wanted === 'several') return severalIn(question, asked, subject)
  if (subject) return ownName(question, subject, phrases)
  const named = ASKS_WHICH.test(question) ? onlyNameIn(turn.answer) : null
  return named ?? mainPhrase(question, phrases, wanted)
}

/** "they" after a question about employees of Tarn: "the employees of Tarn". */
function severalIn(question: string, asked: Phrase | undefined, subject: Phrase | undefined): string | null {
  const isAsked =
    asked &&
    /\b(?:how\s+many|which|what(?:\s+are)?(?:\s+the)?|do|does|did|are|were)\s+$/i.test(
      question.slice(0, asked.from) + (asked.from < asked.start ? 'the ' : ''),
    )
  if (asked && (isAsked || !subject)) {
    const whole = withComplement(question, asked)
    const ofName = subject && !whole.includes(subject.text) ? ` of ${subject.text}` : ''
    return generic(question, asked) && ofName === '' ? whole : `the ${whole}${ofName}`
  }
  if (subject) return subject.text
  const phrases = phrasesIn(question)
  return mainPhrase(question, phrases, 'several')
}

/** "Do penguins sleep": penguins in general. */
function generic(question: string, phrase: Phrase): boolean {
  return phrase.from === phrase.start && /\b(?:do|are|can|will|should)\s+$/i.test(question.slice(0, phrase.from))
}

/** The name with what belongs to it: "the Kestrel scheduler", "the harbour of Vik". */
function ownName(question: string, name: Phrase, phrases: readonly Phrase[]): string {
  const noun = phrases.find(
    ({ kind, start }) => kind === 'noun' && start === name.end + 1 && question[name.end] === ' ',
  )
  const article = name.from < name.start ? 'the ' : ''
  const inFull = noun && article ? `${article}${name.text} ${noun.text.split(' ')[0]}` : name.text
  const owner = phrases.find(
    ({ kind, definite, end, from, start }) =>
      kind === 'noun' &&
      definite &&
      from < start &&
      /^\s+(?:of|at)\s+(?:the\s+)?$/i.test(question.slice(end, name.start)),
  )
  if (!owner || isMeasure(headOf(owner.text)) || isRole(headOf(owner.text))) return inFull
  return `the ${question.slice(owner.start, noun && article ? noun.start + (noun.text.split(' ')[0]?.length ?? 0) : name.end)}`
}

function headOf(phrase: string): string {
  return phrase.split(/\s+/).at(-1) ?? phrase
}

/** What "Which dataset was used?" was answered with, if that is one name. */
function onlyNameIn(answer: string): string | null {
  const [sentence = ''] = answer.split(/(?<=[.!?])\s/)
  if (itemsIn(sentence).length > 1) return null
  const names = [...new Set(namesIn(sentence.replace(/\[\d+\]/g, '')).map(({ text }) => text))]
  return names.length === 1 ? (names[0] ?? null) : null
}

/** The subject of a question without names. */
function mainPhrase(question: string, phrases: readonly Phrase[], wanted: 'thing' | 'several'): string | null {
  const nouns = phrases.filter(({ kind }) => kind === 'noun')
  const isSubject = (phrase: Phrase) => phrase.isSubject || phrase.preposition === 'about'
  const agrees = ({ text }: Phrase) => isPlural(text) === (wanted === 'several')
  const chosen =
    nouns.find((each) => isSubject(each) && agrees(each)) ?? nouns.find(agrees) ?? nouns.find(isSubject) ?? nouns[0]
  if (!chosen) return null
  const whole = withComplement(question, chosen)
  const indefinite = /\ban?\s+$/i.test(question.slice(0, chosen.start))
  return chosen.from < chosen.start || indefinite ? `the ${whole}` : whole
}

/** "the side effects of tavoximab", "the penalty for late payment". */
function withComplement(question: string, phrase: Phrase): string {
  const after = question.slice(phrase.end)
  const complement = phrasesIn(question).find(
    ({ from }) => from > phrase.end && /^\s+(?:of|for|in|at|on|between)\s+$/i.test(question.slice(phrase.end, from)),
  )
  return complement && after !== '' ? question.slice(phrase.start, complement.end) : phrase.text
}

/** What the last question asked for, as a phrase: "the revenue of Acme in 2023". */
export function askedPhrase(base: string): string | null {
  const question = withoutMark(base)
  const be = /^\W*what\s+(?:is|are|was|were)\s+(the\s+\S.*)$/i.exec(question)?.[1]
  if (be) return be
  const count = /^\W*how\s+many\s+(\S.*)$/i.exec(question)?.[1]
  return count ? `the number of ${count}` : null
}
