/** A question that compares two things, which may be documents. */
export interface ComparisonQuestion {
  readonly sides: readonly [string, string]
  /** What they are compared by, for instance "median latency"; empty if the question leaves it open. */
  readonly measure: string
}

const AND = '(?:and|with|to|versus|vs\\.?|against)'
const BY = '(?:in terms of|with (?:respect|regard) to|as to|regarding|concerning|in|on|by|for)'
const A = '(?<a>[^?]{1,120}?)'
const B = '(?<b>[^?]{1,120}?)'
const MEASURE = '(?:the |their |an? )?(?<measure>[^?]{1,120}?)'

const FORMS: readonly RegExp[] = [
  `compare ${MEASURE} (?:of|for|between) (?:both )?${A} ${AND} (?:(?:that|those) of )?${B}`,
  `compare ${MEASURE} in (?:both )?${A} ${AND} (?:(?:that|those) in )?${B}`,
  `compare ${A} ${AND} ${B} ${BY} ${MEASURE}`,
  `compare (?:both )?${A} ${AND} ${B}`,
  `how (?:do|does|did) (?:the )?(?<measure>[^?]{1,80}?) of ${A} compare (?:to|with) (?:(?:that|those) of )?${B}`,
  `how (?:do|does|did) ${A} (?:and|compare (?:to|with)|differ from) ${B}(?: (?:differ|compare))?(?: ${BY} ${MEASURE})?`,
  `what (?:is|are|was|were) the differences? in ${MEASURE} between ${A} and ${B}`,
  `what (?:is|are|was|were) the differences? between ${A} and ${B} ${BY} ${MEASURE}`,
  `what (?:is|are|was|were) the differences? between (?:the (?<measure>[^?]{1,80}?) of )?${A} and (?:(?:that|those) of )?${B}`,
  `which of ${A} (?:and|or) ${B} (?:is|are|was|were|has|have|had|does|do|did|use[sd]?|needs?|gives?|reports?|reach(?:es|ed)?) ${MEASURE}`,
  `(?:which|who)(?: one| of (?:the two|them|both))?(?: (?:paper|report|document|system|model|method))? (?:is|are|was|were|has|have|had|does|do|did|use[sd]?|needs?|gives?|reports?|reach(?:es|ed)?) ${MEASURE}(?:[,:;]| between) (?:between )?${A},? (?:or|and) ${B}`,
  `(?:does|do|did) ${A} (?:have|has|reach|use|need|give|report|show)s? (?:an? )?(?<measure>(?:more|less|fewer|\\p{L}+er) [^?]{1,80}?) than ${B}`,
  `(?:is|are|was|were) (?:the )?(?<measure>[^?]{1,80}?) of ${A} (?:more|less|\\p{L}+er)(?: \\p{L}+)? than (?:(?:that|those) of )?${B}`,
].map((pattern) => new RegExp(`^(?:please )?${pattern}[\\s?.!]*$`, 'iu'))

const DEGREE =
  /\b(?:the|an?|their|its|more|less|fewer|most|least|much|how|higher|highest|lower|lowest|larger|largest|smaller|smallest|greater|greatest|bigger|biggest|better|best|worse|worst|shorter|longer)\b/giu

/**
 * Reads a question that compares two things; null for every other question. Where it can be read in several ways, the
 * one is meant whose two sides are names of documents: `isName` is true for those.
 */
export function readComparison(question: string, isName: (side: string) => boolean): ComparisonQuestion | null {
  const text = question.replace(/\s+/gu, ' ').trim()
  const readings = FORMS.flatMap((form) => readingOf(form.exec(text)?.groups))
  return readings.find(({ sides }) => sides.every(isName)) ?? readings[0] ?? null
}

function readingOf(groups: Readonly<Record<string, string | undefined>> | undefined): readonly ComparisonQuestion[] {
  if (!groups?.a || !groups.b) return []
  const sides = [bareSide(groups.a), bareSide(groups.b)] as const
  const measure = (groups.measure ?? '').replace(DEGREE, ' ').replace(/\s+/gu, ' ').trim()
  // "the pages of A with the pages that B removes" compares two phrases, each with a measure of its own.
  return sides.some((side) => sharesWord(side, measure)) || haveOneMeasure(sides) ? [] : [{ sides, measure }]
}

/** "the number of papers in A" and "the number of papers that B read". */
function haveOneMeasure(sides: readonly [string, string]): boolean {
  const [one, other] = sides.map((side) => /^(?:the\s+)?(\p{L}+) of\b/iu.exec(side)?.[1]?.toLowerCase())
  return one !== undefined && one === other
}

function bareSide(side: string): string {
  return side
    .replace(/^(?:both|that of|those of)\s+/iu, '')
    .replace(/['’]s$/u, '')
    .trim()
}

function sharesWord(side: string, measure: string): boolean {
  const wordsOf = (text: string) => new Set<string>(text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu))
  const measured = wordsOf(measure)
  return [...wordsOf(side)].some((word) => measured.has(word))
}
