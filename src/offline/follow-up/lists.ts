const ITEM_LINE = /^[ \t]*(?:\(?\d{1,2}[.)]|[-*•])[ \t]+(\S.*)$/gm
const CITATIONS = /\s?\[\d{1,3}\]/g
const LEADING =
  /^.*\b(?:an?|the|is|are|was|were|compare[ds]?|between|both|either|of|in|for|with|on|by|at|to|include[sd]?|uses?|used|tested|than|from|do|does|did|which)\s+/iu
const MOST_CHARACTERS = 2000
const CLAUSE_END = /[^\p{L}\p{N}\s'’.%,-]|\.\s/u
const MOST_WORDS = 3

/** The items of a list in a text: its numbered or bulleted lines, else what a sentence enumerates; empty if none. */
export function itemsIn(text: string): readonly string[] {
  const lines = Array.from(text.matchAll(ITEM_LINE), ([, item = '']) => item.replace(CITATIONS, '').trim())
  if (lines.length > 1) return lines.map((line) => line.replace(/[.;:,]{1,9}$/, ''))
  const clauses = text.slice(0, MOST_CHARACTERS).replace(CITATIONS, '').split(CLAUSE_END)
  return clauses.map(enumeratedIn).find((items) => items.length > 1) ?? []
}

/** "A, B and C" in a clause: what stands before an "and" or "or", between the commas, and behind it. */
function enumeratedIn(clause: string): readonly string[] {
  const [before = '', behind = ''] = clause.split(/,?\s(?:and|or)\s/i)
  const [lead = '', ...middle] = before.split(/,\s/)
  const first = lead.replace(LEADING, '').split(/\s+/)
  const words = middle[0]?.split(/\s+/).length ?? first.length
  if (behind === '' || words > MOST_WORDS) return []
  const article = /\bthe\s+\S+(?:\s\S+)?$/i.test(lead) && /^the\s/i.test(behind) ? 'the ' : ''
  const last = behind.replace(/^(?:an?|the)\s+|[.\s]{1,9}$/gi, '').split(/\s+/)
  const [begin, end] = [first.slice(-words), last.slice(0, words)].map((item) => article + item.join(' '))
  return [begin ?? '', ...middle, end ?? '']
}
