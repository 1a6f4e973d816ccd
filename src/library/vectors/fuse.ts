import type { RankedPassage } from '../search/rank-passages.ts'

/** Of Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet" (SIGIR 2009). */
const RRF_K = 60

/**
 * Joins two ranked lists by reciprocal rank fusion, which needs no scale that both share. Each passage keeps the better
 * of its two scores.
 */
export function fuse(first: readonly RankedPassage[], second: readonly RankedPassage[]): readonly RankedPassage[] {
  if (second.length === 0) return first
  const fused = new Map<string, { passage: RankedPassage; weight: number }>()
  for (const list of [first, second]) {
    list.forEach((passage, at) => {
      const { passageId } = passage.passage
      const known = fused.get(passageId)
      const score = Math.max(passage.score, known?.passage.score ?? 0)
      const weight = (known?.weight ?? 0) + 1 / (RRF_K + at + 1)
      fused.set(passageId, { passage: { ...(known?.passage ?? passage), score }, weight })
    })
  }
  return [...fused.values()].sort((a, b) => b.weight - a.weight).map(({ passage }) => passage)
}
