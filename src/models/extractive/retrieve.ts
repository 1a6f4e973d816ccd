import { type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { questionParts } from './question-parts.ts'

export interface Call {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** What research does next: calls to make, or a closing word. */
export type NextStep = { readonly calls: readonly Call[] } | { readonly text: string }

/**
 * A best passage below this holds little of the question. On development questions of XQuAD and COVID-QA, what a wider
 * search adds then puts no sentence in the place of a better one.
 */
const LITTLE = 0.3

/**
 * Searches the documents once for each part of the question, and once more, wider, if that found little; then, if they
 * held nothing and the web may be searched, the web; then ends.
 */
export function nextStep(question: string, messages: readonly BaseMessage[], tools: readonly string[]): NextStep {
  const results = messages.filter((message) => message.getType() === 'tool')
  const searched = (name: string) => results.some((message) => message.name === name)
  if (!searched('pdf_retrieval') && tools.includes('pdf_retrieval')) {
    return { calls: questionParts(question).map((query, i) => call('pdf_retrieval', query, i)) }
  }
  const observations = results.flatMap(observationsIn)
  const found = new Set(observations.map(({ passageId }) => passageId)).size
  const searchedWider = results.some((message) => idOf(message) === WIDER_CALL)
  const holdsLittle = found > 0 && observations.every(({ score }) => score < LITTLE)
  if (holdsLittle && searched('pdf_retrieval') && !searchedWider && !searched('web_search')) {
    return { calls: [{ id: WIDER_CALL, name: 'pdf_retrieval', args: { query: question, wider: true } }] }
  }
  if (found === 0 && !searched('web_search') && tools.includes('web_search')) {
    return { calls: [call('web_search', question, 0)] }
  }
  if (found === 0) return { text: 'The search found no passage on this question.' }
  return { text: `The search found ${found} ${found === 1 ? 'passage' : 'passages'} on this question.` }
}

function call(name: string, query: string, index: number): Call {
  return { id: `${name}-${index + 1}`, name, args: { query } }
}

const WIDER_CALL = 'pdf_retrieval-wider'

function idOf(message: BaseMessage): string | undefined {
  return message instanceof ToolMessage ? message.tool_call_id : undefined
}

interface Found {
  readonly passageId: string
  readonly score: number
}

function observationsIn(message: BaseMessage): readonly Found[] {
  const { artifact } = message as { artifact?: { observations?: readonly Found[] } }
  return artifact?.observations ?? []
}
