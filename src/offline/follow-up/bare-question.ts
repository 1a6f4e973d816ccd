const WORD =
  /^(?:(?:by|to|from|with|for|of|since|until|at|in|on) )?(?:why|when|where|whom?|what|which|how(?: (?:long|much|many|often|far|so|come))?)(?: (?:so|not|exactly|year|month|day|country|city))?$/i
const OPENING = /^(?:(?:and|but|or|so|ok|okay|well|then)\b[\s,]*)+/i
const ASKS_FOR_SOURCE =
  /^(?:please )?(?:(?:give|show|tell|name) (?:me )?(?:the )?|(?:on )?(?:which|what) )?(?:page|source|quote|passage)\b.{0,20}$|^where does it say that$|^are you sure$/i
const ASKS_FOR_MORE =
  /^(?:please )?(?:(?:tell|give|show) me (?:some )?)?(?:more(?: details?)?|go on|continue|elaborate)$/i

function plainOf(question: string): string {
  return question
    .trim()
    .replace(OPENING, '')
    .replace(/[\s?.!,…]{1,20}$/, '')
}

/** True for "Why?", "Since when?", "Give me the page", "Tell me more": they say nothing without the last question. */
export function isBareQuestion(question: string): boolean {
  const plain = plainOf(question)
  return [WORD, ASKS_FOR_SOURCE, ASKS_FOR_MORE].some((form) => form.test(plain))
}

/** The last question, asked in the way that a bare one says; null if it is not bare. */
export function completeBare(question: string, previous: string, topic: string | null): string | null {
  const plain = plainOf(question)
  if (ASKS_FOR_SOURCE.test(plain)) return `${previous}?`
  if (ASKS_FOR_MORE.test(plain)) return topic && `Tell me more about ${topic}.`
  if (!WORD.test(plain)) return null
  const word = plain.charAt(0).toUpperCase() + plain.slice(1)
  const asked = `${previous.charAt(0).toLowerCase()}${previous.slice(1)}?`
  return AUXILIARY.test(previous) ? `${word} ${asked}` : `${word}: ${asked}`
}

/** "Why" and "Does Megastore use Paxos" make "Why does Megastore use Paxos?". */
const AUXILIARY = /^(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|may|might|must)\s/i
