import { formsOf, redactor, shapeBegins } from '../redact.ts'

/**
 * Replaces every configured credential in the texts and keys of plain data by as many asterisks, so that positions in
 * the text stay right. Returns the same value if it holds none; instances of classes stay as they are.
 */
export type Mask = <T>(value: T) => T

/** Masks the configured credentials in stored data. Text that only has the shape of one belongs to the person and stays. */
export function masker(secrets: readonly (string | null)[]): Mask {
  const forms = formsOf(secrets)
  if (forms.length === 0) return (value) => value
  return (value) => masked(value, forms)
}

/** The same for a stream of text: the possible beginning of a credential waits for the next piece. */
export function maskedPieces(secrets: readonly (string | null)[]): StreamRedactor {
  const forms = formsOf(secrets)
  return new StreamRedactor(
    (text) => maskedText(text, forms),
    (text) => beginningOf(forms, text),
  )
}

/** Where one of these may begin at the end of an unfinished text; the text's length if none does. */
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

/** A cut inside a credential moves to its beginning. */
function beforeAnyAcross(at: number, forms: readonly string[], text: string): number {
  for (const form of forms) {
    const start = text.indexOf(form, Math.max(0, at - form.length + 1))
    if (start >= 0 && start < at) return beforeAnyAcross(start, forms, text)
  }
  return at
}

/** What goes in comes out with the same shape; only its strings are changed. */
function masked<T>(value: T, forms: readonly string[]): T
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
  // Forms begin with the longest; many texts, such as keys, are shorter than any.
  if (text.length < (forms.at(-1)?.length ?? 0)) return text
  const masked = withoutForms(text, forms)
  const printed = mayBeControl.test(masked) ? printedOf(masked) : null
  return printed ? maskedWithin(masked, printed, forms) : masked
}

/** Masks credentials with invisible characters in between. */
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

/** The visible characters of a text, and their positions in it. */
interface Printed {
  readonly text: string
  readonly positions: readonly number[]
}

/** null for a text without invisible characters. */
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
    (masked, form) => (masked.includes(form) ? masked.replaceAll(form, '*'.repeat(form.length)) : masked),
    text,
  )
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/**
 * Cleans a stream of text like a whole text: an undecided part waits for the next piece, everything before it is
 * released at once.
 */
export class StreamRedactor {
  readonly #clean: (text: string) => string
  readonly #openFrom: (text: string) => number
  #waiting = ''

  /** `openFrom` returns where an undecided part begins in an unfinished text. */
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
 * Hides text with the shape of a credential in a stream. The last word waits for the next piece, and so does the possible
 * beginning of a header or key with blanks in it; all else is released at once.
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
 * Removed from a text before it is shown: control characters but newline and tab, direction controls, and what is no
 * character at all. The text around one becomes one word.
 */
export const controlCharacters = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Cs}/gu

/** Matches where `controlCharacters` may, and some more; five times as fast. */
const mayBeControl = /[^\t\n -~\u00a0-\u2029\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd]/
