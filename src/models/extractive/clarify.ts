import type { AgentTask } from '../model.ts'
import { WHICH_DOCUMENT } from './vagueness.ts'

type ClarificationTask = Extract<AgentTask, { agent: 'clarification' }>

/** One short question that names what is missing, and the documents it may be about. */
export function clarifyingQuestion({ missingContext, candidates }: ClarificationTask): string {
  const choices = orList(shortNames(candidates).map((name) => `“${name}”`))
  const missing = missingContext[0] ?? 'what you would like to know'
  if (missing === WHICH_DOCUMENT && choices) return `Which document do you mean: ${choices}?`
  return choices ? `Could you tell me ${missing}, perhaps ${choices}?` : `Could you tell me ${missing}?`
}

/** Titles without their subtitles, where these are not what tells them apart. */
function shortNames(names: readonly string[]): readonly string[] {
  const short = names.map(shortName)
  return new Set(short).size === names.length ? short : names
}

/** A title without its subtitle. */
function shortName(name: string): string {
  const [main = name] = name.split(/:\s/)
  return main.length >= 3 ? main : name
}

function orList(items: readonly string[]): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`
}
