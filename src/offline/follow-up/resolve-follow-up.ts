import { isEnglish } from '../../library/language/english.ts'
import type { HistoryMessage } from '../../models/port/model.ts'
import { findPronoun, type Pronoun } from '../language/pronouns.ts'
import { ABOUT_DOCUMENTS, antecedent, type Wanted } from './antecedent.ts'
import { completeBare } from './bare-question.ts'
import { type Conversation, readConversation, withoutMark, withoutOpening } from './conversation.ts'
import { completeFragment, fragmentOf } from './fragment.ts'
import { pickFromList } from './pick-from-list.ts'

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
  const completed = complete(question, readConversation(history))
  return { question: completed, resolved: completed !== question }
}

type Rule = (question: string, conversation: Conversation, previous: string) => string | null

/** The first rule that has something to say decides. */
const RULES: readonly Rule[] = [bare, pickFromList, fragment, pronoun]

/** No follow-up is longer; a long question says what it is about. */
const MOST_CHARACTERS = 300

function complete(question: string, conversation: Conversation): string {
  const previous = conversation.turns.at(-1)?.question
  if (previous === undefined || question.length > MOST_CHARACTERS) return question
  if (!isEnglish(question)) return GOES_ON.test(question) ? `${withoutMark(question)} (${previous})?` : question
  for (const rule of RULES) {
    const completed = rule(question, conversation, previous)
    if (completed !== null) return completed
  }
  return question
}

/** "Und …?", "¿Y …?": the words of the question before let the search find what both are about. */
const GOES_ON = /^[¿\s]*(?:und|et|y|e|och|en)\s+\S+(?:\s+\S+){0,5}$/i

function bare(question: string, conversation: Conversation, previous: string): string | null {
  return completeBare(question, previous, antecedent(conversation, 'thing'))
}

function fragment(question: string, _: Conversation, previous: string): string | null {
  const rest = fragmentOf(question)
  return rest && completeFragment(rest, previous)
}

function pronoun(question: string, conversation: Conversation, previous: string): string | null {
  const found = findPronoun(question)
  // "Which one" asks about a list, and there is none.
  if (!found || /^one$/i.test(found.text)) return null
  const asked = /^(?:this|that)$/i.test(found.text) ? WHAT_IS.exec(previous)?.[1] : undefined
  const stands = asked ?? antecedent(conversation, wantedBy(question, found, previous))
  return stands && replacePronoun(question, found, stands)
}

/** "Is that more than before?" asks about the whole of what was asked for. */
const WHAT_IS = /^\W*what\s+(?:is|are|was|were)\s+(the\s+\S.*)$/i
const HUMAN = /^(?:he|him|his|she|her|hers)$/i
/** "What accuracy did they report?": they are the authors, unless someone was just said to do so. */
const REPORTS = /\b(?:report|find|found|conclude|propose|suggest|recommend|evaluate|measure)(?:e?d)?\b/i

function wantedBy(question: string, { text, end }: Pronoun, previous: string): Wanted {
  if (HUMAN.test(text)) return 'person'
  if (ABOUT_DOCUMENTS.test(question)) return 'document'
  if (/^they$/i.test(text) && REPORTS.test(question.slice(end)) && !REPORTS.test(previous)) return 'document'
  return /^(?:they|them|their|theirs|these|those)$/i.test(text) ? 'several' : 'thing'
}

/** The question with what the pronoun stands for in its place. */
function replacePronoun(question: string, { text, start, end }: Pronoun, stands: string): string {
  const [before, after] = [question.slice(0, start), question.slice(end)]
  const owns = /^(?:its|their|his)$/i.test(text) || (/^her$/i.test(text) && /^\s+\p{L}/u.test(after))
  return withoutOpening(`${before}${stands}${owns ? (stands.endsWith('s') ? '’' : '’s') : ''}${after}`)
}
