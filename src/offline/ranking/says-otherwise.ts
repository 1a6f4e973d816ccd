import { numbersIn } from '../../library/language/numbers.ts'
import { stem } from '../../library/language/stem.ts'
import type { SentenceUnit } from './sentence-unit.ts'

/** A question, as far as it can be contradicted. */
interface Asked {
  readonly text: string
  readonly stems: readonly string[]
}

/**
 * Whether a sentence or row speaks of something else than the question by its own words: of writing where reading is
 * asked for, of another year, or of a row that begins with another figure.
 */
export function saysOtherwise(unit: SentenceUnit, asked: Asked): boolean {
  return isOfOtherYear(unit, asked.text) || saysOpposite(unit.own, asked.stems) || isOtherRow(unit, asked.text)
}

/** Words of which one excludes the other, where a sentence says just one of them. */
const OPPOSITES = `
  read/write reader/writer maximum/minimum highest/lowest largest/smallest longest/shortest most/fewest upper/lower
  increase/decrease import/export input/output upload/download buyer/seller lender/borrower employer/employee
  landlord/tenant lessor/lessee internal/external indoor/outdoor arrival/departure income/expense revenue/expenditure
  gross/net summer/winter northern/southern eastern/western north/south east/west male/female men/women boy/girl
  daily/monthly weekly/monthly daily/weekly monthly/yearly hourly/daily morning/evening advantage/disadvantage
  positive/negative success/failure numerator/denominator encoder/decoder inbound/outbound domestic/foreign
`
  .trim()
  .split(/\s+/)
  .map((pair) => pair.split('/').map((word) => stem(word)))

/** A word that follows the wanted one's opposite in the question would be asked for as well. */
function saysOpposite(said: readonly string[], asked: readonly string[]): boolean {
  const excludes = (one: string, other: string) =>
    asked.includes(one) && !asked.includes(other) && said.includes(other) && !said.includes(one)
  return OPPOSITES.some(([one = '', other = '']) => excludes(one, other) || excludes(other, one))
}

/** "in 2021", "during 2021", "2021's": not "since 2021" or "between 2019 and 2021". */
const ASKED_YEAR = /\b(?:in|during|for|of|year)\s+(?:the\s+year\s+)?((?:19|20)\d\d)\b(?!\s*[–-])/gi
const YEAR = /(?<![\p{L}\p{N}.,])(?:19|20)\d\d(?![\p{L}\p{N}%]|[.,]\d)/gu
const OF_RANGE = /\b(?:since|between|from|before|after|until|till)\b/i
/** So many characters before a year such a word belongs to it. */
const NEAR = 37

/** The sentence, or what stands above it, names other years and not the one asked for. */
function isOfOtherYear({ text, before, headings, row, passage }: SentenceUnit, question: string): boolean {
  const asked = Array.from(question.matchAll(ASKED_YEAR), ([, year]) => year ?? '')
  if (asked.length === 0 || hasRange(question)) return false
  const place = `${passage.title ?? ''} ${passage.section ?? ''}`
  const table = row ? `${row.table.caption} ${row.table.headerText} ${row.group ?? ''}` : ''
  const named = yearsIn(`${text} ${table}`)
  const isNamed = asked.some(
    (year) => named.includes(year) || headings.has(year) || before.some((sentence) => sentence.has(year)),
  )
  return !isNamed && (spans(named, asked) === false || (named.length === 0 && yearsIn(place).length > 0))
}

function hasRange(question: string): boolean {
  return Array.from(question.matchAll(/\b(?:19|20)\d\d\b/g)).some(({ index }) =>
    OF_RANGE.test(
      question
        .slice(Math.max(0, index - NEAR), index)
        .split('?')
        .at(-1) ?? '',
    ),
  )
}

function yearsIn(text: string): readonly string[] {
  return text.match(YEAR) ?? []
}

/** Whether the years stand on both sides of those asked for, as those of a period do; null for no years. */
function spans(named: readonly string[], asked: readonly string[]): boolean | null {
  if (named.length === 0) return null
  return asked.some((year) => named.some((each) => each < year) && named.some((each) => each > year))
}

const MEASURED = /^\W*(\d[\d.,]*)\s?(\p{L}+)/u

/** "60 ms, every 20 ms" where "20 ms" is asked for: a row is about what it begins with. */
function isOtherRow({ row }: SentenceUnit, question: string): boolean {
  const [first, , unit] = (row && MEASURED.exec(row.label)) ?? []
  if (first === undefined) return false
  const [value] = numbersIn(first)
  const asked = Array.from(question.matchAll(/(?<![\d.,])(\d[\d.,]*)\s?(\p{L}+)/gu)).filter(
    (match) => match[2] === unit,
  )
  return (
    asked.length > 0 && !asked.some((match) => numbersIn(match[1] ?? '').some((each) => each.value === value?.value))
  )
}
