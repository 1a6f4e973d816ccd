import { type Figure, figureAt } from './figure.ts'
import type { DecimalMark } from './numeral.ts'

/** A formula of figures. */
export type Expression =
  | { readonly kind: 'figure'; readonly figure: Figure }
  | { readonly kind: 'negative'; readonly of: Expression }
  | Operation

export interface Operation {
  readonly kind: 'operation'
  readonly operator: Operator
  readonly left: Expression
  readonly right: Expression
}

export type Operator = '+' | '-' | '*' | '/' | '^'

const OPERATORS: Readonly<Record<string, Operator>> = {
  ...{ '+': '+', '-': '-', '−': '-', '–': '-', '*': '*', '×': '*', '·': '*', '⋅': '*' },
  ...{ '/': '/', '÷': '/', ':': '/', '^': '^' },
}

type Token = { readonly is: 'figure'; readonly figure: Figure } | { readonly is: Operator | '(' | ')' }

const longestExpression = 400
const mostTokens = 120
const deepest = 20

/**
 * Reads a formula: figures with `+ - * / ^`, their typographic forms, and parentheses. Words beside the figures, such as
 * "receivables 689", are left out. Null if it cannot be read.
 */
export function parseExpression(text: string, mark: DecimalMark): Expression | null {
  const tokens = text.length <= longestExpression ? tokensOf(text, mark) : null
  if (tokens === null || tokens.length > mostTokens) return null
  const reader = { tokens, at: 0, depth: 0 }
  const expression = readSum(reader)
  return reader.at === tokens.length ? expression : null
}

function tokensOf(text: string, mark: DecimalMark): readonly Token[] | null {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const next = tokenAt(text, at, mark)
    if (next === null) return null
    if (next.token) tokens.push(next.token)
    at = next.end
  }
  return tokens
}

/** The token that stands here, none for words and spaces; null for what no formula has. */
function tokenAt(text: string, at: number, mark: DecimalMark): { readonly token?: Token; readonly end: number } | null {
  const character = text.charAt(at)
  if (/\d/.test(character)) {
    const figure = figureAt(text, at, mark)
    return figure && { token: { is: 'figure', figure }, end: figure.end }
  }
  const operator = operatorAt(text, at)
  if (operator !== null) return { token: { is: operator }, end: at + (text.startsWith('**', at) ? 2 : 1) }
  if (character === '(' || character === ')') return { token: { is: character }, end: at + 1 }
  return /[\p{L}\s$€£¥,.'’&_"“”%]/u.test(character) ? { end: at + 1 } : null
}

function operatorAt(text: string, at: number): Operator | null {
  const character = text.charAt(at)
  if (character === '*' && text.charAt(at + 1) === '*') return '^'
  if (/[xX]/.test(character)) return /[\s\d)]x[\s\d($€£]/iu.test(text.slice(Math.max(0, at - 1), at + 2)) ? '*' : null
  // A hyphen within a word joins it.
  if (character === '-' && /\p{L}-\p{L}/u.test(text.slice(Math.max(0, at - 1), at + 2))) return null
  return OPERATORS[character] ?? null
}

interface Reader {
  readonly tokens: readonly Token[]
  at: number
  depth: number
}

function readSum(reader: Reader): Expression | null {
  return readChain(reader, ['+', '-'], readProduct)
}

function readProduct(reader: Reader): Expression | null {
  return readChain(reader, ['*', '/'], readSigned)
}

function readChain(
  reader: Reader,
  operators: readonly Operator[],
  readPart: (reader: Reader) => Expression | null,
): Expression | null {
  let left = readPart(reader)
  for (;;) {
    const operator = operators.find((each) => each === reader.tokens[reader.at]?.is)
    if (left === null || operator === undefined) return left
    reader.at += 1
    const right = readPart(reader)
    left = right && { kind: 'operation', operator, left, right }
  }
}

function readSigned(reader: Reader): Expression | null {
  const sign = reader.tokens[reader.at]?.is
  if (sign !== '-' && sign !== '+') return readPower(reader)
  reader.at += 1
  if (reader.depth >= deepest) return null
  reader.depth += 1
  const of = readSigned(reader)
  reader.depth -= 1
  return of && sign === '-' ? { kind: 'negative', of } : of
}

function readPower(reader: Reader): Expression | null {
  const left = readAtom(reader)
  if (left === null || reader.tokens[reader.at]?.is !== '^') return left
  reader.at += 1
  const right = readSigned(reader)
  return right && { kind: 'operation', operator: '^', left, right }
}

function readAtom(reader: Reader): Expression | null {
  const token = reader.tokens[reader.at]
  reader.at += 1
  if (token?.is === 'figure') return { kind: 'figure', figure: token.figure }
  if (token?.is !== '(' || reader.depth >= deepest) return null
  reader.depth += 1
  const inner = readSum(reader)
  reader.depth -= 1
  reader.at += 1
  return reader.tokens[reader.at - 1]?.is === ')' ? inner : null
}
