import type { EvidencePassage } from '../../events/index.ts'

/** What a question asks for, as the library's question reader tells it. */
export interface AskedQuestion {
  readonly kind: string
  /** Content words in order, folded. */
  readonly words: readonly string[]
  /** Their stems. */
  readonly stems: readonly string[]
}

/** A sentence or table row that may answer a question. */
export interface Candidate {
  /** The passage's id. */
  readonly id: string
  /** `passage.text.slice(start, end) === text` */
  readonly start: number
  readonly end: number
  readonly text: string
  /** A row's cells and the table that gives them their meaning; null for sentences. */
  readonly row: Row | null
  /** Greater is better; comparable between questions. */
  readonly score: number
  /** 0 to 1: the share of the question's words that stand in it. */
  readonly coverage: number
  /** The same, with title, headings and neighbours. */
  readonly coverageInContext: number
  readonly bearsAnswer: boolean
}

/** One row of a table. */
export interface Row {
  readonly label: string
  /** The first cell of the label. */
  readonly name: string
  readonly values: readonly { readonly column: string | null; readonly value: string }[]
  readonly table: { readonly caption: string; readonly headerText: string }
}

/** A document as this model needs to know it. */
export interface KnownDocument {
  readonly documentId: string
  readonly title: string | null
  readonly authors: readonly string[]
  readonly year: number | null
  readonly source: string
}

/** What is known of one document beyond its text. */
export interface DocumentFacts {
  /** Every statement with where it comes from; the first holds. */
  readonly title: readonly Statement<string>[]
  readonly authors: readonly Statement<readonly string[]>[]
  readonly year: readonly Statement<number>[]
  /** null for kinds of file that have no pages. */
  readonly pages: number | null
  readonly firstPage: string
}

export interface Statement<T> {
  readonly value: T
  /** For instance `arXiv stamp`, `library set`. */
  readonly from: string
}

/** A passage that a search found. */
export interface Found {
  readonly documentId: string
  readonly score: number
  /** Stems of the query's words that stand in the passage or its headings. */
  readonly held: readonly string[]
}

/** What the extractive model works with. It is handed in, since models and library do not know each other. */
export interface ExtractiveParts {
  readonly search: (
    query: string,
    options: { readonly limit: number; readonly documents: readonly string[] | null },
  ) => Promise<readonly Found[]>
  readonly documents: () => Promise<readonly KnownDocument[]>
  /** null if there is no such document. */
  readonly facts: (documentId: string) => Promise<DocumentFacts | null>
  /**
   * Orders the sentences and rows of the evidence by how likely they answer the question, best first. `pause` is awaited
   * between short steps of work, and may throw.
   */
  readonly rank: (
    question: string,
    evidence: readonly EvidencePassage[],
    pause?: () => Promise<unknown>,
  ) => Promise<readonly Candidate[]>
  readonly readQuestion: (question: string) => AskedQuestion
  /** Stems of the words that carry meaning. */
  readonly contentStems: (text: string) => readonly string[]
  /** Which part of its document a section is, of those that say what the whole is about; null for the body. */
  readonly partOf: (section: string | null) => 'summary' | 'opening' | 'closing' | null
  /** The numbers that a text states, in figures or words, dates included. */
  readonly numbers: (text: string) => readonly number[]
  /** The sentences of a text, in order. */
  readonly sentences: (text: string) => readonly string[]
  /** Where a sentence says the time, figure or name that the question asks for; null where that is not plain. */
  readonly answerSpan: (question: string, text: string) => { readonly start: number; readonly end: number } | null
  /** Ask which document is meant when the second-best document scores within this share of the best. */
  readonly documentGap: number
}
