/**
 * How many tokens a text has, roughly: four characters a token in Latin script, one in others. For where no endpoint has
 * counted; no tokenizer is ever fetched.
 */
export function estimateTokens(text: string): number {
  const wide = text.match(/[\u0370-\uffff]/g)?.length ?? 0
  return Math.ceil((text.length - wide) / charactersPerToken) + wide
}

const charactersPerToken = 4
