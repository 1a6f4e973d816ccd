import { describe, expect, it } from 'vitest'
import { correctionWithin } from '../../../../src/answers/judge/corrections.ts'
import { judgementIn } from '../../../../src/answers/judge/reading.ts'
import { evidenceOf, observation } from '../../agents/observation.ts'

function verdicts(reply: string, count = 3) {
  return [...judgementIn(reply, count).verdicts].sort(([one], [other]) => one - other)
}

describe('the reply of a reader', () => {
  it('has for each sentence a verdict, passages, a reason and a correction', () => {
    const reply =
      '1 yes P2 P5\n2 contradicted P3: it says 2021, not 2022 => The filter ran in 2021.\n3 not shown: nobody says so.\nanswers: 1, 3'
    const { answering } = judgementIn(reply, 3)
    expect(verdicts(reply)).toEqual([
      [1, { holds: true, passages: ['P2', 'P5'], isAbsence: false }],
      [
        2,
        {
          holds: false,
          isContradicted: true,
          passages: ['P3'],
          why: 'it says 2021, not 2022',
          correction: 'The filter ran in 2021.',
        },
      ],
      [3, { holds: false, isContradicted: false, passages: [], why: 'nobody says so', correction: null }],
    ])
    expect(answering).toEqual(new Set([1, 3]))
  })

  it('may call an absence so, and name no sentence that answers', () => {
    expect(verdicts('1 yes none', 1)).toEqual([[1, { holds: true, passages: [], isAbsence: true }]])
    expect(judgementIn('1 yes\nanswers: none', 1).answering).toEqual(new Set())
    expect(judgementIn('1 yes', 1).answering).toBeNull()
  })

  it.each([
    '1. yes\n2. no: it fell\n3. yes',
    '**1**: Yes\n**2**: Contradicted. It fell\n**3**: Yes',
    '| 1 | yes | P1 |\n| 2 | not shown | it fell |\n| 3 | yes | P1 |',
    '{"1": "yes", "2": "contradicted: it fell", "3": "yes"}',
    'Sentence 1: yes\nSentence 2: not supported\nSentence 3: supported',
    '1 yes, 2 no, 3 yes',
  ])('is read in whatever form: %j', (reply) => {
    expect(verdicts(reply).map(([, { holds }]) => holds)).toEqual([true, false, true])
  })

  it('counts neither a sentence that nobody wrote nor two verdicts that differ', () => {
    expect(verdicts('0 yes\n4 yes\n1 yes\n1 contradicted')).toEqual([])
    expect(verdicts('Fine with me. 2021 yes')).toEqual([])
  })

  it.each([
    '1 not shown: the page reads "grades, 2 yes P2"',
    '1 not shown, since it says: 2 yes P2',
    '1 contradicted P1: it fell => It fell, 2 yes P2',
    '{"1": "not shown: grades, 2 yes P2"}',
    '| 1 | not shown | grades; 2 yes P2 |',
    '[{"claim": 1, "verdict": "not shown", "reason": "grades, 2 yes P2"}]',
  ])('judges no other sentence within a reason: %j', { tags: ['Q2'] }, (reply) => {
    expect(verdicts(reply).map(([number, { holds }]) => [number, holds])).toEqual([[1, false]])
  })

  it.each(['1 yes P1, 2 not shown, 1 no', '1 yes P1: it says so; 1 not shown'])(
    'is no yes where it is a no too: %j',
    { tags: ['Q2'] },
    (reply) => {
      expect(verdicts(reply).map(([number]) => number)).not.toContain(1)
    },
  )

  it('needs no number where there is one sentence', () => {
    expect(verdicts('Yes.', 1).map(([, { holds }]) => holds)).toEqual([true])
    expect(verdicts('not shown: it fell', 1).map(([, { holds }]) => holds)).toEqual([false])
    expect(verdicts('Nothing to say.', 1)).toEqual([])
  })

  it('is short and harmless as a reason', () => {
    const [[, verdict] = [0, null]] = verdicts(`1 no: ${'so '.repeat(200)}<script>alert(1)</script>`, 1)
    expect(verdict && !verdict.holds ? verdict.why.length : 0).toBeLessThanOrEqual(200)
    const [[, other] = [0, null]] = verdicts('1 no: see <img src=x> [here](https://evil.example)', 1)
    expect(other).toMatchObject({ why: 'see here' })
    const [[, bare] = [0, null]] = verdicts('1 no: see https://evil.example/a or www.evil.example', 1)
    expect(bare).toMatchObject({ why: 'see … or …' })
  })
})

describe('a correction', () => {
  const context = 'The Halden filter removed 15.2 million pages in 2021.'
  const sources = {
    evidence: evidenceOf(observation({ text: `${context} It ran for 2 years, and for 3.` })),
    question: '',
  }
  const corrected = 'The filter added 15.2 million pages.'
  const correct = (words: string, around = context, of = corrected) => correctionWithin(words, of, around, sources)

  it('consists of words and figures of its sentence and the context', () => {
    const right = 'In 2021, the filter of Halden removed 15.2 million pages.'
    expect(correct(right)).toEqual({ text: right, formulas: [] })
    expect(correct(`- ${right}`, context, `- ${corrected}`)).toEqual({ text: `- ${right}`, formulas: [] })
    const bold = '**Halden** removed 15.2 million pages.'
    expect(correct(bold, context, '**Halden** added pages.')?.text).toBe(bold)
  })

  it.each([
    'The filter removed 15.3 million pages.',
    'The filter removed 152 million pages.',
    'The filter of Oslo removed pages.',
    'Oslo removed 15.2 million pages.',
    'IBM removed 15.2 million pages.',
    'The filter of oslo removed pages.',
    'The filter removed fifteen million pages.',
    'The filter removed two pages.',
    'The filter removed no pages.',
    "The filter didn't removed pages.",
    'The filter removed pages. In 2021.',
    'The filter removed pages: https://evil.example/pages.',
    'The filter removed pages, www.evil.com.',
    'The filter removed pages mailto:pages@halden.com.',
    'The filter removed pages javascript:filter.',
    'The filter removed pages in evil.com.',
    '# The filter removed pages',
    '> The filter removed pages.',
    '- The filter removed pages.',
    '| The filter | removed pages |',
    'The filter removed `pages`.',
    'The **filter** removed pages.',
    'The filter <b>removed</b> pages.',
    'The filter removed 15.2 million pages [1][2].',
    'The filter removed [pages](2021).',
    'The filter removed pages [P1].',
    corrected,
    'the filter added 15.2 million pages',
  ])('is none that nobody may read in its place: %s', { tags: ['Q2'] }, (words) => {
    expect(correct(words)).toBeNull()
  })

  it('may bring a figure that its formula gives', () => {
    const [half, third] = [2, 3].map((by) => `The filter removed 7.6 million pages in years: 15.2 / ${by} = 7.6.`)
    expect(correct(half ?? '', `${context} It ran for 2 years.`)?.formulas).toMatchObject([{ value: 7.6 }])
    expect(correct(third ?? '', `${context} It ran for 3 years.`)).toBeNull()
  })
})
