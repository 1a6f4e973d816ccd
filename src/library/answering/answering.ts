import { numbersIn } from '../language/numbers.ts'
import { sentences } from '../language/sentences.ts'
import { contentStems, queryTerms, stems } from '../language/terms.ts'
import { type DocumentPart, partOf } from '../overview.ts'
import type { DocumentMetadata, DocumentRecord } from '../port/document.ts'
import type { PassageIndex } from '../port/passage-index.ts'
import type { Span } from '../quote.ts'
import { findPassages, type SearchOptions } from '../search.ts'
import { answerSpan } from './answer-span.ts'
import { type Question, readQuestion } from './question.ts'
import { type EvidenceText, type RankedSentence, rankInSteps, stemWeights } from './rank-sentences.ts'

/** What it takes to answer from a library by rule: handed to the model that needs no key, and to the confidence. */
export interface Answering {
  readonly search: (query: string, options: SearchOptions) => Promise<readonly Found[]>
  readonly documents: () => Promise<readonly DocumentRecord[]>
  /** `pause` is awaited between short steps of work, and may throw. */
  readonly rank: (
    question: string,
    evidence: readonly EvidenceText[],
    pause?: () => Promise<unknown>,
  ) => Promise<readonly RankedSentence[]>
  readonly readQuestion: (question: string) => Question
  readonly contentStems: (text: string) => readonly string[]
  readonly facts: (documentId: string) => Promise<DocumentFacts | null>
  readonly sentences: (text: string) => readonly string[]
  readonly numbers: (text: string) => readonly number[]
  readonly partOf: (section: string | null) => DocumentPart | null
  readonly answerSpan: (question: string, text: string) => Span | null
}

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

/** The search and reading functions over one index. A query without words finds nothing here, rather than failing. */
export function answering(index: PassageIndex): Answering {
  return {
    readQuestion,
    contentStems,
    partOf,
    answerSpan: (question, text) => answerSpan(readQuestion(question), text),
    documents: () => index.documents(),
    numbers: (text) => numbersIn(text).map(({ value }) => value),
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
    async rank(text, evidence, pause = async () => {}) {
      const question = readQuestion(text)
      return rankInSteps(question, evidence, await stemWeights(index, question), pause)
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
