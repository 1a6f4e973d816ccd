export const effects = ['significantly increased', 'significantly decreased', 'no significant difference'] as const
/** What an intervention did to an outcome. */
export type Effect = (typeof effects)[number]

const words: readonly (readonly [Effect, RegExp])[] = [
  [
    'no significant difference',
    /\b(?:no|not|nor|without|neither)\b[^.;]{0,60}\bsignifican|\b(?:did not differ|non-?significant|similar)\b/i,
  ],
  ['significantly increased', /\b(?:increas|high|great|more|longer|larger|rose|rise|improv)/i],
  ['significantly decreased', /\b(?:decreas|low|reduc|few|less|short|small|fell|declin)/i],
]

/**
 * The effect that an answer states, in the words of the question or in others; the first sentence that states one counts. Null:
 * none, or two at once.
 */
export function effectIn(answer: string): Effect | null {
  for (const sentence of answer.replaceAll('*', '').split(/(?<=[.!?])\s/)) {
    const named = effects.filter((effect) => sentence.toLowerCase().includes(effect))
    const [found, second] = named.length > 0 ? named : saidOtherwise(sentence)
    if (found !== undefined) return second === undefined ? found : null
  }
  return null
}

function saidOtherwise(sentence: string): readonly Effect[] {
  const found = words.filter(([, said]) => said.test(sentence)).map(([effect]) => effect)
  return found[0] === 'no significant difference' ? found.slice(0, 1) : found
}

/** A quote and evidence that have so many words in a row in common speak of the same finding. */
const LEAST_WORDS = 8

/** How a quote lies to the evidence: it holds all of it, a part of it, or nothing. */
export function placeOf(quote: string, evidence: readonly string[]): 'whole' | 'part' | 'none' {
  const said = wordsOf(quote)
  const wanted = evidence.map(wordsOf).filter(({ length }) => length > 0)
  if (wanted.some((each) => ` ${said.join(' ')} `.includes(` ${each.join(' ')} `))) return 'whole'
  const isPart = wanted.some((each) => longestRun(said, each) >= Math.min(LEAST_WORDS, said.length, each.length))
  return isPart && said.length > 0 ? 'part' : 'none'
}

/** So many words stand in a row in both. */
function longestRun(one: readonly string[], other: readonly string[]): number {
  let longest = 0
  let ends = new Map<number, number>()
  for (const word of one) {
    const next = new Map<number, number>()
    for (const [at, each] of other.entries()) if (each === word) next.set(at, (ends.get(at - 1) ?? 0) + 1)
    longest = Math.max(longest, ...next.values())
    ends = next
  }
  return longest
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
