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

/** The last question, asked in the way that a bare one says; null if it is not bare. */
export function completeBare(question: string, previous: string, topic: string | null): string | null {
  switch (kindOf(question)) {
    case 'source':
      return `${previous}?`
    case 'more':
      return topic === null ? null : `Tell me more about ${topic}.`
    case 'others':
      return ASKS_WHAT.test(previous) ? previous.replace(ASKS_WHAT, '$1 else').concat('?') : null
    case 'word':
      return reask(previous, capitalised(plainOf(question)))
    default:
      return null
  }
}

/** Of "What did they find?" there may be more to say. */
const ASKS_WHAT = /^(\W*(?:what|who|where|which)\b)/i

/** "Why" and "Does Megastore use Paxos" make "Why does Megastore use Paxos?". */
function reask(previous: string, word: string): string {
  const asked = `${previous.charAt(0).toLowerCase()}${previous.slice(1)}?`
  return AUXILIARY.test(previous) ? `${word} ${asked}` : `${word}: ${asked}`
}

const AUXILIARY = /^(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|may|might|must)\s/i

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
