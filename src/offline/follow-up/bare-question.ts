import { isMeasure } from './word-classes.ts'

const QUESTION_WORD = String.raw`(?:(?:by|to|from|with|for|of|since|until|at|in|on|under)\s+)?(?:why|how|when|where|who|whom|what|which|how\s+(?:long|much|many|often|far|fast))(?:\s+(?:so|come|not|exactly|then|year|month|day|country|city|cases?))?`
const BARE = new RegExp(`^(${QUESTION_WORD})$`, 'i')
const ASKS_WHY = /^(?:why(?:\s+(?:so|not|(?:is|was)\s+(?:that|this|it)(?:\s+so)?))?|how\s+(?:so|come))$/i
const OPENING = /^(?:(?:and|but|or|so|ok|okay|well|then|oh|hm+)\b[\s,]*)+/i
const ASKS_FOR_SOURCE =
  /^(?:(?:please\s+)?(?:give|show|tell|name)\s+(?:me\s+)?(?:the\s+)?(?:page|source|quote|passage|sentence)(?:\s+number)?|(?:on\s+)?(?:which|what)\s+page(?:\s+is\s+(?:that|it)(?:\s+on)?)?|where\s+(?:does\s+it|do\s+they)\s+say\s+(?:that|so|this)|(?:source|page|quote)(?:\s+please)?|are\s+you\s+sure|really)$/i
const ASKS_FOR_MORE =
  /^(?:(?:please\s+)?(?:tell|give|show)\s+me\s+(?:some\s+)?more(?:\s+details?)?|(?:please\s+)?(?:go\s+on|continue|elaborate|explain|more|more\s+details?|in\s+(?:more\s+)?detail|details)|(?:can\s+you\s+)?(?:elaborate|explain)(?:\s+(?:that|this|it|more))?)(?:\s+please)?$/i
const ASKS_FOR_OTHERS = /^(?:what|anything|something|who|where|which)\s+else$/i

type Bare = 'word' | 'source' | 'more' | 'others'

function plainOf(question: string): string {
  return question
    .trim()
    .replace(OPENING, '')
    .replace(/[\s?.!,…]{1,20}$/, '')
}

function kindOf(question: string): Bare | null {
  const plain = plainOf(question)
  if (plain.length > 60) return null
  if (ASKS_FOR_SOURCE.test(plain)) return 'source'
  if (ASKS_FOR_MORE.test(plain)) return 'more'
  if (ASKS_FOR_OTHERS.test(plain)) return 'others'
  return BARE.test(plain) || ASKS_WHY.test(plain) ? 'word' : null
}

/** True for "Why?", "Since when?", "Give me the page", "Tell me more": they say nothing without the last question. */
export function isBareQuestion(question: string): boolean {
  return kindOf(question) !== null
}

/** The last question, what it was answered, and what it was about. */
interface Asked {
  readonly previous: string
  readonly answer: string
  readonly topic: string | null
}

/** The last question, asked in the way that a bare one says; null if it is not bare. */
export function completeBare(question: string, { previous, answer, topic }: Asked): string | null {
  const plain = plainOf(question)
  switch (kindOf(question)) {
    case 'source':
      return `${previous}?`
    case 'more':
      return topic === null ? null : `Tell me more about ${topic}.`
    case 'others':
      return ASKS_WHAT.test(previous) ? previous.replace(ASKS_WHAT, '$1 else').concat('?') : null
    case 'word':
      return ASKS_WHY.test(plain) ? whyOf(previous, answer) : reask(previous, capitalised(plain))
    default:
      return null
  }
}

/** Of "What did they find?" there may be more to say. */
const ASKS_WHAT = /^(\W*(?:what|who|where|which)\b)/i

/** "Why?" asks about what the answer says; about the question, if the answer only affirms it. */
function whyOf(previous: string, answer: string): string | null {
  const isPolar = STARTS_WITH_AUXILIARY.test(previous)
  const denied = isPolar && (/^\W*no\b/i.test(answer) || DENIES.test(firstSentence(answer)))
  if (isPolar && !denied) return reask(previous, 'Why')
  const asked = denied ? null : reask(previous, 'Why')
  if (asked !== null && !asked.startsWith('Why: ')) return asked
  return whyStatement(answer)
}

const DENIES = /\b(?:not|never|no|nobody|none|cannot|\p{L}{1,12}n['’]t)\b/iu
const STATEMENT =
  /^([^,]{3,}?)\s(is|are|was|were|has|have|had|can|cannot|could|will|would|should|may|might|must|do|does|did)\s(.+)/is
const LONGEST_SUBJECT = 80
const LONGEST_REST = 160

/** "Volunteers are not covered." makes "Why are volunteers not covered?"; null for a sentence of another build. */
function whyStatement(answer: string): string | null {
  const sentence = firstSentence(answer).replace(/\s+/g, ' ')
  const [, subject = '', auxiliary = '', rest = ''] = /[;:“”]/.test(sentence) ? [] : (STATEMENT.exec(sentence) ?? [])
  if (subject === '' || subject.length > LONGEST_SUBJECT || rest.length > LONGEST_REST) return null
  const said = /^(?:the|an?|this|that|these|those|we|our|they|it|you|\p{L}+s)\b(?!\s\p{Lu})/iu.test(subject)
    ? lowered(`${subject} `).trim()
    : subject
  if (/^cannot$/i.test(auxiliary)) return `Why can ${said} not ${rest}?`
  return `Why ${auxiliary.toLowerCase()} ${said} ${rest}?`
}

function firstSentence(answer: string): string {
  const plain = answer.replace(/\*\*|\s?\[\d{1,3}\]/g, '').trim()
  const [sentence = ''] = plain.replace(/^(?:yes|no)\b[.!,]\s+/i, '').split(/(?<=[.!?])\s|\n/)
  return sentence.replace(/[.!\s]{1,20}$/, '')
}

const AUXILIARY = 'do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|may|might|must'
const STARTS_WITH_AUXILIARY = new RegExp(String.raw`^(${AUXILIARY})\s+`, 'i')
const ADVERBIAL = new RegExp(String.raw`^(?:when|where|why|how)\s+((?:${AUXILIARY})\s.+)$`, 'i')
const NOMINAL = new RegExp(String.raw`^(?:what|which|how\s+(?:many|much))\s+(\S.*?)\s(${AUXILIARY})\s(.+)`, 'is')

/** "Why" and "Which storage does Alder use" make "Why does Alder use storage?". */
function reask(previous: string, word: string): string {
  if (STARTS_WITH_AUXILIARY.test(previous)) return `${word} ${lowered(previous)}?`
  const adverbial = ADVERBIAL.exec(previous)?.[1]
  if (adverbial) return `${word} ${adverbial}?`
  const [, noun, auxiliary = '', rest] = NOMINAL.exec(previous) ?? []
  if (noun && rest && !isMeasure(noun)) {
    return /^(?:do|does|did)$/i.test(auxiliary)
      ? `${word} ${auxiliary} ${withObject(rest, noun)}?`
      : `${word} ${auxiliary} ${noun} ${rest}?`
  }
  return `${word}: ${lowered(previous)}?`
}

/** "Alder write per event" and "bytes" make "Alder write bytes per event". */
function withObject(rest: string, object: string): string {
  const [before = '', after] = rest.split(/\s(?=(?:per|on|in|at|by|for|from|with|during|after|before|when|if)\s)(.*)/s)
  return [before, object, after].filter((part) => part !== undefined).join(' ')
}

/** A question that begins a sentence no more; names keep their capital. */
function lowered(question: string): string {
  return /^(?:\p{Lu}\p{Ll}*)\s/u.test(question) ? question.charAt(0).toLowerCase() + question.slice(1) : question
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
