/** A whole JSON object or array inside a text: what it holds and where it stands. */
export interface JsonInText {
  readonly value: unknown
  readonly start: number
  readonly end: number
}

/** A text with more brackets that lead nowhere is not searched on, which would take ever longer. */
const mostFailures = 100

/**
 * The whole JSON objects and arrays in a text, from left to right: alone, in code fences, with words around them. What
 * breaks off, or is not JSON to the letter, is none.
 */
export function jsonIn(text: string): JsonInText[] {
  const found: JsonInText[] = []
  let failures = 0
  for (let at = nextBracket(text, 0); at >= 0 && failures < mostFailures; ) {
    const whole = jsonAt(text, at)
    if (whole) found.push(whole)
    else failures += 1
    at = nextBracket(text, whole ? whole.end : at + 1)
  }
  return found
}

function nextBracket(text: string, from: number): number {
  const at = text.slice(from).search(/[[{]/)
  return at < 0 ? -1 : from + at
}

function jsonAt(text: string, start: number): JsonInText | null {
  const end = endOf(text, start)
  if (end === null) return null
  try {
    return { value: JSON.parse(text.slice(start, end)), start, end }
  } catch {
    return null
  }
}

/** Where the bracket that opens at `start` is closed; null if it never is. Brackets in strings do not count. */
function endOf(text: string, start: number): number | null {
  const tokens = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[[\]{}]/gs
  tokens.lastIndex = start
  let depth = 0
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    if (token[0] === '{' || token[0] === '[') depth += 1
    else if (token[0] === '}' || token[0] === ']') depth -= 1
    if (depth === 0) return tokens.lastIndex
  }
  return null
}
