import { describe, expect, it } from 'vitest'
import { numbersIn } from '../../../../src/library/language/numbers.ts'
import { unsupportedNumbers } from '../../../../src/library/language/stated-numbers.ts'

const values = (text: string) => numbersIn(text).map(({ value }) => value)

describe('the numbers of a text', () => {
  it.each([
    ['1,950 papers', [1950]],
    ['81.1M of 8.1 million', [81_100_000, 8_100_000]],
    ['87.2 % and 87.2%', [87.2, 87.2]],
    ['six of twenty-five', [6, 25]],
    ['three billion writes', [3_000_000_000]],
    ['100–400 ms', [100, 400]],
    ['a change of -3.5', [-3.5]],
    ['19 March 2019', [19, 2019, 3]],
    ['2019-03-19', [2019, 3, 19]],
    ['the 1990s, 50ms, top-5', [1990, 50, 5]],
  ])('are read in "%s"', (text, expected) => {
    expect(values(text)).toEqual(expected)
  })

  it.each([
    'GPT-4 and S2ORC',
    'Table 2 and Figs. 3–4',
    'as shown [12, 14]',
    '(3) We',
    '12. We',
    'Zhang et al., 2021',
    'COVID-19, R@10, BC5CDR',
    'code15 v3-8',
  ])('do not include the digits of names, references and markers: "%s"', (text) => {
    expect(values(text)).toEqual([])
  })
})

describe('the numbers of a cited sentence', () => {
  it.each([
    ['It handles more than three billion writes.', 'more than 3 billion write'],
    ['There are 81.1 million papers.', '81.1M English-language papers'],
    ['The gain was 0.60.', 'we observe +0.6 F1'],
    ['It fell by 3.5 points.', 'a change of -3.5 points'],
    ['On 19 March 2019 it began.', 'Date: 2019-03-19'],
    ['The two quoted forms were run.', 'The raw form and both quoted forms were run'],
    ['It grew by a factor of two.', 'The store was twice as large'],
    ['Four fifths, or 80 percent, were deleted.', 'deleting four fifths of the events'],
    ['Only one of the six papers by GPT-4 in Table 2 does.', '6 papers'],
  ])('are supported by a quote that states them: "%s"', { tags: ['Q2'] }, (sentence, quote) => {
    expect(unsupportedNumbers(sentence, ['something else', quote])).toEqual([])
  })

  it.each([
    ['It handles more than four billion writes.', 'more than three billion write', ['four billion']],
    ['The rate is 87.3%.', '87.2 %', ['87.3']],
    ['It grew by -0.6.', 'we observe +0.6 F1', ['-0.6']],
    ['The share is 87.2%.', 'a share of 0.872', ['87.2']],
    ['There are 8.1 million.', '81.1M', ['8.1 million']],
    ['It ran without the 2 words of a list.', 'Both quoted forms were run without the 51 words of a list', ['2']],
    ['It ran on 2 machines.', 'The store was twice as large', ['2']],
    ['It deleted four fifths.', 'It deleted four', ['four fifths']],
  ])('are named where no quote states them: "%s"', { tags: ['Q2'] }, (sentence, quote, missing) => {
    expect(unsupportedNumbers(sentence, [quote])).toEqual(missing)
  })
})
