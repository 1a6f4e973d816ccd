import { sentences } from '../../library/language/sentences.ts'
import { contentStems, queryTerms, stems, tokens } from '../../library/language/terms.ts'
import { type DocumentPart, partOf } from '../../library/overview.ts'
import type { DocumentMetadata, DocumentRecord, Provenance } from '../../library/port/document.ts'
import type { PassageIndex } from '../../library/port/passage-index.ts'
import type { Span } from '../../library/quote.ts'
import { findPassages } from '../../library/search.ts'
import type { Vocabulary } from '../language/spelling.ts'
import { answerSpan } from '../ranking/answer-span.ts'
import { type Question, readQuestion } from '../ranking/question.ts'
import {
  type EvidenceText,
  type RankedSentence,
  rankInSteps,
  type StemWeights,
  stemWeights,
} from '../ranking/rank-sentences.ts'
import type { TableRow } from '../ranking/table.ts'

export type { Provenance as Statement, Question as AskedQuestion, RankedSentence as Candidate, TableRow as Row }

/** A document as this model needs to know it. */
export type KnownDocument = Pick<DocumentRecord, 'documentId' | 'title' | 'authors' | 'year' | 'source'>

/** What is known of one document beyond its text. */
export interface DocumentFacts extends DocumentMetadata {
  /** null for kinds of file that have no pages. */
  readonly pages: number | null
  readonly firstPage: string
}

/** A passage that a search found. */
export interface Found {
  readonly documentId: string
  readonly score: number
  /** Stems of the query's words that stand in the passage or its headings. */
  readonly held: readonly string[]
}

/** What the extractive model works with. */
export interface ExtractiveParts {
  /** A query without words finds nothing. */
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
    evidence: readonly EvidenceText[],
    pause?: () => Promise<unknown>,
  ) => Promise<readonly RankedSentence[]>
  /** How rare the question's words are in the library. */
  readonly weights: (question: string) => Promise<StemWeights>
  readonly vocabulary: Vocabulary
  readonly readQuestion: (question: string) => Question
  /** Stems of the words that carry meaning. */
  readonly contentStems: (text: string) => readonly string[]
  /** Which part of its document a section is, of those that say what the whole is about; null for the body. */
  readonly partOf: (section: string | null) => DocumentPart | null
  /** The sentences of a text, in order. */
  readonly sentences: (text: string) => readonly string[]
  /** Where a sentence says the time, figure or name that the question asks for; null where that is not plain. */
  readonly answerSpan: (question: string, text: string) => Span | null
  /** Ask which document is meant when the second-best document scores within this share of the best. */
  readonly documentGap: number
}

/** The parts over an index of documents. */
export function partsOver(index: PassageIndex, { documentGap }: Pick<ExtractiveParts, 'documentGap'>): ExtractiveParts {
  const weights = (question: string) => stemWeights(index, readQuestion(question))
  return {
    documentGap,
    weights,
    vocabulary: vocabularyOf(index),
    readQuestion,
    contentStems,
    partOf,
    answerSpan: (question, text) => answerSpan(readQuestion(question), text),
    documents: () => index.documents(),
    facts: (documentId) => factsOf(index, documentId),
    sentences: (text) => sentences(text).map(({ start, end }) => text.slice(start, end)),
    async search(query, options) {
      if (queryTerms(query).length === 0) return []
      const found = await findPassages(index, query, options)
      const wanted = contentStems(query)
      return found.map(({ passage, document, score }) => {
        const present = new Set(stems(`${document.title ?? ''} ${passage.section ?? ''} ${passage.text}`))
        return { documentId: document.documentId, score, held: wanted.filter((word) => present.has(word)) }
      })
    },
    rank: async (question, evidence, pause = async () => {}) =>
      rankInSteps(readQuestion(question), evidence, await weights(question), pause),
  }
}

/** Passages that hold a word in any of its forms, among which it is looked for. */
const mostLookedAt = 20

function vocabularyOf(index: PassageIndex): Vocabulary {
  return {
    frequencies: async (words) => (await index.frequencies(words)).of,
    async holds(word) {
      const found = await index.match({ terms: [word], limit: mostLookedAt, documents: null })
      return found.some(({ passage, document }) =>
        tokens(`${document.title ?? ''} ${passage.text}`).some((token) => token.word === word),
      )
    },
  }
}

/** Characters; a file without pages is one page, however long. */
const longestTitlePage = 64_000

async function factsOf(index: PassageIndex, documentId: string): Promise<DocumentFacts | null> {
  const [document, metadata, page] = await Promise.all([
    index.document(documentId),
    index.metadata(documentId),
    index.pageWindow(documentId, 1, { start: 0, end: longestTitlePage }),
  ])
  if (!document || !metadata) return null
  return { ...metadata, pages: document.format === 'pdf' ? document.pages : null, firstPage: page?.text ?? '' }
}
