import { describe, expect, it } from 'vitest'
import { type Gold, pageOf } from '../../../bench/tatqa/contexts.ts'
import { rounded } from '../../../bench/tatqa/numbers.ts'
import { predictionIn } from '../../../bench/tatqa/prediction.ts'
import { score } from '../../../bench/tatqa/score.ts'

const span = (answer: readonly string[], scale: Gold['scale'] = ''): Gold => ({ answer, answer_type: 'span', scale })
const computed = (answer: number, scale: Gold['scale'] = ''): Gold => ({ answer, answer_type: 'arithmetic', scale })
const right = { exact: 1, f1: 1 }
const wrong = { exact: 0, f1: 0 }

describe('the score of an answer over tables', () => {
  it('takes a number in any form that says the same with its scale', () => {
    for (const said of ['3,290 thousand', '$3,290 thousand', '$3.29 million', '3290000']) {
      expect(score(computed(3290, 'thousand'), [said]), said).toEqual(right)
    }
    expect(score(span(['$1.8 million']), ['1,800 thousand'])).toEqual(right)
    expect(score(span(['$ 19,694'], 'million'), ['$19.694 billion'])).toEqual(right)
  })

  it('wants the scale to agree', () => {
    expect(score(computed(3290, 'thousand'), ['3,290'])).toEqual(wrong)
    expect(score(computed(3290, 'thousand'), ['3,290 million'])).toEqual(wrong)
    expect(score(span(['65'], 'thousand'), ['65'])).toEqual(wrong)
  })

  it('takes a percentage as such, in words, or as a share, to four decimals of the share', () => {
    for (const said of ['26.83%', '26.83 %', '26.83 percent', '0.2683', '26.834%']) {
      expect(score(computed(26.83, 'percent'), [said]), said).toEqual(right)
    }
    expect(score(computed(26.83, 'percent'), ['26.8%'])).toEqual(wrong)
    expect(score(computed(26.83, 'percent'), ['26.83'])).toEqual(wrong)
    expect(score(computed(-21.92, 'percent'), ['-21.92%'])).toEqual(right)
    expect(score(computed(-21.92, 'percent'), ['21.92%'])).toEqual(wrong)
  })

  it('rounds a figure to two decimals', () => {
    expect(score(computed(12.346), ['12.3461'])).toEqual(right)
    expect(score(computed(12.35), ['12.3'])).toEqual(wrong)
    expect([rounded(2.675, 2), rounded(0.125, 2), rounded(0.375, 2), rounded(-0.125, 2), rounded(-3908, 2)]).toEqual([
      2.67, 0.12, 0.38, -0.12, -3908,
    ])
  })

  it('reads a figure in parentheses as negative', () => {
    expect(score(computed(-618), ['(618)'])).toEqual(right)
    expect(score(computed(-618), ['618'])).toEqual(wrong)
  })

  it('compares words without case, articles and punctuation, and gives a part for a part', () => {
    expect(score(span(['The cash at bank.']), ['cash at bank'])).toEqual(right)
    // Two of three words said are right, and two of the two wanted: 2 · ⅔ · 1 / (⅔ + 1).
    expect(score(span(['lower volume']), ['lower volume mostly'])).toEqual({ exact: 0, f1: 0.8 })
    expect(score(span(['decreased $352 million']), ['$352 million'])).toMatchObject({ exact: 0 })
  })

  it('takes several spans together, in any order', () => {
    const years: Gold = { answer: ['2019', '2018'], answer_type: 'multi-span', scale: '' }
    expect(score(years, ['2018', '2019'])).toEqual(right)
    expect(score(years, ['2018'])).toEqual({ exact: 0, f1: 0.67 })
    const revenues: Gold = { answer: ['601,256', '510,762'], answer_type: 'multi-span', scale: 'thousand' }
    expect(score(revenues, ['$510,762 thousand', '$601,256 thousand'])).toEqual(right)
  })

  it('gives no part for a figure that was to be computed or counted, and nothing for no answer', () => {
    expect(score(computed(2019), ['2019 in all'])).toEqual(wrong)
    expect(score({ answer: 3, answer_type: 'count', scale: '' }, ['3'])).toEqual(right)
    expect(score(span(['2019']), [])).toEqual(wrong)
  })
})

describe('the short answer in a sentence', () => {
  it('is what stands in bold', () => {
    expect(predictionIn({ answer: 'It fell by **−21.92%** [1] to **$1.4 million.** [2]' })).toEqual([
      '-21.92%',
      '$1.4 million',
    ])
    expect(predictionIn({ answer: 'Anything', highlights: ['81 pages'] })).toEqual(['81 pages'])
  })

  it('is that of the first sentence with bold words, or of its list', () => {
    const sentence = 'It was **2019** [1]. Then **4,000** came [2].'
    expect(predictionIn({ answer: sentence })).toEqual(['2019'])
    const list = 'They are:\n- **Licenses** [1]\n- **Royalties** [2]\n\nAll of **2019**.'
    expect(predictionIn({ answer: list })).toEqual(['Licenses', 'Royalties'])
  })

  it('has the result and the sign of its formula, whatever digits were said', () => {
    const calculations = [
      { marker: 3, value: (1389 - 1779) / 1779 },
      { marker: 4, value: -9 },
      { marker: 5, value: 21.9 },
    ]
    const said = (answer: string) => predictionIn({ answer, calculations })
    expect(said('It fell by **21.9%** [1][2][3].')).toEqual(['-21.92%'])
    expect(said('It fell by **$9 million** [4].')).toEqual(['-$9.00 million'])
    for (const words of ['$9 million', '$-9 million', '-$9.0 million', '($9) million', '$(9) million']) {
      expect(score(computed(-9, 'million'), said(`It changed by **${words}** [4].`)), words).toEqual(right)
    }
    // Another figure, and one of another sentence.
    expect(said('It fell by **22.5%** [3].')).toEqual(['22.5%'])
    expect(said('It fell by **21.9%** [1]. So it is [3].')).toEqual(['21.9%'])
  })

  it('has the scale of the table that a footnote quotes, unless it says one', () => {
    const citation = { marker: 1, source: 'a.html', page: 1, quote: 'Capital leases | 65', unit: 'USD thousands' }
    expect(predictionIn({ answer: 'They are **$65** [1].', citations: [citation] })).toEqual(['$65 thousand'])
    expect(predictionIn({ answer: 'They are **65 million** [1].', citations: [citation] })).toEqual(['65 million'])
    expect(predictionIn({ answer: 'There are **66** [1].', citations: [citation] })).toEqual(['66'])
  })

  it('else is the first figure of the first sentence that is no year', () => {
    expect(predictionIn({ answer: 'In 2019 it was $3,290 thousand, not $9 [1]. It was 4 before.' })).toEqual([
      '$3,290 thousand',
    ])
    expect(predictionIn({ answer: 'It was larger in 2018 [1].' })).toEqual(['2018'])
    expect(predictionIn({ answer: 'The loss was (1,290) [1].' })).toEqual(['(1,290)'])
  })

  it('else is the sentence', () => {
    expect(predictionIn({ answer: 'Because of lower volume [1]. More follows.' })).toEqual(['Because of lower volume'])
    expect(predictionIn({ answer: '' })).toEqual([])
  })
})

it('a context is a page with its table and its paragraphs in their order', () => {
  const table = {
    uid: 'x',
    table: [
      ['', '2019'],
      ['R & D', '<1'],
    ],
  }
  const paragraphs = [
    { order: 2, text: 'Second' },
    { order: 1, text: 'First' },
  ]
  expect(pageOf({ table, paragraphs })).toBe(
    '<!doctype html><html><body>\n<table>\n<tr><td></td><td>2019</td></tr>\n<tr><td>R &amp; D</td><td>&lt;1</td></tr>\n' +
      '</table>\n<p>First</p>\n<p>Second</p>\n</body></html>\n',
  )
})
