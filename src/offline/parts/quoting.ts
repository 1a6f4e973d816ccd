const TAG = /<(?=\/?(?:cite|abstain|think|thinking|reasoning|scratchpad)\b)/giu

/** Text of a document that may be written into a draft: its own tags open nothing there, and are still found on the page. */
export function asText(text: string): string {
  return text.replace(TAG, '‹')
}

/** Quotes behind a sentence, as a draft carries them. */
export function cite(id: string, quotes: readonly string[]): string {
  return quotes.map((quote) => `<cite id="${id}">${quote}</cite>`).join('')
}
