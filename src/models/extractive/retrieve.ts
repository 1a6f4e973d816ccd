import type { BaseMessage } from '@langchain/core/messages'
import type { AgentTask } from '../model.ts'
import { documentsToView } from './documents/overview-calls.ts'
import type { ExtractiveParts } from './parts.ts'
import { questionParts } from './question-parts.ts'

export interface Call {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** What research does next: calls to make, or a closing word. */
export type NextStep = { readonly calls: readonly Call[] } | { readonly text: string }

/**
 * Searches the documents once for each part of the question, and looks at those that the question is about; then, if
 * they held nothing and the web may be searched, the web; then ends.
 */
export async function nextStep(
  { question, documents }: Extract<AgentTask, { agent: 'research' }>,
  messages: readonly BaseMessage[],
  tools: readonly string[],
  parts: ExtractiveParts,
): Promise<NextStep> {
  const results = messages.filter((message) => message.getType() === 'tool')
  const searched = (name: string) => results.some((message) => message.name === name)
  if (!searched('pdf_retrieval') && tools.includes('pdf_retrieval')) {
    const searches = questionParts(question).map((query, i) => call('pdf_retrieval', { query }, i))
    const viewed = tools.includes('document_overview') ? await documentsToView(question, documents, parts) : []
    return { calls: [...searches, ...(viewed.length > 0 ? [call('document_overview', { documents: viewed }, 0)] : [])] }
  }
  const found = results.reduce((sum, message) => sum + observationsIn(message), 0)
  if (found === 0 && !searched('web_search') && tools.includes('web_search')) {
    return { calls: [call('web_search', { query: question }, 0)] }
  }
  if (found === 0) return { text: 'The search found no passage on this question.' }
  return { text: `The search found ${found} ${found === 1 ? 'passage' : 'passages'} on this question.` }
}

function call(name: string, args: Call['args'], index: number): Call {
  return { id: `${name}-${index + 1}`, name, args }
}

function observationsIn(message: BaseMessage): number {
  const { artifact } = message as { artifact?: { observations?: readonly unknown[] } }
  return artifact?.observations?.length ?? 0
}
