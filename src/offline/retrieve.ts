import type { BaseMessage } from '@langchain/core/messages'
import type { AgentTask } from '../models/port/model.ts'
import { comparisonSearches, documentsToView, needsSearch, versionsToSearch } from './calls.ts'
import { questionParts } from './language/question-parts.ts'
import type { ExtractiveParts, KnownDocument } from './parts/parts.ts'

export interface Call {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

type ResearchTask = Extract<AgentTask, { agent: 'research' }>

/** What research does next: calls to make, or a closing word. */
export type NextStep = { readonly calls: readonly Call[] } | { readonly text: string }

/**
 * Searches the documents once for each part of the question, and looks at those that the question is about; then, if
 * they held nothing and the web may be searched, the web; then ends.
 */
export async function nextStep(
  task: ResearchTask,
  messages: readonly BaseMessage[],
  tools: readonly string[],
  parts: ExtractiveParts,
): Promise<NextStep> {
  const { question } = task
  const results = messages.filter((message) => message.getType() === 'tool')
  const searched = (name: string) => results.some((message) => message.name === name)
  const isFirst = !searched('pdf_retrieval') && !searched('document_overview')
  if (isFirst && tools.includes('pdf_retrieval')) return { calls: await firstCalls(task, tools, parts) }
  const further = results.some(({ name }) => name === 'document_overview')
    ? []
    : await vintageCalls(task, results, tools, parts)
  if (further.length > 0) return { calls: further }
  const found = results.reduce((sum, message) => sum + observationsOf(message).length, 0)
  if (found === 0 && !searched('web_search') && tools.includes('web_search')) {
    return { calls: [call('web_search', { query: question }, 0)] }
  }
  if (found === 0) return { text: 'The search found no passage on this question.' }
  return { text: `The search found ${found} ${found === 1 ? 'passage' : 'passages'} on this question.` }
}

/** Searches, and a look at the documents that the question is about. */
async function firstCalls(
  { question, documents }: ResearchTask,
  tools: readonly string[],
  parts: ExtractiveParts,
): Promise<readonly Call[]> {
  const viewed = tools.includes('document_overview') ? await documentsToView(question, documents, parts) : []
  if (viewed.length > 0 && !needsSearch(question)) return overviewCalls(viewed)
  const wanted = [
    ...questionParts(question).map((query) => ({ query })),
    ...(await comparisonSearches(question, documents, parts)),
  ]
  return [...wanted.map((args, i) => call('pdf_retrieval', { ...args }, i)), ...overviewCalls(viewed)]
}

/** A search in each vintage of the document that fits best, and a look at their title pages. */
async function vintageCalls(
  { question, documents }: ResearchTask,
  results: readonly BaseMessage[],
  tools: readonly string[],
  parts: ExtractiveParts,
): Promise<readonly Call[]> {
  if (!tools.includes('document_overview') || !tools.includes('pdf_retrieval')) return []
  const [best] = results.flatMap(observationsOf).sort((a, b) => b.score - a.score)
  const vintages = await versionsToSearch(question, best?.documentId, documents, parts)
  const searches = vintages.map(({ documentId }, i) =>
    call('pdf_retrieval', { query: question, documents: [documentId] }, results.length + i),
  )
  return [...searches, ...overviewCalls(vintages)]
}

/** Documents that one call may ask for. */
const VIEWED_AT_ONCE = 6

function overviewCalls(documents: readonly KnownDocument[]): readonly Call[] {
  const ids = documents.map(({ documentId }) => documentId)
  const batches = Array.from({ length: Math.ceil(ids.length / VIEWED_AT_ONCE) }, (_, i) =>
    ids.slice(i * VIEWED_AT_ONCE, (i + 1) * VIEWED_AT_ONCE),
  )
  return batches.map((batch, i) => call('document_overview', { documents: batch }, i))
}

function call(name: string, args: Call['args'], index: number): Call {
  return { id: `${name}-${index + 1}`, name, args }
}

interface Found {
  readonly documentId: string
  readonly score: number
}

function observationsOf(message: BaseMessage): readonly Found[] {
  // LangChain keeps what a tool returns besides its text in a field of tool messages alone.
  const { artifact } = message as { artifact?: { observations?: readonly Found[] } }
  return artifact?.observations ?? []
}
