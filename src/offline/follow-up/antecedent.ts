import { namesIn } from '../language/names.ts'
import { type Conversation, quoted, type Turn } from './conversation.ts'
import { itemsIn } from './lists.ts'
import { type Phrase, phrasesIn, subjectOf } from './phrases.ts'

/** What a pronoun asks for. */
export type Wanted = 'thing' | 'several' | 'person' | 'document'

/** What a pronoun of this kind stands for after the last question and its answer; null if nothing fits. */
export function antecedent({ turns }: Conversation, wanted: Wanted): string | null {
  const turn = turns.at(-1)
  if (!turn) return null
  if (wanted === 'person') return personIn(turn)
  return (wanted === 'document' ? documentOf(turn) : null) ?? topicOf(turn, wanted)
}

/** "Who wrote Hamlet?": Hamlet is what is written of, whatever document says who did. */
export const ABOUT_DOCUMENTS =
  /\b(?:wrote|written|authors?|authored|published?|publication|titled?|cited?|approved?|revised|issued|how\s+many\s+pages)\b/i

/** The document that the answer rests on, by the name that the question gives it, else by its title. */
function documentOf({ question, cited: [title] }: Turn): string | null {
  if (title === undefined) return null
  const own = PARENTHESIS.test(question) || question.includes(title) ? undefined : subjectOf(question)
  const isNamed = own && (title.startsWith(own.text) || ABOUT_DOCUMENTS.test(question))
  return isNamed ? own.text : quoted(title)
}

const PARENTHESIS = /\(([^()]{2,200})\)$/
const ASKS_WHO = /^\W*(?:by\s+)?(?:who|whom|whose)\b/i
const ASKS_WHICH = /^\W*(?:which|what)\s+(?!(?:is|are|was|were|do|does|did)\b)/i

/** Whom the question names, or its answer if that names one. */
function personIn({ question, answer }: Turn): string | null {
  const subject = subjectOf(question)
  return subject && (!ASKS_WHO.test(question) || subject.isSubject) ? subject.text : onlyNameIn(answer)
}

function topicOf({ question, answer }: Turn, wanted: Wanted): string | null {
  const added = PARENTHESIS.exec(question)?.[1]
  if (added) return quoted(added)
  const phrases = phrasesIn(question)
  const title = phrases.find(({ kind }) => kind === 'title')
  if (title) return title.text
  const subject = subjectOf(question)
  if (subject) return ownName(subject, phrases)
  const nouns = phrases.filter(({ kind }) => kind === 'noun')
  const chosen = nouns.find(({ text }) => /s$/.test(text) === (wanted === 'several')) ?? nouns[0]
  const named = wanted !== 'several' && ASKS_WHICH.test(question) ? onlyNameIn(answer) : null
  return named ?? (chosen ? withArticle(question, chosen) : null)
}

/** The name with the noun behind it: "the Kestrel scheduler". */
function ownName({ text, start, from, end }: Phrase, phrases: readonly Phrase[]): string {
  if (from === start) return text
  const noun = phrases.find((each) => each.kind === 'noun' && each.start === end + 1)?.text.split(' ')[0]
  return noun ? `the ${text} ${noun}` : `the ${text}`
}

/** What "Which dataset was used?" was answered with, if that is one name. */
function onlyNameIn(answer: string): string | null {
  const [sentence = ''] = answer.replaceAll('*', '').split(/(?<=[.!?])\s/)
  const names = [...new Set(namesIn(sentence.replace(/\[\d+\]/g, '')).map(({ text }) => text))]
  return names.length === 1 && itemsIn(sentence).length < 2 ? (names[0] ?? null) : null
}

/** "the side effects of tavoximab", "the penalty for late payment", "penguins". */
function withArticle(question: string, phrase: Phrase): string {
  const complement = phrasesIn(question).find(
    ({ from }) => from > phrase.end && /^\s+(?:of|for|in|at|on|between)\s+$/i.test(question.slice(phrase.end, from)),
  )
  const whole = question.slice(phrase.start, complement?.end ?? phrase.end)
  return phrase.from < phrase.start ? `the ${whole}` : whole
}
