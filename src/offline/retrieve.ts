import { type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { z } from 'zod'
import type { AgentTask } from '../models/index.ts'
import { MOST_LISTED } from './documents/answer-about-documents.ts'
import { readDocumentQuestion } from './documents/document-question.ts'
import { documentsAmong, documentsNamedIn, findTarget } from './documents/target.ts'
import { questionsIn } from './follow-up/standalone-question.ts'
import { widerQuery } from './language/wider-query.ts'
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
 * Searches the documents, and looks at those that the question is about; reads what stands around the best passage; then, if
 * nothing was found and the web may be searched, the web; then ends.
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
  const observations = results.flatMap(observationsOf)
  const found = observations.length
  const [best] = observations.filter(({ origin }) => origin === 'documents').sort((a, b) => b.score - a.score)
  if (best && !searched('read_passages') && tools.includes('read_passages')) {
    return { calls: [call('read_passages', { passage: best.passageId, ...AROUND }, 0)] }
  }
  if (found === 0 && !searched('web_search') && tools.includes('web_search')) {
    return { calls: [call('web_search', { query: question }, 0)] }
  }
  if (found === 0) return { text: 'The search found no passage on this question.' }
  return { text: `The search found ${found} ${found === 1 ? 'passage' : 'passages'} on this question.` }
}

/**
 * A search for the question and in each document that it names, and a look at those it is about. A follow-up is also
 * searched for alone, in the document that speaks most of what it leans on.
 */
async function firstCalls(
  { question, documents }: ResearchTask,
  tools: readonly string[],
  parts: ExtractiveParts,
): Promise<readonly Call[]> {
  const known = await documentsAmong(documents, parts)
  const asked = readDocumentQuestion(question)
  const target = asked && tools.includes('document_overview') ? findTarget(asked, known) : null
  const viewed = overviewCalls(target?.documents.slice(0, MOST_LISTED) ?? [])
  // What the library holds is seen from its documents alone.
  if (viewed.length > 0 && asked?.aspect === 'inventory') return viewed
  const named = documentsNamedIn(question, known).slice(0, MOST_NAMED)
  const followUp = questionsIn(question).length > 1 ? questionsIn(question).at(-1) : undefined
  const [nearest] = followUp
    ? await parts.search(question, { limit: 1, documents: known.map(({ documentId }) => documentId) })
    : []
  const wider = await widerQuery(question, parts.vocabulary)
  const searches = [
    { query: question },
    ...(wider === null ? [] : [{ query: wider }]),
    ...named.map((documentId) => ({ query: question, documents: [documentId] })),
    ...(followUp && nearest ? [{ query: followUp, documents: [nearest.documentId] }] : []),
  ]
  return [...searches.map((args, i) => call('pdf_retrieval', args, i)), ...viewed]
}

/** More documents are not searched one by one: their passages would push each other out of the evidence. */
const MOST_NAMED = 3

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

/** Passages before and behind the best one that are read: of a short document, all. */
export const AROUND = { before: 5, after: 5 }

function observationsOf(message: BaseMessage) {
  return ToolMessage.isInstance(message) ? (observed.safeParse(message.artifact).data?.observations ?? []) : []
}

/** What a tool returns besides its text. */
const observed = z.object({
  observations: z.array(z.object({ passageId: z.string(), origin: z.string(), score: z.number() })),
})
