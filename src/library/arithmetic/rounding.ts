import { compare, type Fraction, fraction, magnitude, minus, times } from './fraction.ts'

type Rounding = 'near' | 'below' | 'above'

/** Words before a number that call it a rounded one, and what they say of the real number. */
const ROUNDED: readonly (readonly [words: readonly string[], means: Rounding])[] = [
  rounded(
    'near',
    `about around roughly approximately some circa close_to approx approx. ca ca. ~ ≈ ∼ rund etwa ungefähr zirka annähernd
     environ près_de à_peu_près quelque alrededor_de aproximadamente unos unas cerca_de`,
  ),
  rounded(
    'below',
    'nearly almost under below less_than fewer_than fast knapp weniger_als presque moins_de casi menos_de',
  ),
  rounded('above', 'over above more_than über mehr_als gut plus_de más_de'),
]

function rounded(means: Rounding, words: string): readonly [words: readonly string[], means: Rounding] {
  return [words.split(/\s+/).map((word) => word.replaceAll('_', ' ')), means]
}

/** The rounding that the words directly before a number say; null if they say none. */
export function roundingBefore(before: string): Rounding | null {
  const text = before
    .toLowerCase()
    .replace(/(?:us)?[$€£¥]$/, '')
    .trimEnd()
  const endsWith = (word: string) => text.endsWith(word) && !/\p{L}$/u.test(text.slice(0, -word.length))
  return ROUNDED.find(([words]) => words.some(endsWith))?.[1] ?? null
}

/** Whether a number may be shown as this one, in steps of its last digit. */
export function isShownAs(
  real: Fraction,
  shown: Fraction,
  step: Fraction,
  rounding: 'near' | 'below' | 'above',
): boolean {
  const off = minus(real, shown)
  if (rounding === 'near') return compare(times(magnitude(off), fraction(2n)), step) <= 0
  const isRightSide = rounding === 'below' ? compare(off, fraction(0n)) < 0 : compare(off, fraction(0n)) > 0
  return isRightSide && compare(magnitude(off), step) <= 0
}
