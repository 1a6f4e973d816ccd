import { FilterInvalid } from '../../errors.ts'
import type { DocumentRecord } from '../port/document.ts'
import { comparing, type Field, fields, operators, ordered, wantedValue } from './fields.ts'

/** Whether a document is meant. */
export type Means = (document: DocumentRecord) => boolean

/** Characters. */
const longest = 2000
/** Of parentheses and of "not". */
const deepest = 100

/**
 * Reads `year>=2020 and (kind=10-K or title~"annual report")`: `and` binds closer than `or`, `not` closest. Throws
 * `FilterInvalid` with the place of what cannot be read.
 */
export function parseFilter(text: string): { readonly means: Means; readonly fields: readonly Field[] } {
  if (text.length > longest) throw new FilterInvalid(`it has more than ${longest} characters`, longest)
  const tokens = new Tokens(text)
  const means = readAny(tokens, 0)
  if (tokens.next.text !== '')
    throw new FilterInvalid(`"and" or "or" is needed before ${tokens.next.text}`, tokens.next.at)
  return { means, fields: tokens.fields }
}

interface Token {
  /** Empty at the end. */
  readonly text: string
  readonly at: number
}

const pattern = /[!<>]=|[=<>~()]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s()"'=!<>~]+|\S|$/gs

/** The words, signs and quoted texts of a filter that are still to be read. */
class Tokens {
  /** Those that were read. */
  readonly fields: Field[] = []
  readonly #all: readonly Token[]
  #read = 0

  constructor(text: string) {
    this.#all = Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({ text: found, at: index }))
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

function readAny(tokens: Tokens, depth: number): Means {
  const any = [readAll(tokens, depth)]
  while (tokens.takes('or')) any.push(readAll(tokens, depth))
  return (document) => any.some((means) => means(document))
}

function readAll(tokens: Tokens, depth: number): Means {
  const all = [readPart(tokens, depth)]
  while (tokens.takes('and')) all.push(readPart(tokens, depth))
  return (document) => all.every((means) => means(document))
}

function readPart(tokens: Tokens, depth: number): Means {
  const { at } = tokens.next
  if (depth > deepest) throw new FilterInvalid(`it nests deeper than ${deepest} levels`, at)
  if (tokens.takes('not')) {
    const means = readPart(tokens, depth + 1)
    return (document) => !means(document)
  }
  if (!tokens.takes('(')) return readTest(tokens)
  const inner = readAny(tokens, depth + 1)
  if (tokens.takes(')')) return inner
  throw new FilterInvalid(`the ( at ${at + 1} is not closed`, tokens.next.at)
}

function readTest(tokens: Tokens): Means {
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
  const wanted = wantedValue(field, operator)
  if (wanted?.isValue(value) === false) throw new FilterInvalid(`${text} is not ${wanted.what}`, at)
  tokens.fields.push(field)
  return comparing(field, operator, value)
}
