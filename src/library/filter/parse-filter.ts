import { FilterInvalid } from '../../errors.ts'

/** What of a document is compared; `file` is the last part of its path. */
const fields = ['title', 'author', 'year', 'kind', 'format', 'path', 'file', 'tag', 'key', 'added'] as const
export type FilterField = (typeof fields)[number]

const operators = ['=', '!=', '<', '<=', '>', '>=', '~'] as const
export type FilterOperator = (typeof operators)[number]

/** A comparison of a field of a document with a value, as it was written. */
export interface FilterTest {
  readonly kind: 'test'
  readonly field: FilterField
  readonly operator: FilterOperator
  readonly value: string
}

/** Which documents are meant. */
export type Filter =
  | FilterTest
  | { readonly kind: 'not'; readonly of: Filter }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }

/** Characters. */
const longest = 2000
/** Of parentheses and of "not". */
const deepest = 100

/**
 * Reads `year>=2020 and (kind=10-K or title~"annual report")`: `and` binds closer than `or`, `not` closest. Throws
 * `FilterInvalid` with the place of what cannot be read.
 */
export function parseFilter(text: string): Filter {
  if (text.length > longest) throw new FilterInvalid(`it has more than ${longest} characters`, longest)
  const tokens = new Tokens(text)
  const filter = readAny(tokens, 0)
  if (tokens.next.text !== '')
    throw new FilterInvalid(`"and" or "or" is needed before ${tokens.next.text}`, tokens.next.at)
  return filter
}

interface Token {
  /** Empty at the end. */
  readonly text: string
  readonly at: number
}

const pattern = /[!<>]=|[=<>~()]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s()"'=!<>~]+|\S/gs

/** The words, signs and quoted texts of a filter that are still to be read. */
class Tokens {
  readonly #all: readonly Token[]
  #read = 0

  constructor(text: string) {
    this.#all = [
      ...Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({ text: found, at: index })),
      { text: '', at: text.length },
    ]
  }

  get next(): Token {
    return this.#all[this.#read] ?? { text: '', at: 0 }
  }

  take(): Token {
    const { next } = this
    if (/^["']$/.test(next.text)) throw new FilterInvalid(`the quote ${next.text} is not closed`, next.at)
    this.#read += 1
    return next
  }

  /** Takes this word or sign, if it is the next. */
  takes(word: string): boolean {
    const isNext = this.next.text.toLowerCase() === word
    if (isNext) this.#read += 1
    return isNext
  }
}

function readAny(tokens: Tokens, depth: number): Filter {
  return readJoined('or', tokens, () => readJoined('and', tokens, () => readPart(tokens, depth)))
}

function readJoined(kind: 'and' | 'or', tokens: Tokens, readOne: () => Filter): Filter {
  const first = readOne()
  const others: Filter[] = []
  while (tokens.takes(kind)) others.push(readOne())
  return others.length > 0 ? { kind, parts: [first, ...others] } : first
}

function readPart(tokens: Tokens, depth: number): Filter {
  const { at } = tokens.next
  if (depth > deepest) throw new FilterInvalid(`it nests deeper than ${deepest} levels`, at)
  if (tokens.takes('not')) return { kind: 'not', of: readPart(tokens, depth + 1) }
  if (!tokens.takes('(')) return readTest(tokens)
  const inner = readAny(tokens, depth + 1)
  if (tokens.takes(')')) return inner
  throw new FilterInvalid(`the ( at ${at + 1} is not closed`, tokens.next.at)
}

function readTest(tokens: Tokens): FilterTest {
  const name = tokens.take()
  const field = fields.find((each) => each === name.text.toLowerCase())
  const found = name.text === '' ? 'a comparison is missing' : `${name.text} is no field`
  if (!field) throw new FilterInvalid(`${found}; there are ${fields.join(', ')}`, name.at)
  const sign = tokens.take()
  const operator = operators.find((each) => each === sign.text)
  if (!operator) throw new FilterInvalid(`behind ${field} one of ${operators.join(' ')} is needed`, sign.at)
  const order = ordered[field]
  if (order ? operator === '~' : /[<>]/.test(operator))
    throw new FilterInvalid(
      `${field} ${order ? 'is no text: use = != < <= > >=' : 'has no order: use = != ~'}`,
      sign.at,
    )
  const { text, at } = tokens.take()
  const value = /^["']/.test(text) ? text.slice(1, -1).replace(/\\(.)/gs, '$1') : text
  if (/^(?:[!<>]?=|[<>~()!])?$/.test(text)) throw new FilterInvalid(`behind ${operator} a value is needed`, at)
  if (order && !order.isValue(value)) throw new FilterInvalid(`${text} is not ${order.what}`, at)
  return { kind: 'test', field, operator, value }
}

/** Fields that have an order, and what they are compared with. */
const ordered: Readonly<Partial<Record<FilterField, { readonly what: string; isValue(text: string): boolean }>>> = {
  year: { what: 'a whole number, such as 2021', isValue: (text) => /^\d{1,4}$/.test(text) },
  added: {
    what: 'a date, such as 2026-01-31, 2026-01 or 2026',
    isValue: (text) => /^\d{4}(?:-\d\d(?:-\d\d)?)?$/.test(text) && !Number.isNaN(Date.parse(text)),
  },
}
