import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinLines, vocabulary } from '../../../../src/library/readers/pdf/hyphens.ts'

function join(lines: readonly string[], elsewhere: readonly string[] = []): string {
  return joinLines(lines, vocabulary([...lines, ...elsewhere]))
}

describe('a word that a line end cuts', () => {
  it('is joined if the whole word occurs elsewhere', () => {
    expect(join(['a commu-', 'nity here'], ['the community'])).toBe('a community here')
  })

  it('keeps its hyphen if the hyphenated form occurs elsewhere', () => {
    expect(join(['an open-', 'access paper'], ['many open-access papers'])).toBe('an open-access paper')
    expect(join(['the state-of-the-', 'art tool'], ['a state-of-the-art tool'])).toBe('the state-of-the-art tool')
  })

  it('keeps its hyphen if both halves are words seen more than twice, or the first is an adverb', () => {
    expect(join(['a long-', 'form text'], Array(3).fill('a long form here'))).toBe('a long-form text')
    expect(join(['an automatically-', 'built one'], ['automatically so'])).toBe('an automatically-built one')
  })

  it('is joined otherwise', () => {
    expect(join(['it is par-', 'ticular'])).toBe('it is particular')
  })

  it('keeps its hyphen before a number or a name', () => {
    expect(join(['in 2019-', '2020 and'])).toBe('in 2019-2020 and')
    expect(join(['the Saier-', 'Färber set'])).toBe('the Saier-Färber set')
  })

  it('leaves dashes that stand between words', () => {
    expect(join(['one thing -', 'another thing'])).toBe('one thing - another thing')
  })
})

it('joining lines loses nothing but hyphens and adds nothing but spaces', () => {
  const line = fc
    .array(fc.constantFrom('open', 'access', 'a', 'well-', '2019', '-', 'Fär'))
    .map((words) => words.join(' '))
  fc.assert(
    fc.property(fc.array(line.filter((text) => text.trim() !== '')), (lines) => {
      const plain = (text: string) => text.replace(/[\s-]+/gu, '')
      expect(plain(join(lines))).toBe(plain(lines.join(' ')))
    }),
  )
})
