import { describe, expect, it } from 'vitest'
import { withoutBold } from '../../../src/agents/wording.ts'

describe('highlights', () => {
  it('are the words that a rule has put in bold, and not those of a document', () => {
    const source = 'The toll is **free** today, not 12.'
    expect(withoutBold('The toll is **free** today, not **12**.', [source])).toEqual({
      text: 'The toll is **free** today, not 12.',
      highlights: [{ start: 32, end: 34 }],
    })
  })
})
