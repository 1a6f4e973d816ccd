/** A stretch of an answer's text, by character. */
export interface Highlight {
  readonly start: number
  readonly end: number
}

/** An answer and the words of it that answer the question most shortly. */
export interface HighlightedText {
  readonly text: string
  readonly highlights: readonly Highlight[]
}

const BOLD = /(?<![\p{L}\p{N}*])\*\*(?=[^\s*])([^*\n]{1,200})(?<=\S)\*\*(?![\p{L}\p{N}*])/gu

/**
 * Takes the marks of words in bold out of a text, and says where the words are; others, as in `2 ** 3`, and those that
 * one of `sources` has itself, stay: a document cannot have its own words highlighted.
 */
export function withoutBold(markdown: string, sources: readonly string[] = []): HighlightedText {
  const highlights: Highlight[] = []
  let text = ''
  let from = 0
  for (const { 0: marked, 1: words = '', index } of markdown.matchAll(BOLD)) {
    if (sources.some((source) => source.includes(marked))) continue
    text += markdown.slice(from, index)
    highlights.push({ start: text.length, end: text.length + words.length })
    text += words
    from = index + marked.length
  }
  return { text: text + markdown.slice(from), highlights }
}
