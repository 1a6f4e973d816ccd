import { describe, expect, it } from 'vitest'
import { numbersIn } from '../../../../src/library/arithmetic/numbers.ts'

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
    ['19 March 2019', [19, 2019]],
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
