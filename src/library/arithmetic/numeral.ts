/** The mark before decimals; the other one, apostrophes and narrow spaces group thousands. */
export type DecimalMark = '.' | ','

/** A run of digits and the marks between them. */
export interface Numeral {
  readonly end: number
  /** Plain digits with a decimal point; null if the run is no number in this notation. */
  readonly digits: string | null
}

const longestNumeral = 40

/** How a run of digits may be written. */
export interface Notation {
  readonly mark: DecimalMark
  /** Thousands may be grouped by plain spaces. */
  readonly hasSpaces: boolean
  /** Decimals may stand behind a raised point, "0·82", which multiplies in a formula. */
  readonly hasRaisedPoint: boolean
}

/** Reads the run that begins at this digit. */
export function readNumeral(text: string, from: number, notation: Notation): Numeral {
  const parts = partsOf(text, from, notation)
  const isDecimal = (separator: string | undefined) => separator === notation.mark || separator === RAISED_POINT
  const end = parts.reduce((sum, { separator, digits }) => sum + separator.length + digits.length, from)
  const hasDecimals = parts.length > 1 && isDecimal(parts.at(-1)?.separator)
  const groups = parts.slice(1, hasDecimals ? -1 : undefined)
  const isNumber = groups.every(({ separator, digits }) => !isDecimal(separator) && digits.length === 3)
  if (!isNumber || end - from > longestNumeral) return { end, digits: null }
  const whole = [parts[0], ...groups].map((part) => part?.digits ?? '').join('')
  return { end, digits: hasDecimals ? `${whole}.${parts.at(-1)?.digits}` : whole }
}

interface Part {
  readonly separator: string
  readonly digits: string
}

function partsOf(text: string, from: number, { hasSpaces, hasRaisedPoint }: Notation): readonly Part[] {
  const parts: Part[] = [{ separator: '', digits: digitsAt(text, from) }]
  let end = from + (parts[0]?.digits.length ?? 0)
  for (;;) {
    const separator = text.charAt(end)
    const digits = digitsAt(text, end + 1)
    const isGrouped = hasSpaces && separator === ' ' && digits.length === 3 && (parts[0]?.digits.length ?? 0) <= 3
    const isPoint =
      hasRaisedPoint && separator === RAISED_POINT && !/[⁰¹²³⁴-⁹⁻]/u.test(text.charAt(end + 1 + digits.length))
    const joins = SEPARATORS.includes(separator) || isGrouped || isPoint
    if (digits === '' || separator === '' || !joins) return parts
    parts.push({ separator, digits })
    end += 1 + digits.length
  }
}

const RAISED_POINT = '·'
const SEPARATORS = ".,'’\u00a0\u2009\u202f"

function digitsAt(text: string, at: number): string {
  let end = at
  while (isDigit(text.charAt(end))) end += 1
  return text.slice(at, end)
}

/** Where the next digit stands; -1 if there is none. */
export function nextDigit(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) if (isDigit(text.charAt(at))) return at
  return -1
}

function isDigit(character: string): boolean {
  return character !== '' && character >= '0' && character <= '9'
}

/**
 * Which mark stands before decimals in a text, by the numbers that can be read in one way only ("603,5", "1.234.567",
 * "3.17"); null if none shows it.
 */
export function decimalMarkOf(text: string): DecimalMark | null {
  const votes = Array.from(text.matchAll(/\d[\d.,]*/g), ([run]) => voteOf(run)).reduce((sum, vote) => sum + vote, 0)
  return votes === 0 ? null : votes > 0 ? '.' : ','
}

/** 1 for a decimal point, -1 for a decimal comma, 0 for neither. */
function voteOf(run: string): number {
  const groups = run.split(/[.,]/).filter((group) => group !== '')
  const marks = run.replace(/\d/g, '').slice(0, groups.length - 1)
  if (marks === '') return 0
  const last = marks.endsWith('.') ? 1 : -1
  if (new Set(marks).size === 2) return last
  if (marks.length > 1) return -last
  return groups.at(-1)?.length !== 3 || run.startsWith('0') ? last : 0
}
