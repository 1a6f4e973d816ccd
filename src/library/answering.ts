import type { DocumentRecord } from './document.ts'
import type { PassageIndex } from './passage-index.ts'
import { type Question, readQuestion } from './question.ts'
import { type EvidenceText, type RankedSentence, rankSentences, stemWeights } from './rank-sentences.ts'
import { findPassages, type SearchOptions } from './search.ts'
import { contentStems, queryTerms } from './terms.ts'

/** What it takes to answer from a library by rule: handed to the model that needs no key, and to the confidence. */
export interface Answering {
  readonly search: (
    query: string,
    options: SearchOptions,
  ) => Promise<readonly { readonly documentId: string; readonly score: number }[]>
  readonly documents: () => Promise<readonly DocumentRecord[]>
  readonly rank: (question: string, evidence: readonly EvidenceText[]) => Promise<readonly RankedSentence[]>
  readonly readQuestion: (question: string) => Question
  readonly contentStems: (text: string) => readonly string[]
}

/** The search and reading functions over one index. A query without words finds nothing here, rather than failing. */
export function answering(index: PassageIndex): Answering {
  return {
    readQuestion,
    contentStems,
    documents: () => index.documents(),
    async search(query, options) {
      if (queryTerms(query).length === 0) return []
      const found = await findPassages(index, query, options)
      return found.map(({ document, score }) => ({ documentId: document.documentId, score }))
    },
    async rank(text, evidence) {
      const question = readQuestion(text)
      return rankSentences(question, evidence, await stemWeights(index, question))
    },
  }
}
