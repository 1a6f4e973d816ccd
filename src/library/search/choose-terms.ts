import type { Frequencies } from './rank-passages.ts'

/** How many occurrences of words a search goes through in any library, however small: some milliseconds of work. */
const FEWEST_OCCURRENCES = 10_000
/** In a large library it goes through as many as this share of its passages. */
const SHARE_OF_PASSAGES = 0.05
/** One word alone says too little of what a question is about. */
const FEWEST_TERMS = 2

/**
 * The words that the index is asked for, rarest first: what a search costs is the sum of their occurrences, and the
 * common ones find nothing that the rare ones do not. The ranking still counts all. Words that stand nowhere are left
 * out. On XQuAD, COVID-QA and SciFact a cap at a tenth of the passages costs no top passage, one at a thirtieth does.
 */
export function chooseTerms(terms: readonly string[], { passages, of }: Frequencies): readonly string[] {
  const most = Math.max(FEWEST_OCCURRENCES, SHARE_OF_PASSAGES * passages)
  const occurrences = (term: string) => of.get(term) ?? 0
  const known = [...new Set(terms)].filter((term) => occurrences(term) > 0)
  const rarestFirst = known.sort((a, b) => occurrences(a) - occurrences(b))
  let sum = 0
  const end = rarestFirst.findIndex((term, i) => {
    sum += occurrences(term)
    return i >= FEWEST_TERMS && sum > most
  })
  return end < 0 ? rarestFirst : rarestFirst.slice(0, end)
}
