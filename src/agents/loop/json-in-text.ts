/** After so many brackets that begin no JSON the search ends: it would take ever longer. */
const mostFailures = 100

/** The whole JSON objects and arrays in a text, from left to right, whatever stands around them. */
export function jsonIn(text: string): unknown[] {
  const found: unknown[] = []
  let failures = 0
  for (let start = nextBracket(text, 0); start >= 0 && failures < mostFailures; ) {
    const end = endOf(text, start) ?? start
    const value = parsed(text.slice(start, end))
    if (value === undefined) failures += 1
    else found.push(value)
    start = nextBracket(text, value === undefined ? start + 1 : end)
  }
  return found
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function nextBracket(text: string, from: number): number {
  const at = text.slice(from).search(/[[{]/)
  return at < 0 ? -1 : from + at
}

/** The position after the bracket that closes the one at `start`; null if none does. Brackets in strings do not count. */
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
