/** What an endpoint says of a call that is too long for its model, in tokens; null where it does not say. */
export interface ContextSize {
  /** Tokens that fit. */
  readonly window: number | null
  /** Tokens that it counted, with what it keeps free for the answer. */
  readonly sent: number | null
}

/**
 * Reads the sizes out of a server's own words, for instance "This model's maximum context length is 8192 tokens.
 * However, you requested 9500 tokens". What was sent is the largest number beyond the window, since it did not fit.
 */
export function contextSizeIn(message: string): ContextSize {
  const window = windowPatterns.flatMap((pattern) => numberIn(pattern.exec(message)?.[1])).at(0) ?? null
  if (window === null) return { window, sent: null }
  const beyond = Array.from(message.matchAll(number), ([text]) => text)
    .flatMap(numberIn)
    .filter((value) => value > window)
  return { window, sent: beyond.length > 0 ? Math.max(...beyond) : null }
}

const number = /\d[\d,]*/g

/** As OpenAI, vLLM, llama.cpp and LiteLLM word it, then Anthropic and Mistral, then Gemini, then others. */
const windowPatterns: readonly RegExp[] = [
  /(?:context (?:length|size|window)|model length)\D{0,24}(\d[\d,]*)/i,
  /(?<![\d,])(\d[\d,]*) (?:tokens? )?maximum/i,
  /maximum number of tokens\D{0,12}(\d[\d,]*)/i,
  /\blimit\D{0,12}(\d[\d,]*)/i,
]

/** Fewer tokens are no model's window, and more are an id or a time. */
const [least, most] = [64, 100_000_000]

function numberIn(text: string | undefined): readonly number[] {
  const value = Number(text?.replaceAll(',', '') ?? Number.NaN)
  return value >= least && value <= most ? [value] : []
}
