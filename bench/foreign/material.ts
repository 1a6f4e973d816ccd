import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readLines } from '../question-sets.ts'

export type Half = 'development' | 'aside'

/** One line of `documents.json`. */
export interface ForeignDocument {
  readonly id: string
  /** filing, paper, manual, policy, faq, reference, book */
  readonly kind: string
  readonly language: string
  readonly half: Half
  /** The Debian package that brings it; null: it lies in `files/` beside `documents.json`, or in `QUAERO_DEV_DATA`. */
  readonly package: string | null
  readonly version: string | null
  /** Inside the package or the folder; a `.gz` is unpacked. */
  readonly path: string
  readonly format: string
  /** Of the unpacked file. */
  readonly sha256: string
  /** What is printed on it, for judging metadata; null and empty: it is not printed. */
  readonly printed: {
    readonly title: string | null
    readonly organisation: string | null
    readonly authors: readonly string[]
    readonly date: string | null
  }
}

/** One line of `questions.jsonl`. */
export interface ForeignQuestion {
  readonly id: string
  readonly half: Half
  /** lookup, number, table cell, who, when, why, how-to, yes-no, … or unanswerable, vague, follow-up */
  readonly kind: string
  readonly language: string
  /** The documents that answer it; of an unanswerable question, the one it is about; empty if it is vague. */
  readonly documents: readonly string[]
  readonly question: string
  readonly answer?: string
  /** A right answer holds one of each group. */
  readonly expect?: readonly (readonly string[])[]
  /** Counts from 1, for PDF files only; `alsoOn` are the other pages on which the quote stands. */
  readonly page?: number
  readonly alsoOn?: readonly number[]
  /** The evidence, word for word but for white space. */
  readonly quote?: string
  /** The question that is asked before it, in the same thread. */
  readonly after?: string
}

export interface Material {
  readonly documents: readonly ForeignDocument[]
  readonly questions: readonly ForeignQuestion[]
}

/** Documents and questions, of this folder if no other is named. */
export function readMaterial(folder = import.meta.dirname): Material {
  const documents: readonly ForeignDocument[] = JSON.parse(readFileSync(join(folder, 'documents.json'), 'utf8'))
  return {
    documents: documents.map((document) =>
      document.path.startsWith('files/') ? { ...document, path: resolve(folder, document.path) } : document,
    ),
    questions: readLines<ForeignQuestion>(join(folder, 'questions.jsonl')),
  }
}
