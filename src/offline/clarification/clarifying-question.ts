import type { AgentTask } from '../../models/index.ts'
import { WHICH_DOCUMENT } from './vagueness.ts'

type ClarificationTask = Extract<AgentTask, { agent: 'clarification' }>

/** One short question that names what is missing, and the documents it may be about. */
export function clarifyingQuestion({ missingContext, candidates }: ClarificationTask): string {
  const names = [...new Set(shortNames(candidates))]
  // One choice is none.
  const choices = names.length > 1 ? orList(names) : ''
  const missing = missingContext[0] ?? 'what you would like to know'
  if (missing === WHICH_DOCUMENT && choices) return `Which document do you mean: ${choices}?`
  return choices ? `Could you tell me ${missing}, perhaps ${choices}?` : `Could you tell me ${missing}?`
}

const KNOWN_BY = /^(.+?)(\s\([^()]*\))?$/s

/** Titles in quotes, without their subtitles where they differ all the same; then author and year. */
function shortNames(candidates: readonly string[]): readonly string[] {
  const parts = candidates.map((candidate) => {
    const [, title = candidate, knownBy = ''] = KNOWN_BY.exec(candidate) ?? []
    return { title, short: shortTitle(title), knownBy }
  })
  return parts.map(({ title, short, knownBy }) => {
    const isUnique = parts.filter((other) => other.short === short).length === 1
    return `“${isUnique ? short : title}”${knownBy}`
  })
}

function shortTitle(title: string): string {
  const [main = title] = title.split(/:\s/)
  return main.length >= 3 ? main : title
}

function orList(items: readonly string[]): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`
}
