/** Units by name, as a pattern of how they are written behind a number. */
const UNITS = String.raw`
  point: percentage[\s-]points?|%[\s-]points?|pp|points?|pts, percent: %|percent|per\scent,
  nanosecond: ns|nanoseconds?, microsecond: [µμ]s|microseconds?, millisecond: ms|msecs?|milliseconds?,
  second: s|secs?|seconds?, minute: mins?|minutes?, hour: h|hrs?|hours?, day: days?, week: weeks?, month: months?,
  year: years?|yrs?, byte: bytes?, kilobyte: kB|KB|KiB|kilobytes?, megabyte: MB|MiB|megabytes?,
  gigabyte: GB|GiB|gigabytes?, terabyte: TB|TiB|terabytes?, millimetre: mm, centimetre: cm,
  kilometre: km|kilomet(?:re|er)s?, mile: miles?, milligram: mg|milligrams?, kilogram: kg|kilograms?, kilohertz: kHz,
  megahertz: MHz, gigahertz: GHz, degree Celsius: °\s?C, degree Fahrenheit: °\s?F, dollar: dollars?|USD|US\$,
  euro: euros?|EUR|€, pound: GBP, times: ×|x|times|-?fold`
  .trim()
  .split(/,\s+/)
  .map((unit) => unit.split(': '))
const AFTER = new RegExp(
  String.raw`[\s-]?(?:${UNITS.map(([, written]) => `(${written})`).join('|')})(?![\p{L}\p{N}])`,
  'uy',
)
const SYMBOLS: Readonly<Record<string, string>> = { $: 'dollar', '€': 'euro', '£': 'pound', '¥': 'yen' }

/** The unit that stands behind a number which ends here; null if none is known. */
export function unitAfter(text: string, end: number): string | null {
  AFTER.lastIndex = end
  const groups = AFTER.exec(text)?.slice(1) ?? []
  return UNITS[groups.findIndex((group) => group !== undefined)]?.[0] ?? null
}

/** The currency whose sign stands before a number; null if none does. */
export function unitBefore(text: string, start: number): string | null {
  const before = text.slice(Math.max(0, start - 2), start).trim()
  return SYMBOLS[before.slice(-1)] ?? null
}

const ZEROS = ['\u0660', '\u06f0', '\u0966', '\u09e6', '\u0e50', '\uff10'].map((zero) => zero.charCodeAt(0))

/**
 * The text, character for character, with the digits of other scripts and full-width forms as 0 to 9. Raised digits
 * stay as they are, since "10⁶" is not 106.
 */
export function plainDigits(text: string): string {
  if (!/[^ -~\s]/.test(text)) return text
  return text.replace(
    /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59\uff05\uff0b-\uff19]/g,
    (character) => {
      const code = character.charCodeAt(0)
      const zero = ZEROS.find((each) => code >= each && code < each + 10)
      return zero === undefined ? String.fromCharCode(code - 0xfee0) : String(code - zero)
    },
  )
}
