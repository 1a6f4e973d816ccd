import type { BaseMessage } from '@langchain/core/messages'
import { questionParts } from './question-parts.ts'

export interface Call {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** What research does next: calls to make, or a closing word. */
export type NextStep = { readonly calls: readonly Call[] } | { readonly text: string }

/**
 * Searches the documents once for each part of the question; then, if they held nothing and the web may be searched,
 * the web; then ends.
 */
export function nextStep(question: string, messages: readonly BaseMessage[], tools: readonly string[]): NextStep {
  const results = messages.filter((message) => message.getType() === 'tool')
  const searched = (name: string) => results.some((message) => message.name === name)
  if (!searched('pdf_retrieval') && tools.includes('pdf_retrieval')) {
    return { calls: questionParts(question).map((query, i) => call('pdf_retrieval', query, i)) }
  }
  const found = results.reduce((sum, message) => sum + observationsIn(message), 0)
  if (found === 0 && !searched('web_search') && tools.includes('web_search')) {
    return { calls: [call('web_search', question, 0)] }
  }
  if (found === 0) return { text: 'The search found no passage on this question.' }
  return { text: `The search found ${found} ${found === 1 ? 'passage' : 'passages'} on this question.` }
}

function call(name: string, query: string, index: number): Call {
  return { id: `${name}-${index + 1}`, name, args: { query } }
}

function observationsIn(message: BaseMessage): number {
  const { artifact } = message as { artifact?: { observations?: readonly unknown[] } }
  return artifact?.observations?.length ?? 0
}
