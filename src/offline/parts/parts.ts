import {
  cardOf,
  contentStems,
  type DocumentCard,
  type DocumentRecord,
  findPassages,
  type PassageIndex,
  type Provenance,
  queryTerms,
  stems,
  tokens,
} from '../../library/index.ts'
import type { AgentTask } from '../../models/index.ts'
import type { Vocabulary } from '../language/spelling.ts'
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
  /** What a document says of itself; null if there is no such document. */
  readonly card: (documentId: string) => Promise<DocumentCard | null>
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
    documents: () => index.documents(),
    card: (documentId) => cardOf(index, documentId),
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
      rankInSteps(readQuestion(question), await withPlaces(index, evidence), await weights(question), pause),
  }
}

/** Evidence with its sections and the tables of its pages, as far as they were kept. */
async function withPlaces(index: PassageIndex, evidence: readonly EvidenceText[]): Promise<readonly EvidenceText[]> {
  return Promise.all(
    evidence.map(async (each) => {
      const { documentId, page, text } = each
      if (documentId === undefined || page === undefined) return each
      const passages = await index.passagesOf(documentId, page)
      const passage = passages.find((other) => asText(other.text) === text)
      if (!passage) return each
      const { start, end } = passage
      const sections = passage.sections?.map(([at, name]) => [at - start, name] as const)
      if (!text.includes(' | ')) return { ...each, sections }
      return { ...each, sections, around: { start, tables: await index.tables(documentId, page, { start, end }) } }
    }),
  )
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

export type SynthesisTask = Extract<AgentTask, { agent: 'synthesis' }>

/** An answer made by rule. */
export interface RuledAnswer {
  /** Sentences with their citations. */
  readonly text: string
  /** The probability that it is right. */
  readonly confidence: number
  /** What cannot be quoted: what is known of the files but stands nowhere in them. */
  readonly remarks: readonly string[]
}

/** What every model writes when the passages do not hold an answer. */
export const ABSTENTION: RuledAnswer = { text: '<abstain/>', confidence: 0, remarks: [] }

const TAG = /<(?=\/?(?:cite|abstain|think|thinking|reasoning|scratchpad)\b)/giu

/** Text of a document that may be written into a draft: its own tags open nothing there, and are still found on the page. */
export function asText(text: string): string {
  return text.replace(TAG, '‹')
}

/** Quotes behind a sentence, as a draft carries them. */
export function cite(id: string, quotes: readonly string[]): string {
  return quotes.map((quote) => `<cite id="${id}">${quote}</cite>`).join('')
}
