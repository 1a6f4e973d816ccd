import { ordinalIndex } from '../../library/language/numbers.ts'
import { type Conversation, quoted, type Turn, withoutMark, withoutOpening } from './conversation.ts'
import { itemsIn } from './lists.ts'

const KIND =
  '(one|point|item|option|reason|stage|step|method|approach|example|answer|result|paper|document|article|study|report|source|book)'
const ENDS = String.raw`(?!\s+(?:by|of|on|about|titled|called|named|from|to)\b)`
/** "the second one", "the former", "the other paper". */
const ONE = new RegExp(
  String.raw`\bthe\s+(first|second|third|fourth|fifth|last|former|latter|other)(?:\s+${KIND}\b${ENDS}|(?=\s*[?.!]*$)|(?<=former|latter))`,
  'i',
)
const WHICH =
  /\bwhich\s+(?:one\b(?!\s+of)|of\s+(?:them|(?:these|those|the\s+two)(?=\s+(?:is|are|was|were|has|have|had|can|does|do|did)\b))\b)/i
const IS_DOCUMENT = /^(?:paper|document|article|study|report|source|book)$/i
/** Nothing is said but the reference: "What about the second one?", "The other paper?" */
const IS_ALL = /^\W*(?:(?:and|but|so|then|ok|okay)\b\W*)*(?:(?:what|how) about\b|no\b\W*(?:i mean\b)?|i mean\b)?\W*$/i

/** "the second one", "the former", "the other paper", "which one": an item of a list that was asked about or answered. */
export function pickFromList(question: string, { turns, documents }: Conversation): string | null {
  const last = turns.at(-1)
  const [which, one] = [WHICH.exec(question), ONE.exec(question)]
  const listed = last && !IS_DOCUMENT.test(one?.[2] ?? '') ? listIn(last) : []
  const items = listed.length > 1 ? listed : documents.map(quoted)
  if (!last || items.length < 2) return null
  if (which) return put(question, which, `which of ${items.slice(0, -1).join(', ')} and ${items.at(-1)}`)
  return one && oneOf(question, one, items, last)
}

function oneOf(question: string, found: RegExpExecArray, items: readonly string[], last: Turn): string | null {
  const which = found[1] ?? ''
  const item = items[/other/i.test(which) ? otherThan(items, last) : ordinalIndex(which, items.length)]
  if (item === undefined) return null
  if (!IS_ALL.test(put(question, found, ''))) return put(question, found, item)
  return inPlaceOfSibling(last.question, item, items) ?? `What about ${item}?`
}

/** Of two, the one that was not spoken of last; -1 of more. */
function otherThan(items: readonly string[], { question, cited }: Turn): number {
  const isSpoken = (item: string) =>
    question.toLowerCase().includes(unquoted(item).toLowerCase()) || (cited.length === 1 && cited[0] === unquoted(item))
  const spoken = items.findIndex(isSpoken)
  return items.length !== 2 ? -1 : spoken < 0 ? 1 : 1 - spoken
}

function put(question: string, { 0: text, index }: RegExpExecArray, item: string): string {
  return withoutOpening(question.slice(0, index) + item + question.slice(index + text.length))
}

function listIn({ answer, question }: Turn): readonly string[] {
  const answered = itemsIn(answer)
  return answered.length > 0 ? answered : itemsIn(unquoted(question))
}

/** The last question, asked about another item of the same list. */
function inPlaceOfSibling(previous: string, item: string, items: readonly string[]): string | null {
  for (const sibling of items.filter((each) => each !== item)) {
    const at = previous.toLowerCase().indexOf(unquoted(sibling).toLowerCase())
    if (at < 0) continue
    const isMarked = /[“(]$/.test(previous.slice(0, at))
    const said = isMarked ? unquoted(item) : item
    return `${withoutMark(previous.slice(0, at) + said + previous.slice(at + unquoted(sibling).length))}?`
  }
  return null
}

function unquoted(item: string): string {
  return item.replace(/[“”]/g, '')
}
