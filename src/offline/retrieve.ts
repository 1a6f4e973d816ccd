import { type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { z } from 'zod'
import type { AgentTask } from '../models/port/model.ts'
import { readDocumentQuestion } from './documents/document-question.ts'
import { MOST_LISTED } from './documents/inventory.ts'
import { documentsNamedIn } from './documents/named-in.ts'
import { documentsAmong, findTarget } from './documents/target.ts'
import type { ExtractiveParts, KnownDocument } from './parts/parts.ts'
import { questionParts } from './question-parts.ts'

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
  const found = results.reduce((sum, message) => sum + observationsOf(message).length, 0)
  if (found === 0 && !searched('web_search') && tools.includes('web_search')) {
    return { calls: [call('web_search', { query: question }, 0)] }
  }
  if (found === 0) return { text: 'The search found no passage on this question.' }
  return { text: `The search found ${found} ${found === 1 ? 'passage' : 'passages'} on this question.` }
}

/** A search for each part of the question and in each document that it names, and a look at those it is about. */
async function firstCalls(
  { question, documents }: ResearchTask,
  tools: readonly string[],
  parts: ExtractiveParts,
): Promise<readonly Call[]> {
  const known = await documentsAmong(documents, parts)
  const asked = readDocumentQuestion(question)
  const target = asked && tools.includes('document_overview') ? await findTarget(asked, known, parts) : null
  const viewed = overviewCalls(target?.documents.slice(0, MOST_LISTED) ?? [])
  // What the library holds is seen from its documents alone.
  if (viewed.length > 0 && asked?.aspect === 'inventory') return viewed
  const named = documentsNamedIn(question, known, parts.contentStems).slice(0, MOST_NAMED)
  const searches = [
    ...questionParts(question).map((query) => ({ query })),
    ...named.map((documentId) => ({ query: question, documents: [documentId] })),
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

function observationsOf(message: BaseMessage): readonly unknown[] {
  return ToolMessage.isInstance(message) ? (found.safeParse(message.artifact).data?.observations ?? []) : []
}

/** What a tool returns besides its text. */
const found = z.object({ observations: z.array(z.unknown()) })
