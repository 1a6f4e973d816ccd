const OTHER_DIGITS = /[^\P{N}\d⁰¹²³⁴-⁹₀-₉¼-¾⅐-⅞]+/gu
/** Raised or lowered digits that belong to no power, unit, formula or footnote: a word of their own, or too many. */
const RAISED = /(?<!\S)[⁰¹²³⁴-⁹₀-₉]+|(?<!\d)[⁰¹²³⁴-⁹₀-₉]{3,}/gu
const POWER_OF_TEN = /(?<![\p{L}\p{N}.,])\d+(?:\.\d+)?e[+-]?\d{1,2}(?![\p{L}\p{N}])/giu
const ROMAN = /[\u2160-\u216b]/gu

/** The text with its numbers in plain digits, however they were typed: "𝟗𝟗", "²⁴⁰⁰", "⑨", "Ⅻ" and "240e3"; "10⁶" stays. */
export function withPlainNumbers(text: string): string {
  return text
    .replace(ROMAN, (numeral) => String(numeral.charCodeAt(0) - 0x215f))
    .replace(OTHER_DIGITS, (digits) => digits.normalize('NFKC'))
    .replace(RAISED, (digits) => digits.normalize('NFKC'))
    .replace(POWER_OF_TEN, (written) => String(Number(written)))
}
