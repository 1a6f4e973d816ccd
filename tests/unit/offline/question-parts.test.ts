import { describe, expect, it } from 'vitest'
import { questionParts } from '../../../src/offline/question-parts.ts'

describe('the parts of a question', () => {
  it.each([
    [
      'How many leaks were repaired and how many pumps were replaced in 2024?',
      ['How many leaks were repaired in 2024', 'how many pumps were replaced in 2024?'],
    ],
    [
      'What was the revenue in 2022 and how many households were supplied?',
      ['What was the revenue in 2022', 'how many households were supplied in 2022'],
    ],
  ])('share the year that one of them names: %s', (question, parts) => {
    expect(questionParts(question)).toEqual(parts)
  })

  it.each([
    [
      'How many leaks were repaired in 2023 and how many pumps were replaced in 2024?',
      ['How many leaks were repaired in 2023', 'how many pumps were replaced in 2024?'],
    ],
    [
      'When was the mill founded and how many people did the mill employ in 2024?',
      ['When was the mill founded', 'how many people did the mill employ in 2024?'],
    ],
    ['How large is Marble and how many live in Turin?', ['How large is Marble', 'how many live in Turin?']],
  ])('keep their own: %s', (question, parts) => {
    expect(questionParts(question)).toEqual(parts)
  })

  it.each([
    ['How much is the deposit and when is it returned?', ['How much is the deposit', 'When is the deposit returned?']],
    ['How heavy is the device and how loud is it?', ['How heavy is the device', 'How loud is the device?']],
    ['Who wrote the report and when was it published?', ['Who wrote the report', 'When was the report published?']],
    ['When was the mill founded and who runs it?', ['When was the mill founded', 'Who runs the mill?']],
  ])('say what "it" stands for: %s', (question, parts) => {
    expect(questionParts(question)).toEqual(parts)
  })

  it('are the whole question where nothing says what "it" is', () => {
    expect(questionParts('How loud and when is it returned?')).toEqual(['How loud and when is it returned?'])
  })
})
