import { ordinalIndex } from '../../library/language/numbers.ts'
import { type Conversation, quoted, type Turn, withoutMark } from './conversation.ts'
import { itemsIn } from './lists.ts'

const ORDINAL = '(first|second|third|fourth|fifth|sixth|last|1st|2nd|3rd|4th|5th)'
const KIND =
  '(one|point|item|option|reason|stage|step|method|approach|example|answer|result|paper|document|article|study|report|source|book)'
const NOT_COMPLETED = String.raw`(?!\s+(?:by|of|on|about|titled|called|named|from|to)\b)`
const BY_ORDINAL = new RegExp(
  String.raw`\b(?:the|that|this)\s+${ORDINAL}(?:\s+${KIND}\b${NOT_COMPLETED}|(?=\s*[?.!]*$))`,
  'i',
)
const BY_ORDER = /\b(?:the)\s+(former|latter)\b(?:\s+(?:one|paper|document|article|study|report))?/i
const OTHER = new RegExp(String.raw`\bthe\s+other(?:\s+${KIND}\b${NOT_COMPLETED}|(?=\s*[?.!]*$))`, 'i')
const WHICH =
  /\bwhich\s+(?:one\b(?!\s+of)|of\s+(?:them|(?:these|those|the\s+two|the\s+three)(?=\s+(?:is|are|was|were|has|have|had|can|does|do|did)\b))\b)/i
const IS_DOCUMENT = /^(?:paper|document|article|study|report|source|book)$/i

interface Reference {
  readonly text: string
  readonly index: number
  readonly item: string
  readonly items: readonly string[]
}

/** "the second one", "the former", "the other paper", "which one": an item of a list that was asked about or answered. */
export function pickFromList(question: string, conversation: Conversation, previous: string): string | null {
  const last = conversation.turns.at(-1)
  if (!last) return null
  const all = WHICH.exec(question) ?? WHICH_OF_AGE.exec(question)
  if (all) return whichOf(question, all, HAS_A_DATE.test(question) ? documentsIn(conversation) : listIn(last))
  const reference =
    byOrdinal(question, last, conversation) ?? byOrder(question, last) ?? theOther(question, last, conversation)
  if (!reference) return null
  const { text, index, item, items } = reference
  const rest = question.slice(0, index) + question.slice(index + text.length)
  const said = (rest.toLowerCase().match(/\w+/g) ?? []).map((word) => `${word} `).join('')
  if (!IS_ALL.test(said)) return withoutOpening(question.slice(0, index) + item + question.slice(index + text.length))
  return inPlaceOfSibling(previous, item, items) ?? `What about ${item}?`
}

/** Nothing is said but the reference: "What about the second one?", "The other paper?" */
const IS_ALL = /^(?:(?:and|but|so|then|ok|okay) )*(?:(?:what|how) about |no (?:i mean )?|i mean )?$/

/** "Which one is newer?": documents have a date, and what an answer lists seldom has. */
const HAS_A_DATE =
  /\b(?:newer|newest|older|oldest|latest|earlier|earliest|more\s+recent|most\s+recent)\b|\bpublished\s+(?:first|last|later)\b/i

const WHICH_OF_AGE =
  /\bwhich(?=\s+(?:is|was)\s+(?:the\s+)?(?:newer|newest|older|oldest|latest|earlier|earliest|(?:more|most)\s+recent)\W*$)/i

function documentsIn({ documents, turns }: Conversation): readonly string[] {
  const cited = turns.at(-1)?.cited ?? []
  return (cited.length === 1 ? [] : documents).map(quoted)
}

function whichOf(question: string, { 0: text, index }: RegExpExecArray, items: readonly string[]): string | null {
  if (items.length < 2) return null
  const list = `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
  return withoutOpening(`${question.slice(0, index)}which of ${list}${question.slice(index + text.length)}`)
}

function byOrdinal(question: string, last: Turn, { documents }: Conversation): Reference | null {
  const found = BY_ORDINAL.exec(question)
  if (!found) return null
  const [text, ordinal = '', kind = 'one'] = found
  const titles = documents.map(quoted)
  const listed = listIn(last)
  const items = IS_DOCUMENT.test(kind) || listed.length === 0 ? titles : listed
  return pick(items, ordinalIndex(ordinal, items.length), text, found.index)
}

function byOrder(question: string, last: Turn): Reference | null {
  const found = BY_ORDER.exec(question)
  if (!found) return null
  const asked = itemsIn(unquoted(last.question))
  const items = asked.length === 2 ? asked : listIn(last)
  return pick(items, ordinalIndex(found[1] ?? '', items.length), found[0], found.index)
}

/** Of two, the one that was not spoken of last. */
function theOther(question: string, last: Turn, { documents }: Conversation): Reference | null {
  const found = OTHER.exec(question)
  if (!found) return null
  const listed = listIn(last)
  const items = IS_DOCUMENT.test(found[1] ?? '') || listed.length !== 2 ? documents.map(quoted) : listed
  if (items.length !== 2) return null
  const spoken = items.findIndex((item) => mentions(last, item))
  return pick(items, spoken < 0 ? 1 : 1 - spoken, found[0], found.index)
}

function mentions({ question, cited }: Turn, item: string): boolean {
  const plain = unquoted(item)
  return question.toLowerCase().includes(plain.toLowerCase()) || (cited.length === 1 && cited[0] === plain)
}

function pick(items: readonly string[], at: number, text: string, index: number): Reference | null {
  const item = items[at]
  return item === undefined ? null : { text, index, item, items }
}

function listIn({ answer, base }: Turn): readonly string[] {
  const answered = itemsIn(answer)
  return answered.length > 0 ? answered : itemsIn(unquoted(base))
}

/** The last question, asked about another item of the same list. */
function inPlaceOfSibling(previous: string, item: string, items: readonly string[]): string | null {
  for (const sibling of items.filter((each) => each !== item)) {
    const plain = unquoted(sibling)
    const at = previous.toLowerCase().indexOf(plain.toLowerCase())
    if (at < 0) continue
    const inQuotes = previous[at - 1] === '“'
    const end = at + plain.length
    const put = inQuotes || previous[at - 1] === '(' ? unquoted(item) : item
    return `${withoutMark(previous.slice(0, at) + put + previous.slice(end))}?`
  }
  return null
}

function unquoted(item: string): string {
  return item.replace(/[“”]/g, '')
}

function withoutOpening(question: string): string {
  const plain = question.replace(/^\W*(?:(?:and|but|so|ok|okay)\b[\s,]*)+/i, '')
  return plain.charAt(0).toUpperCase() + plain.slice(1)
}
