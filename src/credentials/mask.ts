import { formsOf, redactor, shapeBegins } from '../redact.ts'

/**
 * A value of plain data with every configured credential in its texts, keys too, replaced by as many asterisks, so that
 * whatever counts characters stays right. The same value where it holds none; instances of classes are left alone.
 */
export type Mask = <T>(value: T) => T

/** What is to be kept must not hold the configured credentials; text that is merely shaped like one is a person's own. */
export function masker(secrets: readonly (string | null)[]): Mask {
  const forms = formsOf(secrets)
  if (forms.length === 0) return (value) => value
  // What goes in comes out with the same shape; only its strings are changed.
  return <T>(value: T) => masked(value, forms) as T
}

/** The same for a text that comes in pieces: what may be the beginning of a credential waits for the next piece. */
export function maskedPieces(secrets: readonly (string | null)[]): StreamRedactor {
  const forms = formsOf(secrets)
  return new StreamRedactor(
    (text) => maskedText(text, forms),
    (text) => beginningOf(forms, text),
  )
}

/** Where one of these may begin at the end of a text that goes on; the text's length if none does. */
export function beginningOf(forms: readonly string[], text: string): number {
  const at = beginningIn(forms, text)
  const printed = printedOf(text)
  if (!printed) return at
  const from = beginningIn(forms, printed.text)
  return Math.min(at, beforeAnyAcross(Math.min(at, printed.positions[from] ?? text.length), forms, text))
}

function beginningIn(forms: readonly string[], text: string): number {
  const longest = forms[0]?.length ?? 0
  let from = Math.min(text.length, Math.max(0, text.length - longest + 1))
  while (
    from < text.length &&
    !forms.some((form) => form.length > text.length - from && form.startsWith(text.slice(from)))
  ) {
    from += 1
  }
  return beforeAnyAcross(from, forms, text)
}

/** No text is cut inside of what is to be masked as a whole. */
function beforeAnyAcross(at: number, forms: readonly string[], text: string): number {
  for (const form of forms) {
    const start = text.indexOf(form, Math.max(0, at - form.length + 1))
    if (start >= 0 && start < at) return beforeAnyAcross(start, forms, text)
  }
  return at
}

function masked(value: unknown, forms: readonly string[]): unknown {
  if (typeof value === 'string') return maskedText(value, forms)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((each) => masked(each, forms))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  return isPlain(value) ? maskedRecord(value, forms) : value
}

function maskedRecord(value: object, forms: readonly string[]): object {
  let isChanged = false
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const clean: [string, unknown] = [maskedText(key, forms), masked(item, forms)]
    isChanged ||= clean[0] !== key || clean[1] !== item
    return clean
  })
  return isChanged ? Object.fromEntries(entries) : value
}

function maskedText(text: string, forms: readonly string[]): string {
  const masked = withoutForms(text, forms)
  const printed = printedOf(masked)
  return printed ? maskedWithin(masked, printed, forms) : masked
}

/** Masks those that have characters between theirs which are not shown. */
function maskedWithin(text: string, { text: shown, positions }: Printed, forms: readonly string[]): string {
  const clean = withoutForms(shown, forms)
  if (clean === shown) return text
  const characters = text.split('')
  for (let at = 0; at < shown.length; at++) {
    if (clean[at] === shown[at]) continue
    characters.fill('*', positions[at], (positions[at] ?? 0) + 1)
  }
  return characters.join('')
}

/** A text as it is shown, and where each of its characters stands in what is stored. */
interface Printed {
  readonly text: string
  readonly positions: readonly number[]
}

/** null for a text all of which is shown. */
function printedOf(text: string): Printed | null {
  const positions: number[] = []
  let shown = ''
  let from = 0
  const keep = (to: number) => {
    for (let at = from; at < to; at++) positions.push(at)
    shown += text.slice(from, to)
  }
  for (const { 0: taken, index } of text.matchAll(controlCharacters)) {
    keep(index)
    from = index + taken.length
  }
  if (from === 0) return null
  keep(text.length)
  return { text: shown, positions }
}

function withoutForms(text: string, forms: readonly string[]): string {
  return forms.reduce(
    (isPlainObject, form) =>
      isPlainObject.includes(form) ? isPlainObject.replaceAll(form, '*'.repeat(form.length)) : isPlainObject,
    text,
  )
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/**
 * Cleans a text that comes in pieces as it would be cleaned as a whole: what is not decided yet waits for the next piece,
 * everything before it goes out at once.
 */
export class StreamRedactor {
  readonly #clean: (text: string) => string
  readonly #openFrom: (text: string) => number
  #waiting = ''

  /** `openFrom` tells from where on a text may still turn into something that is to be cleaned, when it goes on. */
  constructor(clean: (text: string) => string, openFrom: (text: string) => number) {
    this.#clean = clean
    this.#openFrom = openFrom
  }

  push(piece: string): string {
    const text = this.#waiting + piece
    const end = this.#openFrom(text)
    this.#waiting = text.slice(end)
    return end === 0 ? '' : this.#clean(text.slice(0, end))
  }

  flush(): string {
    const rest = this.#clean(this.#waiting)
    this.#waiting = ''
    return rest
  }
}

const hideShapes = redactor([])

/**
 * Hides what is shaped like a credential in a text that comes in pieces, as if it had come as a whole. The last word
 * waits for the next piece, and so does what may be the beginning of a header or a key with blanks in it; all else goes
 * out at once.
 */
export function hiddenPieces(): StreamRedactor {
  return new StreamRedactor(hideShapes, (text) => {
    // What is before a beginning may end with another one.
    for (let end = text.length; ; ) {
      const next = shapeBegins(text.slice(0, end))
      if (next === end) return end
      end = next
    }
  })
}

/**
 * What is taken out of a text before it is shown: control characters but newline and tab, the controls that turn the
 * direction of writing, and what is no character at all. What stands around one is read as one word then.
 */
export const controlCharacters = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Cs}/gu
