import { describe, expect, it } from 'vitest'
import type { Located } from '../../../../src/answers/quotes/locate-quotes.ts'
import { wholeQuotes } from '../../../../src/answers/quotes/whole-quotes.ts'
import { evidenceOf, observation } from '../../agents/observation.ts'

const page = [
  'The trial ran in Lund.',
  'Of all 971 positive children, 890 were 4 years old or younger.',
  'Children under 6 months were the most susceptible, with a rate of 14.8%.',
  'Nothing else was measured by the wardens of the second station in that winter.',
].join(' ')
const evidence = evidenceOf(observation({ documentId: 'a', text: page, start: 0 }))

function quoted(words: string): Located {
  const start = page.indexOf(words)
  const { title, source, section } = { title: null, source: 'a.md', section: null }
  const place = { documentId: 'a', title, source, section, page: 1, start, end: start + words.length }
  return { ...place, quote: words, verified: true, label: 'a', passage: 'P1' }
}

const whole = async (claim: string, ...quotes: readonly string[]) => {
  const found = await wholeQuotes(claim, quotes.map(quoted), { evidence, pageTextOf: async () => page })
  for (const { quote, start, end } of found) expect(page.slice(start, end)).toBe(quote)
  return found.map(({ quote }) => quote)
}

describe('a quote', () => {
  it('becomes its whole sentence where this has more of the claim', { tags: ['Q1'] }, async () => {
    const claim = 'Children under 6 months were the most susceptible, at 14.8%.'
    const sentence = 'Children under 6 months were the most susceptible, with a rate of 14.8%.'
    expect(await whole(claim, 'were the most susceptible')).toEqual([sentence])
  })

  it('takes in the sentence beside it that has a figure of the claim, and no further one', {
    tags: ['Q1'],
  }, async () => {
    const claim = 'Of 971 positive children 890 were 4 or younger, and those under 6 months the most susceptible.'
    const [quote] = await whole(claim, 'Children under 6 months were the most susceptible')
    expect(quote).toMatch(/^Of all 971 positive children, .* 14\.8%\.$/)
  })

  it('stays as it was copied where it has all that the passage says of the claim, or another quote has the rest', async () => {
    expect(await whole('It ran in Lund.', 'ran in Lund')).toEqual(['ran in Lund'])
    const claim = 'Of 971 positive children, 890 were young, and those under 6 months the most susceptible.'
    const both = ['Of all 971 positive children, 890 were', 'Children under 6 months were the most susceptible']
    expect(await whole(claim, ...both)).toEqual(both)
  })

  it('grows no longer than a footnote can be read', async () => {
    const long = Array.from({ length: 40 }, (_, at) => `Station ${at + 100} measured ${at + 300} litres of rain.`)
    const text = long.join(' ')
    const claim = `All measured: ${long.map((_, at) => at + 300).join(', ')}.`
    const start = text.indexOf('Station 120')
    const first = { ...quoted('ran in Lund'), quote: 'Station 120', start, end: start + 11 }
    const sources = {
      evidence: evidenceOf(observation({ documentId: 'a', text, start: 0 })),
      pageTextOf: async () => text,
    }
    const [longer] = await wholeQuotes(claim, [first], sources)
    expect(longer?.quote.length).toBeGreaterThan(300)
    expect(longer?.quote.length).toBeLessThanOrEqual(1_000)
  })
})
