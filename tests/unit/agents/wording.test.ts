import { describe, expect, it } from 'vitest'
import { abstention, leftOut, succeededIn, withNotes, withoutBold } from '../../../src/agents/wording.ts'
import { event } from '../../../src/events/index.ts'
import { evidenceOf, observation } from './observation.ts'

it('the notes under an answer say that nothing of it stood, where an earlier call failed too', { tags: ['Q1'] }, () => {
  const text = withNotes('I found nothing.', { failure: { message: 'It is down.' }, unverified: true })
  expect(text).toBe(
    'I found nothing.\n\nNo quote supports what the model wrote, and an earlier call failed: It is down.',
  )
})

const question = 'What is said of it?'

describe('an abstention', () => {
  it('says that an answer was written, where nothing of it could be verified', () => {
    const evidence = evidenceOf(observation({ text: 'Free of charge.' }))
    const search = { documents: 1, searchedWeb: false, searched: 'yes', unverified: true } as const
    const said = 'The answer that was written could not be verified in 1 document; it is listed as not verified.'
    expect(abstention({ question, ...search, evidence })).toMatch(`${said} The nearest passages:\n- `)
    expect(abstention({ question, ...search, evidence: [] })).toBe(said)
  })

  const near = (n: number) => observation({ passageId: `p${n}`, text: `Passage ${n} says\nthis.`, score: 1 / n })

  it('says what was searched, and lists the nearest passages', { tags: ['R26'] }, () => {
    const evidence = evidenceOf(near(1), near(2), near(3), near(4))
    const text = abstention({ question, evidence, documents: 2, searchedWeb: true, searched: 'yes' })
    expect(text.split('\n')).toEqual([
      'I found no answer to this in 2 documents and the web. The nearest passages:',
      '- Zhang et al., 2021, p. 1: “Passage 1 says this.”',
      '- Zhang et al., 2021, p. 1: “Passage 2 says this.”',
      '- Zhang et al., 2021, p. 1: “Passage 3 says this.”',
    ])
  })

  it('says so when nothing at all was found', { tags: ['R26'] }, () => {
    const text = abstention({ question, evidence: [], documents: 1, searchedWeb: false, searched: 'yes' })
    expect(text).toBe('I found nothing about this in 1 document.')
  })

  it.each([
    ['refused', 'Nothing was searched: the tools that would have searched were refused.'],
    ['failed', 'Nothing could be searched: every tool failed.'],
    ['no', 'Nothing was searched before the run had to stop.'],
  ] as const)('does not claim to have searched where the tools were: %s', (searched, said) => {
    expect(abstention({ question, evidence: [], documents: 7, searchedWeb: false, searched })).toBe(said)
  })

  it.each([
    ['success', true],
    ['error', false],
    ['denied', false],
  ] as const)('names the web only where a search there succeeded: %s', (status, isNamed) => {
    const origin = { correlationId: 'run-1' }
    const log = (['pdf_retrieval', 'web_search'] as const).flatMap((tool) => {
      const started = event('tool.started', { callId: tool, tool, args: {} }, origin)
      const how = tool === 'web_search' ? status : 'success'
      return [started, event('tool.completed', { status: how, content: '' }, { ...origin, causationId: started.id })]
    })
    expect(succeededIn(log, 'web_search')).toBe(isNamed)
  })

  it('shows a passage from the sentence on that is nearest to the question, with its section', () => {
    const text = 'Boiler\nIt is serviced in May.\nTaps\nThe blue tap is in the cellar. It turns left.'
    const sections = [[0, 'Boiler'] as const, [text.indexOf('Taps'), 'Taps'] as const]
    const evidence = evidenceOf(
      observation({ text, start: 0, section: 'Boiler', sections, source: 'house.md', format: 'markdown' }),
    )
    const asked = { question: 'Where is the blue tap?', documents: 1, searchedWeb: false, searched: 'yes' } as const
    expect(abstention({ ...asked, evidence })).toMatch(
      /- .*§ Taps: “… The blue tap is in the cellar\. It turns left\.”$/,
    )
  })

  it('cuts long passages at a word', () => {
    const evidence = evidenceOf(observation({ text: 'pages '.repeat(100) }))
    expect(abstention({ question, evidence, documents: 1, searchedWeb: false, searched: 'yes' })).toMatch(
      /“(pages )+…”$/,
    )
  })
})

const fallen = (text: string, reason: string) => ({ text, state: 'unsupported' as const, markers: [], reason })

describe('what was left out', () => {
  it('is told up to a measure, and how much more there was', () => {
    expect(leftOut([fallen('It is so.', 'why')], null)).toEqual([{ text: 'It is so.', reason: 'why' }])
    const long = fallen('x'.repeat(50_000), 'y'.repeat(50_000))
    const told = leftOut(
      Array.from({ length: 25 }, () => long),
      null,
    )
    expect(told).toHaveLength(21)
    expect(told.at(-1)).toEqual({ text: 'and 5 more', reason: '' })
    expect(told[0]?.text.length).toBeLessThanOrEqual(300)
    expect(told[0]?.reason.length).toBeLessThanOrEqual(300)
  })

  it('is told without list marks, and without the bold that a rule set', () => {
    const dropped = [fallen('- Weight: **900 kg**, **not** more.', '')]
    expect(leftOut(dropped, ['**not** more'])).toEqual([{ text: 'Weight: 900 kg, **not** more.', reason: '' }])
    expect(leftOut(dropped, null)).toEqual([{ text: 'Weight: **900 kg**, **not** more.', reason: '' }])
  })
})

describe('an abstention', () => {
  it('holds no number in brackets, since it has no footnotes', () => {
    const evidence = evidenceOf(observation({ text: 'Free [1], as [2, 3] say.' }))
    const text = abstention({ question, evidence, documents: 1, searchedWeb: false, searched: 'yes' })
    expect(text).toContain('“Free (1), as (2, 3) say.”')
  })
})

describe('highlights', () => {
  it('are the words that a rule has put in bold, and not those of a document', () => {
    const source = 'The toll is **free** today, not 12.'
    expect(withoutBold('The toll is **free** today, not **12**.', [source])).toEqual({
      text: 'The toll is **free** today, not 12.',
      highlights: [{ start: 32, end: 34 }],
    })
  })
})
