import { describe, expect, it } from 'vitest'
import { remotePrompt, replacementFor } from '../../../src/langfuse/prompt-api.ts'
import type { Prompt } from '../../../src/prompts.ts'

const file: Prompt = {
  id: 'answer',
  version: 3,
  inputs: ['question', 'evidence', 'mood'],
  system: 'Answer from {{evidence}}.',
  user: '{{question}}',
}

function replaced(prompt: unknown, type = 'chat') {
  return replacementFor(file, remotePrompt.parse({ type, name: 'quaero-answer', version: 7, labels: [], prompt }))
}

function chat(system: string, user = '{{question}}') {
  return [
    { role: 'system', content: system },
    { type: 'chatmessage', role: 'user', content: user },
  ]
}

describe('a prompt from Langfuse in the place of a file', () => {
  it('is a chat of one system and one user message, whose variables may have spaces around them', {
    tags: ['T15'],
  }, () => {
    expect(replaced(chat('From {{ evidence }}:\r\nanswer {{mood}}.\n', ' {{question}}\n'))).toEqual({
      text: { system: 'From {{evidence}}:\nanswer {{mood}}.', user: '{{question}}' },
      problem: null,
    })
  })

  it('as a text takes the place of the system message alone', { tags: ['T15'] }, () => {
    const text = { system: 'Only {{evidence}}.', user: file.user }
    expect(replaced('Only {{evidence}}.', 'text')).toEqual({ text, problem: null })
  })

  it.each([
    ['one message', chat('{{evidence}}').slice(0, 1), /one system and one user message/],
    [
      'three messages',
      [...chat('{{evidence}}'), { role: 'assistant', content: 'Hm.' }],
      /one system and one user message/,
    ],
    ['the messages in another order', chat('{{evidence}}').reverse(), /one system and one user message/],
    ['a placeholder', [{ type: 'placeholder', name: 'history' }, ...chat('{{evidence}}')], /one system and one user/],
    [
      'a variable that nobody fills',
      chat('{{evidence}} {{weather}}'),
      /it uses \{\{weather\}\}, and there is only question/,
    ],
    ['no place for what the file shows', chat('Answer.'), /it lacks \{\{evidence\}\}/],
    ['an empty system message', chat(' \u0000 ', '{{evidence}} {{question}}'), /its system message is empty/],
    ['more text than any prompt has', chat(`{{evidence}} ${'x'.repeat(100_000)}`), /it has 100025 characters/],
    ['a section', chat('{{#evidence}}x{{/evidence}} {{evidence}}'), /"\{\{#evidence\}\}" is no variable/],
    ['an unescaped variable', chat('{{{evidence}}} {{evidence}}'), /is no variable/],
    ['a name with a hyphen', chat('{{evidence}} {{the-mood}}'), /"\{\{the-mood\}\}" is no variable/],
  ])('is not used with %s, and the reason is told', { tags: ['T15'] }, (_, prompt, problem) => {
    expect(replaced(prompt).problem).toMatch(problem)
  })

  it('may hold JSON, and braces that are none of a variable', { tags: ['T15'] }, () => {
    expect(replaced(chat('{{evidence}} Write {"a": {"b": 1}} or {}.')).problem).toBeNull()
  })
})
