import { tokens } from '../language/terms.ts'

/** The periods that a query names: "FY2022", "Q1 2026", "2023Q2". */
export interface AskedPeriods {
  /** In four digits, the earliest first. */
  readonly years: readonly string[]
  /** Quarters and halves: `q1`, `h2`. */
  readonly parts: readonly string[]
  /** Its words that say so, folded, besides plain years. */
  readonly words: ReadonlySet<string>
}

const PART = '[qh][1-4]|[1-4][qh]'
/** A year with what is written together with it. Two digits are a year behind the mark of a fiscal year alone. */
const YEAR = new RegExp(`^(?:\\p{L}{1,3}|${PART})?((?:19|20)\\d\\d)(?:${PART})?$`, 'u')
const SHORT_YEAR = /^fy(\d\d)$/
const PART_OF_YEAR = new RegExp(`^(?:(?:fy)?(?:19|20)\\d\\d)?(${PART})(?:(?:fy)?(?:19|20)\\d\\d)?$`)

export function periodsIn(query: string): AskedPeriods {
  const years = new Set<string>()
  const parts = new Set<string>()
  const words = new Set<string>()
  for (const { word } of tokens(query)) {
    const year = YEAR.exec(word)?.[1] ?? century(SHORT_YEAR.exec(word)?.[1])
    const part = PART_OF_YEAR.exec(word)?.[1]
    if (year) years.add(year)
    if (part) parts.add(part.replace(/^(\d)(\D)$/, '$2$1'))
    if ((year && word !== year) || part || word === 'fy') words.add(word)
  }
  return { years: [...years].sort(), parts: [...parts].sort(), words }
}

function century(digits: string | undefined): string | undefined {
  return digits && `20${digits}`
}
