import { describe, expect, it } from 'vitest'
import { bearsAnswer, readQuestion } from '../../../../src/offline/ranking/question.ts'
import { type EvidenceText, rankSentences } from '../../../../src/offline/ranking/rank-sentences.ts'

const passage = (id: string, text: string, more: Partial<EvidenceText> = {}): EvidenceText => ({
  id,
  title: null,
  section: null,
  kind: 'text',
  text,
  score: 0.6,
  ...more,
})

const best = (question: string, ...evidence: EvidenceText[]) => rankSentences(question, evidence)[0]?.text

describe('a question', () => {
  it.each([
    ['How many papers are in the corpus?', 'number'],
    ['How much does it cost?', 'money'],
    ['What percentage of papers have DOIs?', 'share'],
    ['What accuracy does the model reach?', 'number'],
    ['Who wrote the report?', 'person'],
    ['Who found it?', 'person'],
    ['What does the WHO advise?', 'open'],
    ['What was the last Doctor Who episode?', 'open'],
    ['When was the bridge built?', 'time'],
    ['In which year did it open?', 'time'],
    ['Where was it found?', 'place'],
    ['Why do leaves fall?', 'reason'],
    ['Is the drug safe?', 'open'],
    ['What is a witness replica?', 'definition'],
    ['Which is larger, A or B?', 'open'],
    ['How do vaccines work?', 'open'],
  ])('"%s" asks for: %s', (question, kind) => {
    expect(readQuestion(question).kind).toBe(kind)
  })
})

describe('the sentences of the evidence', () => {
  it('come with their place in the passage, best first', () => {
    const text = 'The town is old. The bridge was built in 1872. It is made of iron.'
    const ranked = rankSentences('When was the bridge built?', [passage('a', text)])
    expect(ranked[0]?.text).toBe('The bridge was built in 1872.')
    expect(ranked.every((each) => text.slice(each.start, each.end) === each.text)).toBe(true)
    expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).sort((a, b) => b - a))
  })

  it('answer better where they hold the kind of thing that is asked for', () => {
    const text = 'The bridge has many visitors each year. The bridge has 2,400 visitors each year.'
    expect(best('How many visitors does the bridge have each year?', passage('a', text))).toContain('2,400')
    const who = 'The prize honours work on cells each year. The prize for work on cells went to Ada Lindqvist.'
    expect(best('Who got the prize for work on cells?', passage('a', who))).toContain('Ada Lindqvist')
  })

  it('do not answer with the number of the question, or the year of a citation', () => {
    const text =
      'Of the 44 papers some release their data (Smith, 2021). Only 2 of the 44 papers release their raw data.'
    expect(best('How many of the 44 papers release their raw data?', passage('a', text))).toMatch(/^Only 2/)
  })

  it('do not answer by asking', () => {
    const text = 'What does a witness replica do? A witness replica votes but stores no data itself.'
    expect(best('What does a witness replica do?', passage('a', text))).toMatch(/votes/)
  })

  it('answer a question for a cost with an amount of money alone', () => {
    const cost = readQuestion('How much does a ferry cost?')
    expect(bearsAnswer(cost, 'The ferry cost the town much in 1990.')).toBe(false)
    expect(bearsAnswer(cost, 'The ferry cost the town 40 dollars a head.')).toBe(true)
  })

  it('answer by what a pronoun at their beginning stands for', () => {
    const text = 'The bridge crosses the river Aar. It is 90 metres long. The road is 40 metres long.'
    expect(best('How many metres long is the bridge across the Aar?', passage('a', text))).toMatch(/^It is 90/)
  })

  it('hold in part a word of which they hold a relative', () => {
    const text = 'The settlers built houses of wood there. The law naturalises all settlers who stayed there.'
    expect(best('When were the settlers naturalized there?', passage('a', text))).toMatch(/^The law/)
  })

  it('are none where there is no evidence', () => {
    expect(rankSentences('Why?', [])).toEqual([])
  })
})

describe('the rows of a table that was not kept with its page', () => {
  it('answer as they stand', () => {
    const table = 'Table 2: Accuracy.\nParser | Titles | Authors\nAlpha | 0.93 | 0.89\nBeta, tuned | 0.97 | 0.91 ± 0.02'
    const row = rankSentences('What accuracy did Beta reach for authors?', [passage('a', table, { kind: 'table' })])[0]
    expect(row).toMatchObject({ text: 'Beta, tuned | 0.97 | 0.91 ± 0.02', row: null })
  })
})
