import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { masker } from '../../../src/credentials/mask.ts'

const secret = 'p@ss "word"/1'

describe('a mask', () => {
  it('takes a configured credential out of every text of a value, and keeps the lengths', { tags: ['T10'] }, () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.json(), (before, after, json) => {
        const text = `${before}${secret}${after}`
        const value = { [text]: [text, { deep: JSON.parse(json), text }] }
        const masked = masker([secret])(value)
        expect(JSON.stringify(Object.entries(masked))).not.toContain('p@ss')
        expect(Object.keys(masked)[0]).toHaveLength(text.length)
        expect(masked).toEqual({ [text.replace(secret, '*'.repeat(secret.length))]: expect.anything() })
      }),
    )
  })

  it('knows it as it stands in JSON and in URLs', { tags: ['T10'] }, () => {
    const mask = masker([secret])
    for (const text of [JSON.stringify(secret), encodeURIComponent(secret), encodeURIComponent(secret).toLowerCase()]) {
      expect(mask(text)).not.toMatch(/p(?:@|%40)ss/)
      expect(mask(text)).toHaveLength(text.length)
    }
  })

  it('knows it with control characters in it, which are taken out where a text is shown', { tags: ['T10'] }, () => {
    const text = `\u0007a p@\u0007ss "w\u202eord"\u0000/1 b\u0007`
    const masked = masker([secret])(text)
    expect(masked).toBe('\u0007a **\u0007*****\u202e****\u0000** b\u0007')
    expect(masker([secret])('p@\nss "word"/1 \u0007')).toBe('p@\nss "word"/1 \u0007')
  })

  it('leaves a value that holds none as it is, and a person\u2019s own text that looks like one', () => {
    const value = { text: 'sk-planted-9f8e7d6c5b', list: [1, null, { date: new Date(0) }] }
    expect(masker([secret])(value)).toBe(value)
    expect(masker([null, 'abc', 'ollama'])('abc ollama')).toBe('abc ollama')
  })
})
