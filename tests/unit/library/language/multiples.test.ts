import { describe, expect, it } from 'vitest'
import { unsupportedNumbers } from '../../../../src/library/language/stated-numbers.ts'

describe('the numbers of a sentence', () => {
  it.each([
    ['It killed ²⁴⁰⁰ people.', '2400'],
    ['It killed 𝟗𝟗𝟗 people.', '999'],
    ['It killed ⑨ people.', '9'],
    ['It killed Ⅻ people.', '12'],
    ['It killed 240e3 people.', '240000'],
    ['It killed 240 240 people.', '240240'],
  ])('are seen in every form: %s', (sentence, written) => {
    expect(unsupportedNumbers(sentence, ['It killed 240 people.'])).toEqual([written])
  })

  it.each([
    ['It took ⑨ days.', 'It took 9 days.'],
    ['It killed 240 240 people.', 'It killed 240,240 people.'],
    ['It cost 240e3.', 'It cost 240,000.'],
    ['The area is 3 m².¹', 'The area is 3 m².'],
  ])('stand if a quote states them in another form: %s', (sentence, quote) => {
    expect(unsupportedNumbers(sentence, [quote])).toEqual([])
  })
})
