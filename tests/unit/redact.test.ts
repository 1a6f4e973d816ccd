import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactAll, redactor } from '../../src/redact.ts'

describe('a redactor', () => {
  const redact = redactor(['sesame-opens-it', null, 'abc'])

  it('T10: hides the configured credentials wherever they stand, also inside words and URLs', () => {
    expect(redact('xsesame-opens-ity')).toBe('x[redacted]y')
    expect(redactor(['p@ss word/1'])('https://h/?q=p%40ss%20word%2F1')).toBe('https://h/?q=[redacted]')
    expect(redactor(['quo"ted-secret'])('{"a":"quo\\"ted-secret"}')).toBe('{"a":"[redacted]"}')
  })

  it.each([
    ['sk-proj-AbCdEf0123456789', 'the key is [redacted].'],
    ['pk-lf-12345678-aaaa', 'the key is [redacted].'],
    ['tvly-dev-0123456789ab', 'the key is [redacted].'],
    ['Bearer eyJhbGciOi.JIUzI1NiJ9', 'the key is Bearer [redacted].'],
    ['Authorization: Basic dXNlcjpwYXNz', 'the key is Authorization: Basic [redacted].'],
    ['https://h/v1?api_key=12345&x=1', 'the key is https://h/v1?api_key=[redacted]&x=1.'],
    ['https://me:hunter2@h/v1', 'the key is https://[redacted]@h/v1.'],
    ['AKIAIOSFODNN7EXAMPLE', 'the key is [redacted].'],
    ['AIzaSyA-1234567890abcdefghijklmnopqrstu', 'the key is [redacted].'],
    ['-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----', 'the key is [redacted].'],
    ['{"apiKey":"opensesame"}', 'the key is {"apiKey":"[redacted]"}.'],
  ])('T10: hides what is shaped like a credential: %s', (secret, expected) => {
    expect(redact(`the key is ${secret}.`)).toBe(expected)
  })

  it.each([
    'The risk-based approach of the desk-top study',
    'Basic research and the bearer of bad news',
    'See https://example.org/a?page=3&sort=year',
    'a task-oriented ask-me-anything, pk-value 0.05',
    'mail me@example.org about http://example.org/@handle',
  ])('leaves ordinary text as it is: %s', (text) => {
    expect(redact(text)).toBe(text)
  })

  it('too short a secret is not looked for: it would blank out ordinary words', () => {
    expect(redact('abc of it')).toBe('abc of it')
  })

  it('T10: no configured credential is left in any value, keys and nested texts included', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6, maxLength: 30 }), fc.json(), (secret, text) => {
        const value = { [`a${secret}`]: [`b${secret}c`, { d: secret, e: JSON.parse(text) }] }
        const clean = redactAll(value, redactor([secret]))
        const strings: string[] = []
        JSON.stringify(clean, (key, each) => {
          strings.push(key)
          if (typeof each === 'string') strings.push(each)
          return each
        })
        const survives = strings.some((each) => each.includes(secret))
        // The word that takes its place may itself hold what was hidden.
        return !survives || '[redacted]'.includes(secret)
      }),
    )
  })
})
