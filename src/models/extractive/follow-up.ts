import type { HistoryMessage } from '../model.ts'
import { type Name, namesIn } from './names.ts'
import { findPronoun } from './pronouns.ts'

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
  const earlier = history.filter(({ role }) => role === 'user').map(({ text }) => text)
  const previous = earlier.at(-1)
  const unchanged = { question, resolved: false }
  if (previous === undefined) return unchanged
  if (BARE_QUESTION.test(question)) {
    return { question: `${trimEnd(previous)}: ${trimEnd(question).toLowerCase()}?`, resolved: true }
  }
  const fragment = fragmentOf(question)
  if (fragment !== null) return { question: completeFragment(fragment, previous), resolved: true }
  const topic = topicOf(history)
  if (topic === null) return unchanged
  const replaced = replacePronoun(question, topic) ?? replaceDefinite(question, topic, previous)
  return replaced === null ? unchanged : { question: replaced, resolved: true }
}

const BARE_QUESTION = /^\W*(why|how|how so|how come|when|where|who|since when)\W*$/i
const OPENING =
  /^\W*(?:and|but|or|so|also|then)?[\s,]*(?:what about|how about|what of|and for|and)\b\s*|^\W*(?:and|but|or|also)\b[\s,]*/i
const VERB = /\b(is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|happens?|means?)\b/i
const MOST_FRAGMENT_WORDS = 7

/** What is left of "And in 2024?" or "What about X?" when the opening is taken away; null for a whole question. */
export function fragmentOf(question: string): string | null {
  const opening = OPENING.exec(question)?.[0]
  if (opening === undefined) return null
  const rest = trimEnd(question.slice(opening.length))
  if (rest === '' || rest.split(/\s+/).length > MOST_FRAGMENT_WORDS) return null
  return VERB.test(rest) || /^(what|which|who|when|where|why|how)\b/i.test(rest) ? null : rest
}

const PREPOSITION = /^(in|for|on|at|by|with|from|of|during|between|since|after|before|under|using|within|without)\b/i

/** The previous question, with the fragment in the place of what it answers to. */
function completeFragment(fragment: string, previous: string): string {
  const whole = trimEnd(previous)
  const preposition = PREPOSITION.exec(fragment)?.[0]
  if (preposition) {
    const named = /[\p{Lu}\p{N}]/u.test(fragment)
    const same = new RegExp(
      `\\b${preposition}\\s+(?:the\\s+)?${named ? '[\\p{Lu}\\p{N}][\\p{L}\\p{N}.-]*' : '[\\p{L}-]+$'}`,
      'u',
    )
    return same.test(whole) ? `${whole.replace(same, () => fragment)}?` : `${whole} ${fragment}?`
  }
  const target = mostAlike(fragment.replace(/^the\s+/i, ''), whole)
  if (!target) return `${whole} (${fragment})?`
  return `${whole.slice(0, target.start)}${fragment.replace(/^the\s+/i, '')}${whole.slice(target.end)}?`
}

/** The name in the previous question that the fragment most looks like; the last one, if several do. */
function mostAlike(fragment: string, previous: string): Name | undefined {
  const names = [...namesIn(previous), ...yearsIn(previous)].sort((a, b) => a.start - b.start)
  const shape = shapeOf(fragment)
  return names.filter((name) => shapeOf(name.text) === shape).at(-1) ?? (shape === 'year' ? undefined : names.at(-1))
}

function yearsIn(text: string): readonly Name[] {
  return Array.from(text.matchAll(/\b(?:19|20)\d\d\b/g), (match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }))
}

function shapeOf(name: string): string {
  if (/^(19|20)\d\d$/.test(name)) return 'year'
  if (/\d/.test(name)) return 'with digits'
  if (/^\p{Lu}{2,}$/u.test(name)) return 'acronym'
  return /\p{Ll}\p{Lu}/u.test(name) ? 'inner capitals' : 'word'
}

/** What the conversation is about: the last name that the person used, else what the last question was about. */
export function topicOf(history: readonly HistoryMessage[]): string | null {
  const asked = history.filter(({ role }) => role === 'user').map(({ text }) => text)
  for (const text of asked.toReversed()) {
    const name = subjectOf(text)
    if (name) return name
  }
  const last = asked.at(-1)
  return last === undefined ? null : nounPhrase(last)
}

/** A name that owns or does something comes before one that is merely mentioned. */
function subjectOf(question: string): string | undefined {
  const names = namesIn(question)
  const subject = names.find((name) =>
    /\b(do|does|did|is|are|was|were|has|have|can|will)\s+(the\s+)?$/i.test(question.slice(0, name.start)),
  )
  const owner = names.find((name) => /^['’]s?\b/.test(question.slice(name.end)))
  return (subject ?? owner ?? names.at(-1))?.text
}

function nounPhrase(question: string): string | null {
  const phrase =
    /\b(?:an?|the)\s+((?:[\p{L}\p{N}-]+\s+){0,2}?[\p{L}\p{N}-]+(?:\s+of\s+(?:the\s+)?[\p{L}\p{N}-]+)?)(?=\s+(?:is|are|was|were|do|does|did|in|on|at|by|for|with|that|which|used|from|to)\b|\W*$)/iu
  const found = phrase.exec(question)?.[1]
  return found ? `the ${found}` : null
}

function replacePronoun(question: string, topic: string): string | null {
  const pronoun = findPronoun(question)
  if (!pronoun) return null
  const possessive =
    /^(its|their|his)$/i.test(pronoun.text) ||
    (/^her$/i.test(pronoun.text) && /^\s+\p{L}/u.test(question.slice(pronoun.end)))
  const named = possessive ? `${topic}'s` : topic
  return question.slice(0, pronoun.start) + named + question.slice(pronoun.end)
}

/** "the corpus" in a question without a name of its own, after a question about a corpus. */
function replaceDefinite(question: string, topic: string, previous: string): string | null {
  if (namesIn(question).length > 0) return null
  const definite =
    /\b(?:the|this|that|these|those)\s+(?:same\s+)?(\p{L}{4,})(?!\s+(?:by|of|on|about|titled|called|named|from|with|that|which)\b)\b/giu
  for (const match of question.matchAll(definite)) {
    const noun = match[1] ?? ''
    const repeated = previous.toLowerCase().includes(noun.toLowerCase())
    if (repeated || /^(paper|article|document|study|report|authors?|book|survey)$/i.test(noun)) {
      return `${trimEnd(question)} (${topic})?`
    }
  }
  return null
}

function trimEnd(question: string): string {
  return question
    .trim()
    .replace(/[?.!]{1,9}$/, '')
    .trim()
}
