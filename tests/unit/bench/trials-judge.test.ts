import { describe, expect, it } from 'vitest'
import { effectIn, placeOf } from '../../../bench/trials/judge.ts'

describe('the effect that an answer states', () => {
  it('is the one that it names in the words of the question', () => {
    expect(effectIn('The rate was **significantly decreased** (p = 0.03) [1].')).toBe('significantly decreased')
    expect(effectIn('There was no significant difference between higher and lower doses [1].')).toBe(
      'no significant difference',
    )
  })

  it('is that of other words, of the first sentence that states one', () => {
    expect(effectIn('40 patients took part. The score was not significantly higher (p = .4). It fell later.')).toBe(
      'no significant difference',
    )
    expect(effectIn('Fewer patients bled in the treated group.')).toBe('significantly decreased')
    expect(effectIn('Survival rose to 80 %.')).toBe('significantly increased')
  })

  it('is none where none or two are stated', () => {
    expect(effectIn('40 patients took part.')).toBeNull()
    expect(effectIn('It was significantly increased at first and significantly decreased later.')).toBeNull()
    expect(effectIn('It rose in some and fell in others.')).toBeNull()
  })
})

describe('a quote', () => {
  const evidence = [
    'Fewer participants had haematoma expansion at day 2 in the acid group (265 [25%]) than in the other.',
  ]

  it('holds the evidence whole, whatever the punctuation', () => {
    expect(placeOf(`Before. ${evidence[0]?.replaceAll('(', '').toUpperCase()} After.`, evidence)).toBe('whole')
  })

  it('holds a part of it with eight words in a row, or all of its own', () => {
    expect(placeOf('We saw that fewer participants had haematoma expansion at day 2', evidence)).toBe('part')
    expect(placeOf('in the acid group', evidence)).toBe('part')
    expect(placeOf('Fewer participants had haematoma expansion later; at day 2 none', evidence)).toBe('none')
    expect(placeOf('', evidence)).toBe('none')
  })
})
