import { describe, expect, it } from 'vitest'
import { clarifyingQuestion } from '../../../../src/offline/clarification/clarifying-question.ts'

const ask = (...candidates: readonly string[]) =>
  clarifyingQuestion({
    agent: 'clarification',
    question: 'What is it about?',
    missingContext: ['which document is meant'],
    candidates,
  })

describe('a question back', () => {
  it('offers titles without their subtitles, where they differ all the same', () => {
    expect(ask('Kestrel: A Queue (Ilves, 2022)', 'Heron: Brokers')).toBe(
      'Which document do you mean: “Kestrel” (Ilves, 2022) or “Heron”?',
    )
  })

  it('keeps what tells documents of one title apart', () => {
    expect(ask('Policy (version 1)', 'Policy (version 2)')).toBe(
      'Which document do you mean: “Policy” (version 1) or “Policy” (version 2)?',
    )
  })

  it.each([[['Policy']], [['Policy', 'Policy']]])('never offers a single choice: %s', (candidates) => {
    expect(ask(...candidates)).toBe('Could you tell me which document is meant?')
  })
})
