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
 * `P1`, `P2`, … Documents come before web pages of the same score. One that does not fit is left out; of the very best,
 * as much as fits is handed over.
 */
export function packEvidence(
  observations: readonly Observation[],
  { tokens }: { readonly tokens: number },
): Evidence[] {
  const characters = tokens * charactersPerToken
  const [best, ...others] = [...observations].sort(byScore)
  if (!best) return []
  const first = beginning(best, characters)
  let left = characters - first.text.length
  const fitting = others.filter(({ text }) => {
    if (text.length > left) return false
    left -= text.length
    return true
  })
  const chosen = [first, ...fitting]
  return chosen.map((observation, index) => ({ observation, passage: passageOf(observation, `P${index + 1}`) }))
}

/** As many characters of the observation's text as fit, whole words if it has any. */
function beginning(observation: Observation, characters: number): Observation {
  const { text, start, end } = observation
  if (text.length <= characters) return observation
  const fitting = text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, '')
  const words = /^\s/.test(text.slice(characters)) ? fitting : fitting.replace(/\s\S*$/, '')
  const cut = words.trimEnd() === '' ? fitting : words.trimEnd()
  return { ...observation, text: cut, end: Math.min(end, start + cut.length) }
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
