/** Signs around the digits of a number. */
const SIGNS = /['"\\$€£¥%(),[\]]/g
const NUMERAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/

/** What a word for a scale multiplies by; 1 for any other. */
export function scaleOf(words: string): number {
  const found = scales.find(([name]) => words.toLowerCase().includes(name))
  return found?.[1] ?? 1
}

const scales = [
  ['hundred', 100],
  ['thousand', 1000],
  ['million', 1e6],
  ['billion', 1e9],
  ['percent', 0.01],
] as const

/** Whether a text begins with a number, which only a scale may follow: "$1.8 million". */
export function isNumber(text: string): boolean {
  const [first, second] = text
    .split(/\s+/)
    .map((word) => word.replaceAll(SIGNS, ''))
    .filter((word) => word !== '')
  return first !== undefined && NUMERAL.test(first.toLowerCase()) && (second === undefined || scaleOf(second) !== 1)
}

/** The first number of a text with its scale, "(12)" negative and "12 %" a share; null for none. */
export function numberIn(text: string): { readonly value: number; readonly isWhole: boolean } | null {
  const [found] = /[+-]?\d+(?:\.\d+)?|[+-]?\.\d+/.exec(text.replaceAll(SIGNS, '')) ?? []
  if (found === undefined || /^[+-]?\./.test(found)) return null
  const sign = /\([\d.\s]+\)/.test(text) ? -1 : 1
  const share = /[\d.\s]%/.test(text) ? 0.01 : 1
  const scale = scaleOf(/[\d.]\s?[a-z]+/i.exec(text)?.[0] ?? '')
  const isWhole = !found.includes('.') && share === 1 && scale !== 0.01
  return { value: rounded(Number(found) * scale * sign * share, 4), isWhole }
}

/** Rounds to so many decimals; what lies exactly between two goes to the even one. */
export function rounded(value: number, decimals: number): number {
  const between = value * 2 ** (decimals + 1)
  const isBetween = Number.isInteger(between) && between % 2 !== 0
  if (!isBetween) return Number(value.toFixed(decimals))
  return (2 * Math.round((value * 10 ** decimals) / 2)) / 10 ** decimals
}
