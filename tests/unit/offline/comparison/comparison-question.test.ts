import { describe, expect, it } from 'vitest'
import { numbersIn } from '../../../../src/library/language/numbers.ts'
import { readComparison } from '../../../../src/offline/comparison/comparison-question.ts'
import { figuresIn } from '../../../../src/offline/comparison/figures.ts'

describe('a comparison', () => {
  it.each([
    ['Compare the median latency of Kestrel and Heron.', 'median latency'],
    ['Compare Kestrel with Heron in terms of median latency', 'median latency'],
    ['Compare Kestrel and Heron', ''],
    ['How do Kestrel and Heron differ in memory?', 'memory'],
    ['How does the latency of Kestrel compare to that of Heron?', 'latency'],
    ['What is the difference in latency between Kestrel and Heron?', 'latency'],
    ['What are the differences between Kestrel and Heron?', ''],
    ['Which has the higher throughput, Kestrel or Heron?', 'throughput'],
    ['Which of Kestrel and Heron uses more memory?', 'memory'],
    ['Does Kestrel have a higher throughput than Heron?', 'throughput'],
    ['Is the latency of Kestrel higher than that of Heron?', 'latency'],
  ])('is read: %s', (question, measure) => {
    expect(readComparison(question, () => false)).toEqual({ sides: ['Kestrel', 'Heron'], measure })
  })

  it.each(['What is the latency of Kestrel?', 'Which has the highest throughput?', 'How do I compare files?'])(
    'is none of two things: %s',
    (question) => {
      expect(readComparison(question, () => false)).toBeNull()
    },
  )

  it('is read so that both sides are names of documents', () => {
    const isName = (side: string) => ['Soil', 'Moss'].includes(side)
    expect(readComparison('Compare the loss of biomass in Soil and Moss', isName)).toEqual({
      sides: ['Soil', 'Moss'],
      measure: 'loss of biomass',
    })
  })
})

describe('a figure', () => {
  const read = (text: string) =>
    figuresIn(text, (each) => numbersIn(each).map(({ value }) => value)).map(({ value, unit }) => [value, unit])

  it.each([
    [
      'It took 12 ms at 200 messages per second.',
      [
        [12, 'ms'],
        [200, 'messages per second'],
      ],
    ],
    ['Revenue was $ 3.5 million.', [[3_500_000, '$']]],
    [
      'It kept 48 % of 1,900 pages.',
      [
        [48, '%'],
        [1900, 'page'],
      ],
    ],
    ['It ran in 2021 and in 2022.', []],
    ['GPT-4 has no figure.', []],
  ])('is read with its unit: %s', (text, figures) => {
    expect(read(text)).toEqual(figures)
  })
})
