import { DocumentUnreadable } from '../../../errors.ts'

/** How much one file may take, beyond the memory and the time that the parent process watches. */
export interface ReadLimits {
  readonly pages: number
  readonly characters: number
}

/** What every reader receives in addition to the bytes. */
export interface ReadOptions {
  /** Tried in order on an encrypted file. */
  readonly passwords: readonly string[]
  readonly limits: ReadLimits
  /** What a program made of a scan or a picture. */
  readonly recognised?: RecognisedForm | undefined
}

/** `pdf`: the scan with a text layer. `hocr`: words and their places; `unit` is the points of PDF for each of its pixels. */
export type RecognisedForm =
  | { readonly kind: 'pdf' }
  | { readonly kind: 'hocr'; readonly hocr: Uint8Array; readonly format: 'pdf' | 'picture'; readonly unit: number }

/** Throws `DocumentUnreadable` (`over_budget`) if a document has more pages than allowed. */
export function checkPages(pages: number, limits: ReadLimits): void {
  if (pages <= limits.pages) return
  throw new DocumentUnreadable(
    'over_budget',
    `It has ${pages} pages, more than the ${limits.pages} allowed. Split it, or raise library.pagesPerFile`,
  )
}

/** Throws `DocumentUnreadable` (`over_budget`) if a document has more text than allowed. */
export function checkCharacters(characters: number, limits: ReadLimits): void {
  if (characters <= limits.characters) return
  throw new DocumentUnreadable(
    'over_budget',
    `It holds more than ${limits.characters} characters of text. Split it, or raise library.textMegabytes`,
  )
}
