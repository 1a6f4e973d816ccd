import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineDiff } from '../../../src/langfuse/prompt-sync.ts'

describe('the lines in which two texts differ', () => {
  it('are none for the same text', () => {
    fc.assert(fc.property(fc.string(), (text) => lineDiff(text, text) === ''))
  })

  it('stand between two lines of what is the same, and what is farther away is left out', () => {
    const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9']
    const after = ['1', '2', '3', 'four', '5', '6', '7', '8', '9', '10']
    expect(lineDiff(before.join('\n'), after.join('\n')).split('\n')).toEqual([
      '…',
      '  2',
      '  3',
      '- 4',
      '+ four',
      '  5',
      '  6',
      '…',
      '  8',
      '  9',
      '+ 10',
    ])
  })

  it('lead from one text to the other, and are no more than must be', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 2 })
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before.join() !== after.join())
        const lines = lineDiff(before.join('\n'), after.join('\n')).split('\n')
        const without = (sign: string) => lines.filter((line) => line[0] !== sign).map((line) => line.slice(2))
        expect(without('+')).toEqual(before)
        expect(without('-')).toEqual(after)
        const shared = before.filter((line) => after.includes(line)).length
        if (shared === 0) expect(lines).toHaveLength(before.length + after.length)
        else expect(lines.some((line) => line.startsWith(' '))).toBe(true)
      }),
    )
  })
})
