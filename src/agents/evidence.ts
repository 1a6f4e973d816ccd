import type { EvidencePassage } from '../models/model.ts'
import type { Observation } from '../tools/tool.ts'

/** A passage as the model sees it, and the observation behind its handle. */
export interface Evidence {
  readonly passage: EvidencePassage
  readonly observation: Observation
}

/** Rough and fast; no tokenizer is ever fetched. */
const charactersPerToken = 4

/**
 * Chooses the best observations that fit into the budget, best first, and gives each a handle for this run:
 * `P1`, `P2`, … Documents come before web pages of the same score.
 */
export function packEvidence(
  observations: readonly Observation[],
  { tokens }: { readonly tokens: number },
): Evidence[] {
  let left = tokens * charactersPerToken
  const chosen = [...observations].sort(byScore).filter(({ text }, index) => {
    left -= text.length
    return left >= 0 || index === 0
  })
  return chosen.map((observation, index) => ({ observation, passage: passageOf(observation, `P${index + 1}`) }))
}

/** The passages for a prompt, each fenced and told apart from what surrounds it. */
export function formatEvidence(evidence: readonly Evidence[]): string {
  return evidence.map(({ passage }) => formatPassage(passage)).join('\n\n')
}

function formatPassage({ id, title, source, year, page, section, origin, text }: EvidencePassage): string {
  const attributes = [
    `id="${id}"`,
    `document="${attribute(title ?? source)}"`,
    ...(year ? [`year="${year}"`] : []),
    `page="${page}"`,
    ...(section ? [`section="${attribute(section)}"`] : []),
    `from="${origin}"`,
  ]
  return `<passage ${attributes.join(' ')}>\n${fence(text)}\n</passage>`
}

/** Text that would close its own fence, or open another, loses that power; quotes are found all the same. */
function fence(text: string): string {
  return text.replace(/<(\/?)(passage|cite|abstain)/gi, '‹$1$2')
}

function attribute(text: string): string {
  return fence(text).replaceAll('"', '”').replace(/\s+/g, ' ')
}

function byScore(a: Observation, b: Observation): number {
  return b.score - a.score || a.origin.localeCompare(b.origin)
}

function passageOf(observation: Observation, id: string): EvidencePassage {
  const { documentId, title, source, year, page, section, kind, origin, text, score } = observation
  return { id, documentId, title, source, year, page, section, kind, origin, text, score }
}
