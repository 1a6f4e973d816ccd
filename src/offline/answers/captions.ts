import type { EvidencePassage } from '../../events/index.ts'
import type { Candidate, ExtractiveParts } from '../parts/parts.ts'

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

/** A line of more words is no heading. */
const LONGEST_HEADING = 12

const SHORT = 6
/** "(Address of principal offices)": the label of a field in a form. */
const IN_BRACKETS = /^\([^()]{1,80}\)\.?$/

/**
 * Leaves out what answers nothing by itself: headings that stand in the text, announcements of what stands elsewhere,
 * labels in brackets, and short lines that say no word that the question does not say.
 */
export function withoutEmptyLines(
  ranked: readonly Candidate[],
  question: string,
  { readQuestion, contentStems }: Pick<ExtractiveParts, 'readQuestion' | 'contentStems'>,
): readonly Candidate[] {
  const asked = new Set(readQuestion(question).stems)
  const saysNothing = ({ text }: Candidate) =>
    text.endsWith(':') ||
    IN_BRACKETS.test(text) ||
    (text.split(/\s+/).length <= SHORT && contentStems(text).every((word) => asked.has(word)))
  return ranked.filter((each) => each.row !== null || (!isHeading(each.text) && !saysNothing(each)))
}

/** In capitals and without a full stop: "B. ROLE OF THE TRUSTEE". */
function isHeading(line: string): boolean {
  const letters = line.match(/\p{L}/gu) ?? []
  const capitals = line.match(/\p{Lu}/gu) ?? []
  const words = line.split(/\s+/).length
  return words > 1 && words <= LONGEST_HEADING && !/[.!?]$/.test(line) && capitals.length > 0.8 * letters.length
}
