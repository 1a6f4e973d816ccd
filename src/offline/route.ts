import { contentStems } from '../library/index.ts'
import type { AgentTask } from '../models/index.ts'
import { missingContext, WHICH_DOCUMENT } from './clarification/clarifying-question.ts'
import { readDocumentQuestion } from './documents/document-question.ts'
import { distinctNames, nameOf } from './documents/known-as.ts'
import { documentsAmong, findTarget } from './documents/target.ts'
import { standaloneQuestion } from './follow-up/standalone-question.ts'
import { namesIn } from './language/names.ts'
import { corrected } from './language/spelling.ts'
import type { ExtractiveParts, KnownDocument } from './parts/parts.ts'
import { readQuestion } from './ranking/question.ts'

export interface Route {
  readonly route: 'research' | 'clarification'
  readonly missingContext: readonly string[]
  readonly standaloneQuestion: string
  readonly candidates: readonly string[]
}

type OrchestratorTask = Extract<AgentTask, { agent: 'orchestrator' }>

/** Titles offered when asking which document is meant. */
const MOST_CANDIDATES = 4

/**
 * Decides by rule whether a question can be researched: it is asked back about if it leaves open what it is about, or if
 * two documents fit it equally well and it names neither.
 */
export async function chooseRoute(task: OrchestratorTask, parts: ExtractiveParts): Promise<Route> {
  const documents = await documentsAmong(task.documents, parts)
  const asked = await corrected(task.question, parts.vocabulary)
  const aboutDocuments = await routeAboutDocuments(task, documents, parts)
  if (aboutDocuments) return { ...research(asked), ...aboutDocuments }
  const { question, resolved } = standaloneQuestion(asked, task.history)
  if (resolved) return research(question)
  const { words } = readQuestion(question)
  const missing = missingContext(question, { words, documents: documents.length })
  if (missing.length === 0) {
    const tied = task.history.length > 0 ? [] : await tiedDocuments(question, documents, parts)
    return tied.length > 0 ? await askBack(question, [WHICH_DOCUMENT], tied, parts) : research(question)
  }
  const found = isSearchable(missing) ? await bestDocuments(question, documents, parts) : []
  const candidates = found.map(({ document }) => document)
  // The only document that speaks of it is meant.
  return candidates.length === 1 ? research(question) : await askBack(question, missing, candidates, parts)
}

function research(standaloneQuestion: string): Route {
  return { route: 'research', missingContext: [], standaloneQuestion, candidates: [] }
}

async function askBack(
  standaloneQuestion: string,
  missing: readonly string[],
  documents: readonly KnownDocument[],
  parts: ExtractiveParts,
): Promise<Route> {
  const candidates = await offered(documents, parts)
  return { route: 'clarification', missingContext: missing, standaloneQuestion, candidates }
}

function offered(documents: readonly KnownDocument[], parts: ExtractiveParts): Promise<readonly string[]> {
  return distinctNames(documents.slice(0, MOST_CANDIDATES), parts)
}

/** A question about documents is researched if it is certain which are meant; null for every other question. */
async function routeAboutDocuments(
  { question, history }: OrchestratorTask,
  documents: readonly KnownDocument[],
  parts: ExtractiveParts,
): Promise<Partial<Route> | null> {
  const asked = readDocumentQuestion(question)
  const target = asked && findTarget(asked, documents)
  if (!target) return null
  if (!target.ask) return {}
  // The first quote answered; the others were near.
  const [topic] = lastCited(history)
  if (topic !== undefined && asked.topic === null)
    return { standaloneQuestion: `${question.replace(/[\s?.!]{1,9}$/, '')} (${topic})?` }
  return {
    route: 'clarification',
    missingContext: [WHICH_DOCUMENT],
    candidates: await offered(target.documents, parts),
  }
}

/** The titles of the documents that the last answer was made of. */
function lastCited(history: OrchestratorTask['history']): readonly string[] {
  return [...new Set(history.findLast(({ role }) => role === 'assistant')?.cited ?? [])]
}

/** Only a question that says something can be matched with documents. */
function isSearchable([missing]: readonly string[]): boolean {
  return missing === WHICH_DOCUMENT
}

interface Scored {
  readonly document: KnownDocument
  readonly score: number
  /** Stems of the question that one passage holds, and that all of them hold together. */
  readonly inOne: number
  readonly inAll: number
}

/** The documents that a search for the question finds, each with its best passage's score, best first. */
async function bestDocuments(
  question: string,
  documents: readonly KnownDocument[],
  parts: ExtractiveParts,
): Promise<readonly Scored[]> {
  const found = await parts.search(question, { limit: 50, documents: documents.map(({ documentId }) => documentId) })
  return documents
    .map((document) => {
      const own = found.filter(({ documentId }) => documentId === document.documentId)
      const score = Math.max(0, ...own.map((passage) => passage.score))
      const inOne = Math.max(0, ...own.map((passage) => new Set(passage.held).size))
      return { document, score, inOne, inAll: new Set(own.flatMap((passage) => passage.held)).size }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
}

/** A question of more content words than this says enough to find its document. */
const FEW_WORDS = 3
/** So few need not even stand together in one passage. */
const VERY_FEW_WORDS = 2

// "What was the size?" asks about one certain thing; "What is superspreading?" may be answered from any document.
const DEFINITE =
  /\b(this|these|those|was|were|did|had|the(?!\s+(?:\p{L}+est|most|least|first|last|only|same|other)\b))\b/iu

/** Documents that fit the question equally well, if it names none; empty if one of them is clearly meant. */
async function tiedDocuments(
  question: string,
  documents: readonly KnownDocument[],
  parts: ExtractiveParts,
): Promise<readonly KnownDocument[]> {
  const { stems } = readQuestion(question)
  const mayBeAny = !DEFINITE.test(question) || stems.length > FEW_WORDS || namesIn(question).length > 0
  if (documents.length < 2 || mayBeAny) return []
  const scored = await bestDocuments(question, documents, parts)
  const [first] = scored
  const isNamed = first && contentStems(nameOf(first.document)).some((word) => stems.includes(word))
  if (!first || isNamed) return []
  const words = new Set(stems).size
  const tied = scored.filter(
    ({ score, inOne, inAll }) =>
      (first.score - score) / first.score < parts.documentGap ||
      inOne === words ||
      (words <= VERY_FEW_WORDS && inAll === words),
  )
  return tied.length > 1 ? tied.map(({ document }) => document) : []
}
