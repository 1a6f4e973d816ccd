import { isEnglish } from '../../library/language/english.ts'
import type { HistoryMessage } from '../../models/port/model.ts'
import { findPronoun, type Pronoun } from '../language/pronouns.ts'
import { antecedent, askedPhrase, type Wanted } from './antecedent.ts'
import { completeBare } from './bare-question.ts'
import { type Conversation, readConversation, withoutMark } from './conversation.ts'
import { completeFragment, fragmentOf } from './fragment.ts'
import { phrasesIn } from './phrases.ts'
import { pickFromList } from './pick-from-list.ts'
import { isUnspecific } from './vagueness.ts'
import { isMeasure } from './word-classes.ts'

/** A question as it stands alone, and whether the conversation was needed to say it. */
export interface StandaloneQuestion {
  readonly question: string
  readonly resolved: boolean
}

/**
 * Says a follow-up so that it stands alone: "And in 2024?", "What about GPT-4?", "Who wrote it?" take what they leave
 * out from the conversation. A question that leaves nothing out, or that the conversation does not complete, stays.
 */
export function resolveFollowUp(question: string, history: readonly HistoryMessage[]): StandaloneQuestion {
  const conversation = readConversation(history, complete)
  const completed = complete(question, conversation)
  return { question: completed, resolved: completed !== question }
}

type Rule = (question: string, conversation: Conversation, previous: string) => string | null

/** The first rule that has something to say decides. */
const RULES: readonly Rule[] = [bare, pickFromList, fragment, pronoun]

/** No follow-up is longer; a long question says what it is about. */
const MOST_CHARACTERS = 300

function complete(question: string, conversation: Conversation): string {
  const last = conversation.turns.at(-1)
  if (!last || question.length > MOST_CHARACTERS) return question
  const previous = withoutMark(last.base)
  if (!isEnglish(question)) return GOES_ON.test(question) ? beside(question, previous) : question
  for (const rule of RULES) {
    const completed = rule(question, conversation, previous)
    if (completed !== null) return completed
  }
  return question
}

/** "Und …?", "¿Y …?": what follows completes the question before. */
const GOES_ON = /^[¿\s]*(?:und|et|y|e|och|en)\s+\S+(?:\s+\S+){0,5}$/i

/** With the words of the question before, for the search to find what both are about. */
function beside(question: string, previous: string): string {
  return `${withoutMark(question)} (${withoutMark(previous)})?`
}

function bare(question: string, conversation: Conversation, previous: string): string | null {
  return completeBare(question, previous, antecedent(conversation, 'thing'))
}

function fragment(question: string, conversation: Conversation, previous: string): string | null {
  const rest = fragmentOf(question)
  if (rest === null) return null
  const possessive = /^(?:its|their|his|her)\s+(\S.*)$/i.exec(rest)
  if (!possessive) return completeFragment(rest, previous)
  const [, noun = ''] = possessive
  const owner = antecedent(conversation, OF_DOCUMENTS.test(noun) ? 'document' : 'thing')
  if (owner === null) return null
  const asked = PEOPLE.test(noun) ? 'Who' : 'What'
  return `${asked} ${/[^s]s$/i.test(noun) ? 'are' : 'is'} the ${noun} of ${owner}?`
}

const OF_DOCUMENTS = /\b(?:authors?|title|publisher|abstract|references|journal|pages?)\b/i
const PEOPLE =
  /\b(?:authors?|founders?|inventors?|directors?|editors?|curators?|owners?|members?|leaders?|chair|chairman|president|ceo|head|architects?|designers?|manager|boss|wife|husband|parents|children)$/i

function pronoun(question: string, conversation: Conversation, previous: string): string | null {
  const found = findPronoun(question)
  // "Which one" asks about a list, and there is none.
  if (!found || /^one$/i.test(found.text)) return null
  const isAsked = /^(?:this|that|it)$/i.test(found.text) && COMPARES.test(question)
  const stands =
    (isAsked ? askedPhrase(previous) : null) ?? antecedent(conversation, wantedBy(question, found, previous))
  if (stands === null) return null
  const replaced = replacePronoun(question, found, stands)
  return HUMAN_PRONOUN.test(found.text) ? withThing(replaced, conversation) : replaced
}

const HUMAN_PRONOUN = /^(?:he|him|his|she|her|hers)$/i

/** "When did he found it?" has two pronouns for two things. */
function withThing(question: string, conversation: Conversation): string {
  const it = /\b(?:it|its)\b/i.exec(question)
  const thing = it && antecedent(conversation, 'thing')
  return thing
    ? replacePronoun(question, { text: it[0], start: it.index, end: it.index + it[0].length }, thing)
    : question
}

const COMPARES =
  /\b(?:more|less|higher|lower|greater|fewer|larger|smaller|better|worse|bigger|increase|decrease|change)\b/i
const ABOUT_DOCUMENTS =
  /\b(?:wrote|written|authors?|authored|published|publish|publication|titled?|cited?|how\s+many\s+pages|which\s+journal)\b/i

/** What is done to a policy, a contract or a study, and to no figure in it. */
const MADE_VALID =
  /\b(?:approved?|signed?|revised?|updated?|issued?|adopted?|amended?|drafted?|edited|ratified|reviewed?|funded?|replaced?|superseded?|in\s+force|take\s+effect|effective|valid|expires?)\b/i

function asksForMeasure(previous: string): boolean {
  return /^\W*how\s|\bper\s/i.test(previous) || phrasesIn(previous).some(({ text }) => text.split(' ').some(isMeasure))
}

/** "What accuracy did they report?": they are the authors, unless someone else was just said to find something. */
const REPORTS =
  /^\s+(?:report|find|conclude|propose|suggest|argue|claim|recommend|evaluate|measure|compare|study|publish)\b/i
const REPORTED =
  /\b(?:report|find|found|conclude|propose|suggest|argue|claim|recommend|evaluate|measure|study)(?:e?d)?\b/i

function wantedBy(question: string, { text, end }: Pronoun, previous: string): Wanted {
  if (HUMAN_PRONOUN.test(text)) return 'person'
  if (ABOUT_DOCUMENTS.test(question)) return 'document'
  if (MADE_VALID.test(question) && asksForMeasure(previous)) return 'document'
  if (/^they$/i.test(text) && REPORTS.test(question.slice(end)) && !REPORTED.test(previous)) return 'document'
  return /^(?:they|them|their|theirs|these|those)$/i.test(text) ? 'several' : 'thing'
}

function replacePronoun(question: string, { text, start, end }: Pronoun, stands: string): string {
  const before = question.slice(0, start).replace(OPENING, '')
  return capitalised(`${before}${inPlaceOf(text, question.slice(end), stands)}`)
}

const OPENING = /^\W*(?:(?:and|but|so|ok|okay)\b[\s,]*)+/i

/** The pronoun and what follows it, with what it stands for: "its authors", "this model", "that one". */
function inPlaceOf(pronoun: string, after: string, stands: string): string {
  const isPossessive = /^(?:its|their|his)$/i.test(pronoun) || (/^her$/i.test(pronoun) && /^\s+\p{L}/u.test(after))
  if (isPossessive) return possessiveOf(stands) + after
  const [noun = ''] = /^(?:this|that|these|those)$/i.test(pronoun) ? (/^\s+\p{L}+/u.exec(after) ?? []) : []
  if (/^\s+(?:ones?|things?)$/i.test(noun)) return stands + after.slice(noun.length)
  const isNamed = noun !== '' && isUnspecific(noun.trim().toLowerCase())
  return isNamed ? `${pronoun}${noun} (${stands})${after.slice(noun.length)}` : stands + after
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function possessiveOf(name: string): string {
  return name.endsWith('s') ? `${name}’` : `${name}’s`
}
