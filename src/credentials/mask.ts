import { formsOf } from './forms.ts'
import { HeldBack } from './held-back.ts'

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
export function maskedPieces(secrets: readonly (string | null)[]): HeldBack {
  const forms = formsOf(secrets)
  return new HeldBack(
    (text) => maskedText(text, forms),
    (text) => beginningOf(forms, text),
  )
}

/** Where one of these may begin at the end of a text that goes on; the text's length if none does. */
export function beginningOf(forms: readonly string[], text: string): number {
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
  return forms.reduce(
    (clean, form) => (clean.includes(form) ? clean.replaceAll(form, '*'.repeat(form.length)) : clean),
    text,
  )
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
