import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { examMark, examPaper } from '../../../../src/answers/judge/exam.ts'
import { formsOf } from '../../../../src/answers/quotes/page-sentences.ts'

const { passages, claims } = examPaper
const reply = (judge: (claim: (typeof claims)[number], index: number) => boolean) =>
  claims.map((claim, index) => `${index + 1} ${judge(claim, index) ? 'yes P1' : 'not shown'}`).join('\n')

describe('the exam of a reader', { tags: ['Q15'] }, () => {
  it('has forty claims, half of them true', () => {
    expect(claims).toHaveLength(40)
    expect(claims.filter(({ holds }) => holds)).toHaveLength(20)
  })

  it('gives a reader that is always right 40, and one that always says the same 20', () => {
    expect(examMark(reply(({ holds }) => holds))).toBe(40)
    expect(examMark(reply(() => true))).toBe(20)
    expect(examMark(reply(() => false))).toBe(20)
    expect(examMark('All of them are fine.')).toBe(0)
  })

  it('is passed by a guess less than once in a million times, also by one that says yes as often as is right', () => {
    const ways = (of: number, some: number) =>
      Array.from({ length: some }, (_, at) => (of - at) / (at + 1)).reduce((all, each) => all * each, 1)
    const enough = 36
    const marks = Array.from({ length: claims.length + 1 - enough }, (_, at) => enough + at)
    const byCoin = marks.reduce((sum, mark) => sum + ways(claims.length, mark), 0) / 2 ** claims.length
    // Twenty of forty are called true; k of them are, and as many of the others are called false rightly.
    const halves = marks.filter((mark) => mark % 2 === 0).map((mark) => ways(20, mark / 2) ** 2 / ways(40, 20))
    expect(byCoin).toBeLessThan(1e-6)
    expect(halves.reduce((sum, each) => sum + each, 0)).toBeLessThan(1e-6)
  })

  it('finds out a reader that guesses, whatever it draws', () => {
    const bits = fc.array(fc.boolean(), { minLength: claims.length, maxLength: claims.length })
    fc.assert(
      fc.property(bits, (drawn) => examMark(reply((_, index) => drawn[index] === true)) < 36),
      { numRuns: 500, seed: 7 },
    )
  })

  it('is not passed by comparing words, whatever share of them has to be shared', () => {
    const texts = passages.map(({ document, text }) => formsOf(`${document}\n${text}`))
    const shareOf = (claim: string) => {
      const wanted = [...formsOf(claim)]
      return Math.max(...texts.map((held) => wanted.filter((form) => held.has(form)).length / wanted.length))
    }
    const marks = Array.from({ length: 21 }, (_, step) => examMark(reply(({ text }) => shareOf(text) >= step / 20)))
    expect(Math.max(...marks)).toBeLessThanOrEqual(28)
  })
})
