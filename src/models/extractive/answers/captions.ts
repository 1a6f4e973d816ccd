import type { EvidencePassage } from '../../model.ts'
import type { Candidate } from '../parts.ts'

const NUMBERED = /^\W{0,3}(?:table|tab\.)\s+(?:[a-z]\.?)?(?:\d+|[ivx]+)(?:\.\d+)*\s*[:.|–—-]?\s*/i

/**
 * Leaves out the captions of tables that have a row which holds more of the question: what the caption announces
 * stands there.
 */
export function withoutCaptions(
  ranked: readonly Candidate[],
  evidence: readonly EvidencePassage[],
): readonly Candidate[] {
  const tables = new Map(evidence.filter(({ kind }) => kind === 'table').map(({ id, text }) => [id, text]))
  return ranked.filter((each) => {
    const isCaption = !each.row && begins(each.text, tables.get(each.id))
    return !isCaption || !ranked.some(({ id, row, coverage }) => id === each.id && row && coverage > each.coverage)
  })
}

/** The name of the table, or the first sentence behind it. */
function begins(sentence: string, table: string | undefined): boolean {
  const name = NUMBERED.exec(table ?? '')?.[0]
  return name !== undefined && (table ?? '').indexOf(sentence) <= name.length
}
