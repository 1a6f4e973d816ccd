/** Not fitted: the reader finds title, authors and year of nine papers in ten. */
export const OF_TITLE_PAGE = 0.9
/** An abstract is the right place for what a document is about. */
export const OF_ABSTRACT = 0.8

/** What a text must not hold that is written into a draft. */
const MARKUP = /<\/?(?:cite|abstain)\b/iu

const TAG = /<(?=\/?(?:cite|abstain|think|thinking|reasoning|scratchpad)\b)/giu

/** Text of a document that may be written into a draft: its own tags open nothing there, and are still found on the page. */
export function asText(text: string): string {
  return text.replace(TAG, '‹')
}

/** Quotes behind a sentence, as a draft carries them. */
export function cite(id: string, quotes: readonly string[]): string {
  return quotes.map((quote) => `<cite id="${id}">${quote}</cite>`).join('')
}

/** The text holds these words, whatever white space, hyphens and case they are set in. */
export function holdsText(text: string, words: string): boolean {
  const wanted = letters(words)
  return wanted !== '' && !MARKUP.test(words) && letters(text).includes(wanted)
}

/** A line that holds more than this is a paragraph, and no title page's. */
const LONGEST = 400

/** The lines that hold names, each once, in order; empty unless every name stands in one of them. */
export function linesHolding(text: string, names: readonly string[]): readonly string[] {
  const lines = text.split('\n').filter((line) => line.length <= LONGEST)
  const holding = names.map((name) => lines.find((line) => holdsName(line, name)))
  if (holding.some((found) => found === undefined)) return []
  return lines.filter((line) => holding.includes(line)).map((line) => line.trim())
}

/** With or without the initials between first and last name. */
function holdsName(line: string, name: string): boolean {
  const parts = name.split(/\s+/u).filter((part) => !/^\p{Lu}\.?$/u.test(part))
  const said = letterRuns(line)
  return parts.every((part) => !/\p{L}/u.test(part) || said.includes(letterRuns(part)))
}

/** " ada lind " of "Ada Lind¹". */
function letterRuns(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/\P{L}+/gu, ' ')
    .trim()} `
}

function letters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}
