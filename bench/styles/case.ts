import { join } from 'node:path'
import { readLines } from '../question-sets.ts'

export type Language = 'en' | 'de' | 'fr' | 'es'

/** What one sentence says of a document, and the words of the document that show it. */
export interface Fact {
  readonly question: string
  /** A whole sentence. */
  readonly claim: string
  readonly quote: string
  /** The quote as a careless writer copies it: a word left out or another one put in. */
  readonly careless: string
  /** Two parts of the quote, in order, for a quote with "…" between them. */
  readonly parts: readonly [string, string]
}

/**
 * A draft over one document. `{{words}}` stands for a citation of these words, `{{#words}}` for the id of the passage that
 * holds them, and `{{=words}}` for the words as the passage writes them.
 */
export interface Written {
  readonly question: string
  readonly draft: string
}

export interface TrueCase extends Written {
  readonly style: string
  /** Sentences that must be shown, but need no citation. */
  readonly free?: readonly string[]
}

export interface FalseCase extends Written {
  readonly class: string
}

export interface DocumentCases {
  readonly file: string
  readonly kind: string
  readonly language: Language
  /** None of its cases is shown in detail. */
  readonly isAside: boolean
  /** A question that all facts answer. */
  readonly about: string
  /** At least four. The first two stand in the same section. */
  readonly facts: readonly Fact[]
  /** A table as an answer shows it: header, rows, and for each row the quote. */
  readonly table: {
    readonly question: string
    readonly header: string
    readonly rows: readonly (readonly [string, string])[]
  }
  readonly truths: readonly TrueCase[]
  readonly lies: readonly FalseCase[]
}

/** A draft as it is asked about, with what is expected of it. */
export interface Case extends Written {
  readonly document: DocumentCases
  /** The style of a true draft, the class of a false one. */
  readonly group: string
  readonly isTrue: boolean
  /** Sentences that must be shown with a citation; of a false draft, those that must not be shown. */
  readonly sentences: readonly string[]
  readonly free: readonly string[]
  readonly isAside: boolean
  /** How a lie is cited. */
  readonly variant: string
}

/** A line of `cases.jsonl`: a document, or what is said of one. A document stands before what is said of it. */
interface Line {
  readonly document?: Omit<DocumentCases, 'facts' | 'truths' | 'lies'>
  readonly file?: string
  readonly fact?: Fact
  readonly truth?: TrueCase
  readonly lie?: FalseCase
  /** Its number is computed, as models note it: right ones must be shown as verified, wrong ones must not. */
  readonly isComputed?: boolean
}

/** The documents with their facts and drafts; of these only those whose number is computed, or only the others. */
export function readDocuments(isComputed: boolean): readonly DocumentCases[] {
  const lines = readLines<Line>(join(import.meta.dirname, 'cases.jsonl'))
  return lines.flatMap(({ document }) => {
    if (!document) return []
    const own = lines.filter(({ file }) => file === document.file)
    const drafts = own.filter((line) => (line.isComputed ?? false) === isComputed)
    return {
      ...document,
      facts: own.flatMap(({ fact }) => fact ?? []),
      truths: drafts.flatMap(({ truth }) => truth ?? []),
      lies: drafts.flatMap(({ lie }) => lie ?? []),
    }
  })
}

/** The draft without the tags of calculations; a result behind a full stop goes too. */
export function withoutFormulas(draft: string): string {
  return draft
    .replace(/(?<=[.!?])<calc[^>]*>[^<]*<\/calc>|<calc[^>]*\/>/g, '')
    .replace(/<calc[^>]*>([^<]*)<\/calc>/g, '$1')
}

/** The words between the placeholders of a draft: its sentences. */
export function sentencesOf(draft: string): readonly string[] {
  return withoutFormulas(draft)
    .split(/\{\{[^}]*\}\}/)
    .map((piece) => piece.replace(/[\s[]+$/, '').trim())
    .filter((piece) => /[\p{L}\p{N}]/u.test(piece))
}
