import type { DraftSentence } from './cited-text.ts'

/**
 * Several sentences before one citation: each whose words stand in the quote shares it. What the quote does not hold
 * stays without.
 */
export function withSharedQuotes(sentences: readonly DraftSentence[]): readonly DraftSentence[] {
  return sentences.map((sentence, i) => {
    if (sentence.citations.length > 0) return sentence
    const next = sentences.slice(i + 1).findIndex(({ citations, before }) => citations.length > 0 || /\n/.test(before))
    const cited = next < 0 ? undefined : sentences[i + 1 + next]
    if (!cited || /\n/.test(cited.before)) return sentence
    const said = plain(sentence.text)
    return said === ''
      ? sentence
      : { ...sentence, citations: cited.citations.filter(({ quote }) => plain(quote).includes(said)) }
  })
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
