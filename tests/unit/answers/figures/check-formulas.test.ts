import { describe, expect, it } from 'vitest'
import { checkFormulas } from '../../../../src/answers/figures/check-formulas.ts'
import { notesOnFigures } from '../../../../src/answers/figures/figure-notes.ts'
import { withMarks } from '../../../../src/answers/figures/formula-marks.ts'
import { answerOf, judgeDraft } from '../../../../src/answers/verified-answer.ts'
import { evidenceOf, observation } from '../../agents/observation.ts'

const text = [
  'Balance sheet (in millions)',
  'As of December 31, | 2022 | 2021',
  'Cash and cash equivalents | 1,875 | 1,020',
  'Accounts receivable, net | 689 | 640',
  'Total current liabilities | 3,720 | 3,480',
  'Margin | 12.5 % | 11 %',
].join('\n')
const table = observation({
  documentId: 'filing',
  passageId: 'filing.0',
  title: 'Report',
  kind: 'table',
  text,
  start: 0,
})
const evidence = evidenceOf({ ...table, section: null })

function check(sentence: string) {
  const { text: marked, noted } = withMarks(sentence)
  return checkFormulas(marked, noted, { evidence, question: 'On average over the 360 days of a bank’s year?' })
}

describe('a formula of a sentence', () => {
  it.each([
    'The quick ratio fell to <calc expr="(1,875 + 689) / 3,720">0.69</calc>.',
    'The quick ratio, (1,875 + 689) / 3,720 = 0.7, fell.',
    'Quick assets were <calc expr="1,875 + 689">$2,564 million</calc>.',
    'Quick assets were $<calc expr="1,875 + 689">2,564</calc> million.',
    'Quick assets were <calc expr="1,875 + 689">$2.6 billion</calc>.',
    'Cash rose by <calc expr="(1,875 - 1,020) / 1,020">83.8 %</calc>.',
    'Cash rose by <calc expr="(1,875 - 1,020) / 1,020 * 100">83.8%</calc>.',
    'Cash was <calc expr="(1,875 + 1,020) / 2">1,447.5</calc> on average.',
    'The margin was <calc expr="(12.5 + 11) / 2">11.75%</calc> on average.',
    'The margin rose by <calc expr="12.5 - 11">1.5 percentage points</calc>.',
    'Cash lasted for <calc expr="360 * 1,875 / 3,720">181 days</calc>.',
  ])('is right where the figures are on the page and the result is theirs: %s', { tags: ['Q9'] }, (sentence) => {
    expect(check(sentence)).toMatchObject({ problems: [], isWrong: false, right: [{ operands: expect.any(Array) }] })
  })

  it.each([
    'The quick ratio fell to <calc expr="(1,875 + 689) / 3,720">0.59</calc>.',
    'Quick assets were <calc expr="1,875 + 689">$2,654 million</calc>.',
    'Cash rose by <calc expr="(1,875 - 1,020) / 1,020">0.8 %</calc>.',
  ])('is wrong where it gives another number: %s', { tags: ['Q9'] }, (sentence) => {
    expect(check(sentence)).toMatchObject({ isWrong: true, right: [] })
  })

  it('is left to the reader where a figure stands on no page, or it cannot be read', () => {
    expect(check('It is <calc expr="1,875 + 999">2,874</calc>.')).toMatchObject({
      isWrong: false,
      problems: ['999 stands in no passage (1,875 + 999)'],
    })
    expect(check('It is <calc expr="cash + debt">2,874</calc>.').problems).toEqual([
      'its formula “cash + debt” cannot be read',
    ])
  })

  it('is a footnote with the quotes of its figures', {
    tags: ['Q2', 'Q9'],
  }, async () => {
    const draft = 'The quick ratio fell to 0.69.<calc expr="(1,875 + 689) / 3,720">0.69</calc> [P1]'
    const judged = await judgeDraft({ draft, question: '', evidence, pageTextOf: async () => text, judge: null })
    const answer = answerOf(judged)
    expect(answer.text).toBe('The quick ratio fell to 0.69. [4]')
    expect(answer.citations.map(({ quote }) => quote)).toEqual(text.split('\n').slice(2, 5))
    expect(answer.calculations).toEqual([
      {
        marker: 4,
        expression: '(1,875 + 689) / 3,720',
        value: expect.closeTo(0.689247, 6),
        operands: [
          { value: 1875, marker: 1 },
          { value: 689, marker: 2 },
          { value: 3720, marker: 3 },
        ],
      },
    ])
    expect(answer.sentences).toEqual([
      { text: 'The quick ratio fell to 0.69.', state: 'quoted', markers: [4], reason: 'nobody has read it again' },
    ])
  })

  it('that is wrong takes its sentence from the answer, whatever the reader says', { tags: ['Q2', 'Q9'] }, async () => {
    const draft = 'The quick ratio fell to <calc expr="(1,875 + 689) / 3,720">0.59</calc>. [P1]'
    const yes = {
      verdicts: new Map([[1, { holds: true, passages: ['P1'], isAbsence: false } as const]]),
      answering: null,
    }
    for (const judge of [null, async () => yes]) {
      const judged = await judgeDraft({ draft, question: '', evidence, pageTextOf: async () => text, judge })
      expect(answerOf(judged).sentences[0]).toMatchObject({
        state: 'unsupported',
        reason: 'the formula (1,875 + 689) / 3,720 gives 0.689, which the sentence does not say',
      })
    }
  })
})

describe('notes on the figures of a claim', () => {
  const sources = { evidence, question: 'In 2019, or in 360 days?' }

  it('name those that stand nowhere, and none that is small or there', () => {
    expect(notesOnFigures(sources)('Cash of 1,875 and 4,711 in 3 places', [])).toEqual([
      '4,711 stands nowhere in these words',
    ])
  })

  it.each([
    'Cash was $1.9 billion in 2022.',
    'Cash was $1,875,000 thousand.',
    'Cash was almost 1,880 million.',
    'It was said in 2019.',
    'The quick ratio was 0.69, or 69 %.',
  ])('name none that is rounded, in another scale, given or computed: %s', (claim) => {
    expect(notesOnFigures(sources)(claim, [0.68925])).toEqual([])
  })

  it.each(['Cash was 1,876.', 'Cash was $1.8 billion.', 'It was 0.68.'])('name what is off by a digit: %s', (claim) => {
    expect(notesOnFigures(sources)(claim, [0.68925])).toHaveLength(1)
  })
})
