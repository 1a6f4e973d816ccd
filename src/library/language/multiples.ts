import { numbersIn } from './numbers.ts'

/**
 * The multiples and rough amounts of a sentence ("tripled", "half of", "hundreds of thousands"), as written, that none
 * of the quotes bears out: by the same words, by a figure that is so large, or by two figures that are so far apart.
 * English only.
 */
export function unsupportedMultiples(sentence: string, quotes: readonly string[]): readonly string[] {
  const quoted = quotes.join('\n')
  const values = numbersIn(quoted).flatMap(({ value, also }) => [value, ...also].map(Math.abs))
  const factors = FACTORS.filter(({ said, borneBy, factor }) => {
    return said.test(sentence) && !borneBy.test(quoted) && !isFactorOf(values, factor)
  }).map(({ said }) => said.exec(sentence)?.[0] ?? '')
  const amounts = Array.from(sentence.matchAll(AMOUNT), ([written]) => written).filter((written) => {
    const least = leastOf(written)
    const isSaid = quoted.toLowerCase().includes(written.toLowerCase())
    return !isSaid && !values.some((value) => value >= least && value < least * MOST_ABOVE)
  })
  return [...factors, ...amounts]
}

const FACTORS: readonly { readonly said: RegExp; readonly borneBy: RegExp; readonly factor: number }[] = [
  {
    said: /\b(?:doubl(?:ed|es|ing)|twofold)\b/i,
    borneBy: /\b(?:doubl\w*|twice|two-?fold|two times|factor of (?:two|2))\b|\b2\s?(?:×|x|times)|\b100\s?%/i,
    factor: 2,
  },
  {
    said: /\b(?:tripl(?:ed|es|ing)|threefold|trebled)\b/i,
    borneBy:
      /\b(?:tripl\w*|threefold|trebl\w*|three times|thrice|factor of (?:three|3))\b|\b3\s?(?:×|x|times)|\b200\s?%/i,
    factor: 3,
  },
  {
    said: /\b(?:halved|half of|half the|by half|in half)\b/i,
    borneBy: /\b(?:half|halv\w*|twice|doubl\w*)\b|½|\b0\.5\b|\b(?:[45]\d|60)(?:\.\d+)?\s?(?:%|percent)/i,
    factor: 2,
  },
  {
    said: /\b(?:a quarter of|one quarter|three quarters of)\b/i,
    borneBy: /\b(?:quarters?|four times|fourths?)\b|[¼¾]|\b0\.[27]5\b|\b(?:2\d|7\d)(?:\.\d+)?\s?(?:%|percent)/i,
    factor: 4,
  },
]

/** Two figures may be a little nearer or farther apart than the word says. */
const NEARLY = 0.2
/** A page of figures holds every factor somewhere: more than so many are not looked at. */
const MOST_FIGURES = 50

function isFactorOf(values: readonly number[], factor: number): boolean {
  const looked = values.slice(0, MOST_FIGURES).filter((value) => value > 0)
  return looked.some((one) => looked.some((other) => Math.abs(other / one / factor - 1) <= NEARLY))
}

const AMOUNTS: ReadonlyMap<string, number> = new Map([
  ['tens', 10],
  ['dozens', 12],
  ['hundreds', 100],
  ['thousands', 1e3],
  ['millions', 1e6],
  ['billions', 1e9],
])
const AMOUNT = /\b(?:(?:tens|dozens|hundreds|thousands)\sof\s)?(?:dozens|hundreds|thousands|millions|billions)\b/gi
/** "Hundreds" are a few hundred, but a careful writer may say it of some thousands. */
const MOST_ABOVE = 1000

function leastOf(amount: string): number {
  return (amount.toLowerCase().match(/[a-z]+/g) ?? []).reduce((least, word) => least * (AMOUNTS.get(word) ?? 1), 1)
}
