import { describe, expect, it } from 'vitest'
import { addressesIn, answerIn, harmless } from '../../../../src/answers/draft/clean-draft.ts'

const shown = (text: string) => harmless(answerIn(text), () => false)

describe('a sentence that is shown', () => {
  it.each([
    ['a tag of any length', `Safe <img alt="${'x'.repeat(2000)}" src=//evil onerror=alert()> here`],
    ['a tag that is not closed', 'Safe <img src=x onerror=alert() patients.'],
    ['a tag of another name', 'Safe <x onclick=alert() patients.'],
    ['entities', 'Safe &lt;script&gt;alert()&#60;/script&#x3e;'],
  ])('holds no HTML: %s', (_, text) => {
    expect(shown(text)).not.toMatch(/<|&lt|&gt|&#/)
  })

  it('removes tool calls that a model wrote as text, and tokens of its chat template', () => {
    expect(answerIn('<tool_call>{"name":"pdf_retrieval"}</tool_call>It is deep.<|im_end|>')).toBe('It is deep.')
    expect(answerIn('It is deep.\n[TOOL_CALLS] [{"name":"pdf_retrieval"}]')).toBe('It is deep.\n')
  })

  it('keeps comparisons', () => {
    expect(shown('p < 0.05 and q > 3')).toBe('p < 0.05 and q > 3')
  })

  it('holds no characters that nobody sees or that turn its direction', () => {
    expect(shown('a\u200fb\u061cc\u{e0041}d\u2028e')).toBe('abcd e')
  })
})

describe('the addresses of a text', () => {
  it('are found without a scheme too', () => {
    expect(addressesIn('See evil.com/phish, evil.com and https://a.example/b.')).toEqual([
      'evil.com/phish',
      'evil.com',
      'https://a.example/b',
    ])
    expect(addressesIn('In 3.5 of them, e.g. and/or Node.js, notes.md.')).toEqual([])
  })

  it('keeps digits in brackets that are a part of a name, in parentheses, since brackets are footnotes', () => {
    const shown = harmless('Two were of P[6], and X2[2] = 11.3, as others say[4].', () => false)
    expect(shown).toBe('Two were of P(6), and X2(2) = 11.3, as others say.')
  })
})
