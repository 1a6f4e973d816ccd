import { describe, expect, it } from 'vitest'
import { holdsExpected, isSurelyWrong, type JudgedResult, judge } from '../../../bench/foreign/judge.ts'
import type { ForeignQuestion } from '../../../bench/foreign/material.ts'

const files = new Map([['sails', '/cache/sails.pdf']])
const asked: ForeignQuestion = {
  id: 'sails-1',
  half: 'development',
  kind: 'number',
  language: 'en',
  documents: ['sails'],
  question: 'How short may the gaff be?',
  expect: [['5 mm', 'five millimetres']],
  page: 7,
  quote: 'the gaff length is constrained to 5 mm',
}
const answered = (answer: string, quotes: readonly string[], confidence = 0.7): JudgedResult => ({
  status: 'completed',
  abstained: false,
  answer,
  confidence,
  citations: quotes.map((quote) => ({ quote })),
})
const judged = (result: JudgedResult, question = asked, isWritten = false) =>
  judge(question, result, [], { files, isWritten })

describe('the judge of answers over foreign documents', () => {
  it('tells the first quote from what else is shown', () => {
    const second = judged(answered('Ropes [1] and gaffs [2]', ['Ropes are short.', 'The gaff has at least 5 mm.']))
    expect(second).toMatchObject({ right: false, shown: true })
    expect(judged(answered('At least 5 mm [1]', ['constrained to 5 mm']))).toMatchObject({ right: true, shown: true })
  })

  it('takes an answer that a model wrote as a whole', () => {
    const written = answered('Gaffs are short [1]. They have 5 mm at least [2].', ['short', 'at least'])
    expect(judged(written, asked, true).right).toBe(true)
    expect(judged(written, asked, false).right).toBe(false)
  })

  it('wants unanswerable questions declined and vague ones asked back', () => {
    const declined: JudgedResult = { ...answered('I found no answer.', []), abstained: true }
    const back: JudgedResult = { ...answered('Which one?', []), status: 'clarification_needed' }
    const { expect: _, ...plain } = asked
    expect(judged(declined, { ...plain, kind: 'unanswerable' }).right).toBe(true)
    expect(judged(back, { ...plain, kind: 'unanswerable' }).right).toBe(false)
    expect(judged(back, { ...plain, kind: 'vague', documents: [] }).right).toBe(true)
    expect(judged(declined)).toMatchObject({ right: false, outcome: 'declined', confidence: null })
  })

  it('counts as surely wrong what is wrong at a confidence of .6 or more', () => {
    expect(isSurelyWrong(judged(answered('9 m [1]', ['9 m'], 0.6)))).toBe(true)
    expect(isSurelyWrong(judged(answered('9 m [1]', ['9 m'], 0.59)))).toBe(false)
    expect(isSurelyWrong(judged(answered('5 mm [1]', ['5 mm'], 0.9)))).toBe(false)
  })

  it('finds document and page among the passages', () => {
    const other = { source: '/cache/ropes.pdf', page: 7, text: 'rope' }
    const hits = [other, { source: '/cache/sails.pdf', page: 7, text: 'gaff' }]
    expect(judge(asked, answered('', []), hits, { files, isWritten: false })).toMatchObject({
      documentFirst: false,
      pageInTen: true,
    })
    const { page: _, ...pageless } = asked
    const evidence = { source: '/cache/sails.pdf', page: 1, text: 'Note that the gaff length is constrained to 5 mm.' }
    expect(judge(pageless, answered('', []), [evidence], { files, isWritten: false })).toMatchObject({
      documentFirst: true,
      pageInTen: true,
    })
    expect(judge(pageless, answered('', []), hits, { files, isWritten: false }).pageInTen).toBe(false)
  })
})

describe('expected words', () => {
  it('are found whole where they are numbers or short, else at the beginning of a word', () => {
    expect(holdsExpected([['44']], 'in 44 countries')).toBe(true)
    expect(holdsExpected([['44']], 'grew by 44.5 %, to 1,44')).toBe(false)
    expect(holdsExpected([['USB']], 'the usbhid driver')).toBe(false)
    expect(holdsExpected([['ratif']], 'was duly ratified')).toBe(true)
    expect(holdsExpected([['ratif']], 'gratification')).toBe(false)
  })

  it('are one of each group, whatever the accents, case, quotation marks and emphasis', () => {
    expect(holdsExpected([['Mudrak'], ['Budaj']], 'Stacho **Mudrák**, Martin\nBudaj')).toBe(true)
    expect(holdsExpected([['Mudrák'], ['Budaj']], 'Stacho Mudrák')).toBe(false)
    expect(holdsExpected([["Z's ordered"]], 'which stands for Z’s ordered observations')).toBe(true)
    expect(holdsExpected([], 'anything')).toBe(false)
  })
})
