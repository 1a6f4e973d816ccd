import { describe, expect, it } from 'vitest'
import { findPronoun } from '../../../../src/offline/follow-up/standalone-question.ts'

describe('a pronoun', () => {
  it.each([
    'Which backup methods lost nothing, and how do they compare with copying the main file?',
    'What methods lose nothing? How fast are they?',
    'Which filters were used, and why did they fail?',
  ])('stands for what an earlier clause asks for: %s', (question) => {
    expect(findPronoun(question)).toBeNull()
  })

  it.each([
    'What accuracy did they report?',
    'Tell me what methods they used',
    'What did they use, and how did it end?',
  ])('is unexplained where only its own clause could explain it: %s', { tags: ['R13'] }, (question) => {
    expect(findPronoun(question)).not.toBeNull()
  })
})
