import { describe, expect, it } from 'vitest'
import { figureProblem } from '../../../../src/answers/checks/figures.ts'
import { knownNames } from '../../../../src/answers/checks/names.ts'
import { located } from '../calculations/located.ts'

/** The figures that none of these quotes states, as the reason names them. */
function unstated(sentence: string, quotes: readonly string[], kind: 'text' | 'table' = 'text'): readonly string[] {
  const found = quotes.map((quote) => located(quote, quote, kind))
  const problem = figureProblem(sentence, found, {
    question: '',
    textOf: () => quotes.join('\n'),
    known: knownNames(''),
  })
  return problem === null ? [] : problem.replace('its quotes do not state ', '').split(', ')
}

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
    expect(unstated(sentence, ['something else', quote])).toEqual([])
  })

  it.each([
    ['It handles more than four billion writes.', 'more than three billion write', ['four billion']],
    ['The rate is 87.3%.', '87.2 %', ['87.3%']],
    ['It grew by -0.6.', 'we observe +0.6 F1', ['-0.6']],
    ['The share is 87.2%.', 'a share of 0.872', ['87.2%']],
    ['There are 8.1 million.', '81.1M', ['8.1 million']],
    ['It ran without the 2 words of a list.', 'Both quoted forms were run without the 51 words of a list', ['2']],
    ['It ran on 2 machines.', 'The store was twice as large', ['2']],
    ['It deleted four fifths.', 'It deleted four', ['four fifths']],
  ])('are named where no quote states them: "%s"', { tags: ['Q2'] }, (sentence, quote, missing) => {
    expect(unstated(sentence, [quote])).toEqual(missing)
  })
})

describe('the numbers of a sentence', () => {
  it.each([
    ['It killed ²⁴⁰⁰ people.', '2400'],
    ['It killed 𝟗𝟗𝟗 people.', '999'],
    ['It killed ⑨ people.', '9'],
    ['It killed Ⅻ people.', '12'],
    ['It killed 240e3 people.', '240000'],
    ['It killed 240 240 people.', '240\u202f240'],
  ])('are seen in every form: %s', (sentence, written) => {
    expect(unstated(sentence, ['It killed 240 people.'])).toEqual([written])
  })

  it.each([
    ['It took ⑨ days.', 'It took 9 days.'],
    ['It killed 240 240 people.', 'It killed 240,240 people.'],
    ['It cost 240e3.', 'It cost 240,000.'],
    ['The area is 3 m².¹', 'The area is 3 m².'],
  ])('stand if a quote states them in another form: %s', (sentence, quote) => {
    expect(unstated(sentence, [quote])).toEqual([])
  })
})

const sales = '(In millions of dollars)\nItem | 2022 | 2021\nNet sales | 5,583 | 5,014\nNet income | 441 | 518'
const inSales = (sentence: string, quote = 'Net sales | 5,583 | 5,014') =>
  figureProblem(sentence, [located(quote, sales)], { question: '', textOf: () => sales, known: knownNames('') })

describe('a figure of a table', () => {
  it.each([
    'Net sales were $5,583 million in 2022.',
    'Net sales came to $5.6 billion in 2022.',
    'In millions, net sales were 5,583.',
    'Net sales grew by $569 million, from $5,014 million to $5,583 million.',
    'Sales grew by 11.3 %, from $5,014 million to $5,583 million.',
    '| Net sales | $5,583 | $5,014 |',
  ])('is stated with the scale and the currency of its table: "%s"', { tags: ['Q2'] }, (sentence) => {
    expect(inSales(sentence)).toBeNull()
  })

  it.each([
    ['without its scale', 'Net sales were $5,583 in 2022.'],
    ['in another scale', 'Net sales were $5,583 billion in 2022.'],
    ['in another currency', 'Net sales were €5,583 million in 2022.'],
    ['of another column', 'Net sales were $5,583 million in 2021.'],
    ['of another row', 'Net income was $5,583 million in 2022.'],
    ['with a wrong difference', 'Net sales grew by $596 million, from $5,014 million to $5,583 million.'],
  ])('is refused %s', { tags: ['Q2'] }, (_, sentence) => {
    expect(inSales(sentence)).not.toBeNull()
  })

  it('that fell did not rise', () => {
    expect(inSales('Net income rose to $441 million in 2022.', 'Net income | 441 | 518')).toMatch(/opposite/)
  })
})

describe('a figure of a text', () => {
  it.each([
    ['On 2022-03-17 it closed.', 'It closed on March 17, 2022'],
    ['Am 17.03.2022 schloss es.', 'Es schloss am 17. März 2022'],
    ['Call before 9.30 am.', 'before 9:30 a.m.'],
    ['It holds 1.8 million cells.', 'It holds 1.8 × 10^6 cells'],
    ['Two thirds, or about 67 %, agreed.', 'two thirds agreed'],
    ['It uses 186 GWh.', 'Er verbraucht 186 Gigawattstunden'],
    ['The dividend is 54 cents.', 'a dividend of $0.54'],
    ['Replace it after 20,000 hours.', 'after 20,000 operating hours'],
    ['Il y a eu 48.300 prêts.', '48 300 prêts'],
    ['The Model 340 weighs 5 kg.', 'Model 340: 5 kg'],
  ])('is stated in another form: "%s"', { tags: ['Q2'] }, (sentence, quote) => {
    expect(unstated(sentence, [quote])).toEqual([])
  })

  it.each([
    ['a month', 'It closed on April 17, 2022.', 'It closed on March 17, 2022'],
    ['a day', 'It closed on 2022-03-18.', 'It closed on March 17, 2022'],
    ['a prefix', 'It is 4 to 7 km deep.', 'at a depth of 4 to 7 m'],
    ['a unit behind another word', 'Replace it after 20,000 days.', 'after 20,000 operating hours'],
    ['the scale', 'En 2023, 2,3 trajets ont été effectués.', 'En 2023, 2,3 millions de trajets ont été effectués'],
    ['a percentage', 'It is 51 %.', 'It has 51 members'],
  ])('is refused with another %s', { tags: ['Q2'] }, (_, sentence, quote) => {
    expect(unstated(sentence, [quote])).not.toEqual([])
  })
})
