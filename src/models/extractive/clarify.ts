import type { AgentTask } from '../model.ts'

type ClarificationTask = Extract<AgentTask, { agent: 'clarification' }>

/** One short question that names what is missing, and the documents it may be about. */
export function clarifyingQuestion({ missingContext, candidates }: ClarificationTask): string {
  const choices = orList(candidates.map((name) => `“${name}”`))
  const missing = missingContext[0] ?? 'what you would like to know'
  if (missing === 'which document is meant' && choices) return `Which document do you mean: ${choices}?`
  const question = `Could you tell me ${missing}?`
  return choices ? `${question.slice(0, -1)}? It may concern ${choices}.` : question
}

function orList(items: readonly string[]): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`
}
