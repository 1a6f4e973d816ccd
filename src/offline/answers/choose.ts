import type { Candidate } from '../parts/parts.ts'

/** A sentence that shares less with the question than this says something else. */
const LEAST_COVERAGE = 0.2
/** A further sentence is worth reading if it scores within so much of the first. */
const CLOSE = 0.1
/** A longer sentence, in characters, hides the answer that stands before it. */
export const LONG = 320
const SHORT = 200

/** The best sentence or row, then those that come close to it and say something else; empty if none answers. */
export function choose(ranked: readonly Candidate[]): readonly Candidate[] {
  const top = ranked[0]
  if (!top || top.coverageInContext < LEAST_COVERAGE) return []
  const first = inWords(top, ranked)
  const more = ranked.filter((each) => each !== first && isWorthAdding(each, first, top.score))
  const chosen: Candidate[] = [first]
  for (const each of more) if (!chosen.some((other) => isSame(each, other))) chosen.push(each)
  return chosen
}

/** Without those that stand in the same passage as an earlier one and say nothing beyond it. */
export function withoutRepeats(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(
    (each, i) => !candidates.slice(0, i).some((other) => other.id === each.id && isSame(each, other)),
  )
}

/** A sentence that gives one of the figures of the best row is easier to read. */
function inWords(top: Candidate, ranked: readonly Candidate[]): Candidate {
  const figures = (top.row?.values ?? []).map(({ value }) => value).filter((value) => /\d/.test(value))
  const saysOne = ({ text }: Candidate) => figures.some((figure) => ` ${text} `.includes(` ${figure} `))
  const sentence = ranked.find(
    (each) =>
      !each.row && each.bearsAnswer && each.coverage >= top.coverage && each.text.length <= SHORT && saysOne(each),
  )
  return sentence ?? top
}

const CAPTION = /^(?:figure|fig\.|table)\s\d+\s?[:.]/i

/** A bare row after a sentence answers something else more often than it supports. */
function isWorthAdding(candidate: Candidate, first: Candidate, best: number): boolean {
  if ((candidate.row && !first.row) || CAPTION.test(candidate.text)) return false
  return (
    best - candidate.score <= CLOSE && candidate.text.length <= LONG && (candidate.bearsAnswer || !first.bearsAnswer)
  )
}

/** One says all that the other says. */
function isSame(a: Candidate, b: Candidate): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
  const [one, other] = [plain(a.text), plain(b.text)]
  return one.includes(other) || other.includes(one)
}
