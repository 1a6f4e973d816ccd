/** A question that compares two things, which may be documents. */
export interface ComparisonQuestion {
  readonly sides: readonly [string, string]
  /** What they are compared by, for instance "median latency"; empty if the question leaves it open. */
  readonly measure: string
}

type Slot = 'a' | 'b' | 'measure'

/** How such a question begins, then what follows, each with the words that end it. */
interface Form {
  readonly opens: RegExp
  readonly slots: readonly { readonly slot: Slot; readonly ends: RegExp }[]
  readonly measure?: RegExp
}

const AND = ' (?:and|with|to|versus|vs\\.?|against) '
const BY = '(?:in terms of|with (?:respect|regard) to|as to|regarding|concerning|in|on|by|for)'
const DIFFERENCE = 'what (?:is|are|was|were) the differences?'
const HAS = '(?:is|are|was|were|has|have|had|does|do|did|use[sd]?|needs?|gives?|reports?|reach(?:es|ed)?)'

const form = (opens: string, slots: readonly (readonly [Slot, string?])[], more: Pick<Form, 'measure'> = {}): Form => ({
  opens: new RegExp(`^(?:please )?${opens} `, 'i'),
  slots: slots.map(([slot, ends = '$']) => ({ slot, ends: new RegExp(ends, 'iu') })),
  ...more,
})

const FORMS: readonly Form[] = [
  form('compare', [['measure', ' (?:of|for|between) '], ['a', AND], ['b']]),
  form('compare', [['measure', ' in '], ['a', AND], ['b']]),
  form('compare', [['a', AND], ['b', ` ${BY} `], ['measure']]),
  form('compare', [['a', AND], ['b']]),
  form('how (?:do|does|did)', [['measure', ' of '], ['a', ' compare (?:to|with) '], ['b']]),
  form('how (?:do|does|did)', [
    ['a', ' (?:and|compare (?:to|with)|differ from) '],
    ['b', ` (?:differ|compare)(?: ${BY} |$)| ${BY} |$`],
    ['measure'],
  ]),
  form(`${DIFFERENCE} in`, [['measure', ' between '], ['a', ' and '], ['b']]),
  form(`${DIFFERENCE} between`, [['a', ' and '], ['b', ` ${BY} `], ['measure']]),
  form(`${DIFFERENCE} between the`, [['measure', ' of '], ['a', ' and '], ['b']]),
  form(`${DIFFERENCE} between`, [['a', ' and '], ['b']]),
  form('which of', [['a', ' (?:and|or) '], ['b', ` ${HAS} `], ['measure']]),
  form(`(?:which|who)(?: one| of (?:the two|them|both))?(?: (?:paper|report|document|system|model|method))? ${HAS}`, [
    ['measure', '(?:[,:;]| between) (?:between )?'],
    ['a', ',? (?:or|and) '],
    ['b'],
  ]),
  form('(?:does|do|did)', [['a', ' (?:have|has|reach|use|need|give|report|show)s? '], ['measure', ' than '], ['b']], {
    measure: /^(?:an? )?(?:more|less|fewer|\p{L}+er) /iu,
  }),
  form('(?:is|are|was|were)', [['measure', ' of '], ['a', ' (?:more|less|\\p{L}+er)(?: \\p{L}+)? than '], ['b']]),
]

/** A question of more characters compares no two things, nor does one with a longer part. */
const LONGEST_QUESTION = 500
const LONGEST_PART = 120

const DEGREE =
  /\b(?:the|an?|their|its|more|less|fewer|most|least|much|how|higher|highest|lower|lowest|larger|largest|smaller|smallest|greater|greatest|bigger|biggest|better|best|worse|worst|shorter|longer)\b/giu

/**
 * Reads a question that compares two things; null for every other question. Where it can be read in several ways, the
 * one is meant whose two sides are names of documents: `isName` is true for those.
 */
export function readComparison(question: string, isName: (side: string) => boolean): ComparisonQuestion | null {
  if (question.length > LONGEST_QUESTION) return null
  const text = question.replace(/\s+/gu, ' ').replace(/[\s?.!]{1,20}$/, '')
  const readings = FORMS.flatMap((each) => readingOf(partsIn(text.trim(), each)))
  return readings.find(({ sides }) => sides.every(isName)) ?? readings[0] ?? null
}

type Parts = Readonly<Partial<Record<Slot, string>>>

/** Each part up to the first words that end it; null where they are missing. */
function partsIn(question: string, { opens, slots, measure }: Form): Parts | null {
  const opening = opens.exec(question)?.[0]
  let rest = opening === undefined ? '' : question.slice(opening.length)
  const parts: Partial<Record<Slot, string>> = {}
  for (const { slot, ends } of slots) {
    const end = ends.exec(rest)
    if (!end) return null
    parts[slot] = rest.slice(0, end.index)
    rest = rest.slice(end.index + end[0].length)
  }
  const fits = measure?.test(parts.measure ?? '') ?? true
  return fits && Object.values(parts).every(isReadable) ? parts : null
}

function isReadable(part: string): boolean {
  return part.length <= LONGEST_PART && !part.includes('?')
}

function readingOf(parts: Parts | null): readonly ComparisonQuestion[] {
  if (!parts?.a || !parts.b) return []
  const sides = [bareSide(parts.a), bareSide(parts.b)] as const
  const measure = (parts.measure ?? '').replace(DEGREE, ' ').replace(/\s+/gu, ' ').trim()
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
    .replace(/^(?:both|that of|those of|that in|those in) /i, '')
    .replace(/['’]s$/u, '')
    .trim()
}

function sharesWord(side: string, measure: string): boolean {
  const wordsOf = (text: string) => new Set<string>(text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu))
  const measured = wordsOf(measure)
  return [...wordsOf(side)].some((word) => measured.has(word))
}
