import { namesIn } from '../language/names.ts'

const ITEM_LINE = /^[ \t]*(?:\(?\d{1,2}[.)]|[-*•])[ \t]+(\S.*)$/gm
const CITATIONS = /\s?\[\d{1,3}\]/g
const LEADING =
  /^.*\b(?:an?|the|is|are|was|were|compare[ds]?|between|both|either|of|in|for|with|on|by|at|to|include[sd]?|uses?|used|tested|than|from|do|does|did|which)\s+/iu

/** The items of a list in a text: its numbered or bulleted lines, else what a sentence enumerates; empty if none. */
export function itemsIn(text: string): readonly string[] {
  const lines = Array.from(text.matchAll(ITEM_LINE), ([, item = '']) => item.replace(CITATIONS, '').trim())
  if (lines.length > 1) return lines.map((line) => line.replace(/[.;:,]{1,9}$/, ''))
  const clauses = text.slice(0, MOST_CHARACTERS).replace(CITATIONS, '').split(CLAUSE_END)
  const [found] = clauses.flatMap(enumeratedIn)
  if (!found) return []
  const { first, middle, last } = found
  return middle.length > 0 ? ofSeveral(first, middle, last) : ofTwo(first, last)
}

const MOST_CHARACTERS = 2000
const CLAUSE_END = /[^\p{L}\p{N}\s'’.%,-]|\.\s/u
const MOST_WORDS = 5
const MOST_ITEMS = 10

interface Enumerated {
  readonly first: string
  readonly middle: readonly string[]
  readonly last: string
}

/** "A, B and C" in a clause: what stands before an "and" or "or", between the commas, and behind it. */
function enumeratedIn(clause: string): readonly Enumerated[] {
  const between = clause.split(/,?\s(?:and|or)\s/i).map((part) => part.split(/,\s/).map(wordsOf))
  return between.slice(1).flatMap(([last = []], i) => {
    const before = between[i] ?? []
    const broken = before.findLastIndex((words) => words.length > MOST_WORDS || words.length === 0)
    const from = Math.max(before[broken]?.length === 0 ? broken + 1 : broken, before.length - MOST_ITEMS + 1, 0)
    const [first, ...middle] = before.slice(from).map((words) => words.slice(-MOST_WORDS).join(' '))
    return first === undefined || last.length === 0
      ? []
      : [{ first, middle, last: last.slice(0, MOST_WORDS).join(' ') }]
  })
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
}

/** The items in the middle say how many words the first and the last one have. */
function ofSeveral(first: string, middle: readonly string[], last: string): readonly string[] {
  const words = Math.max(...middle.map((item) => item.split(/\s+/).length))
  const named = middle.every((item) => namesIn(`x ${item}`).length > 0)
  const begin =
    (named && namesIn(`x ${first}`).at(-1)?.text) || first.replace(LEADING, '').split(/\s+/).slice(-words).join(' ')
  const end = (named && namesIn(`x ${last}`)[0]?.text) || last.split(/\s+/).slice(0, words).join(' ')
  return [begin, ...middle, end]
}

/** "the Lorne and the Usk bridge": the last one's noun is the first one's too. */
function ofTwo(first: string, last: string): readonly string[] {
  const begin = first.replace(LEADING, '')
  const end = last.replace(/^(?:an?|the)\s+/i, '')
  const [a, b] = [namesIn(`x ${begin}`)[0]?.text, namesIn(`x ${end}`)[0]?.text]
  if (a === undefined || b === undefined) return begin.split(/\s+/).length > 3 ? [] : [begin, trimTo(end, begin)]
  const article = /\bthe\s+\S/i.test(first) && /^the\s/i.test(last) ? 'the ' : ''
  const own = begin.slice(begin.indexOf(a) + a.length).trim()
  const noun =
    own ||
    (article &&
      end
        .slice(end.indexOf(b) + b.length)
        .trim()
        .split(/\s+/)[0]) ||
    ''
  if (noun === '') return [article + a, article + b]
  return [`${article}${a} ${noun}`, end.includes(noun) ? `${article}${b} ${noun}` : article + b]
}

function trimTo(item: string, other: string): string {
  return item.split(/\s+/).slice(0, other.split(/\s+/).length).join(' ')
}
