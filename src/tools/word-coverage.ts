import { contentStems } from '../library/language/terms.ts'

/** Which share of the words that a query asks for stands in a text, from 0 to 1; words are compared by their stems. */
export function wordCoverage(query: string, text: string): number {
  const wanted = new Set(contentStems(query))
  if (wanted.size === 0) return 0
  const present = new Set(contentStems(text))
  return [...wanted].filter((stem) => present.has(stem)).length / wanted.size
}
