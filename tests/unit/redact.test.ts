import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactAll, redactor } from '../../src/redact.ts'

describe('a redactor', () => {
  const redact = redactor(['sesame-opens-it', null, 'abc'])

  it('hides the configured credentials wherever they stand, also inside words and URLs', { tags: ['T10'] }, () => {
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
    ['OPENAI_API_KEY=abc12345xyz', 'the key is OPENAI_API_KEY=[redacted]'],
    ['password: "hunter2"', 'the key is password: "[redacted]".'],
  ])('hides what is shaped like a credential: %s', { tags: ['T10'] }, (secret, expected) => {
    expect(redact(`the key is ${secret}.`)).toBe(expected)
  })

  it.each([
    ['ASIAIOSFODNN7EXAMPLE', 'the key is [redacted].'],
    ['my_sk-proj-AbCdEf0123456789', 'the key is my_[redacted].'],
    ['password: "correct horse 9 battery"', 'the key is password: "[redacted]".'],
    ['postgres://me:p@ss1234@h/db', 'the key is postgres://[redacted]@h/db.'],
    ['{"password":"a \\"b\\" c\\\\"}', 'the key is {"password":"[redacted]\\\\"}.'],
    ['q=%0Ask-proj-AbCdEf0123456789', 'the key is q=%0A[redacted].'],
  ])('hides what is shaped like a credential, of the rarer forms too: %s', { tags: ['T10'] }, (secret, expected) => {
    expect(redact(`the key is ${secret}.`)).toBe(expected)
  })

  it.each([
    'sk-proj-AbCdEf0123456789',
    'tvly-dev-0123456789ab',
    'AKIAIOSFODNN7EXAMPLE',
    'AIzaSyA-1234567890abcdefghijklmnopqrstu',
    'Bearer eyJhbGciOi.JIUzI1NiJ9',
    'Authorization: Basic dXNlcjpwYXNz',
    '{"api_key": "Zebra12345678"}',
    '{"password":"hunter, \\"the\\" hunter", "other": 1}',
    '{"password":"correct horse 9"}',
    "password: 'hunter2 hunter'",
    'https://h/v1?api_key=12345&x=1',
    'https://me:hunter2@h/v1',
  ])(
    'a text in JSON, and that again in JSON, hides the same at the beginning of a line: %s',
    { tags: ['T10'] },
    (secret) => {
      for (const before of ['My keys:\n', 'My keys:\t', '\r\n', '\u0001', '\u2028']) {
        const text = `${before}${secret}\nand no more of "them"`
        const once = JSON.stringify({ text })
        const twice = JSON.stringify({ once })
        expect(JSON.parse(redact(once))).toEqual({ text: redact(text) })
        expect(JSON.parse(JSON.parse(redact(twice)).once)).toEqual({ text: redact(text) })
        expect(redact(text)).toContain('[redacted]')
      }
    },
  )

  it.each([
    'The risk-based approach of the desk-top study',
    'Basic research and the bearer of bad news',
    'See https://example.org/a?page=3&sort=year',
    'a task-oriented ask-me-anything, pk-value 0.05',
    'load_hf_tokenizer, C:\\task-management\\risk-assessments, a 20%desk-based-approach',
    'The token "secret": a word. password: "please enter it". The secret key = the main finding of 1998',
    'mail me@example.org about http://example.org/@handle',
  ])('leaves ordinary text as it is: %s', (text) => {
    expect(redact(text)).toBe(text)
  })

  it.each(['ollama', 'lm-studio', 'not-needed'])('what local servers are given for a key is no secret: %s', (key) => {
    expect(redactor([key])(`It runs on ${key}.`)).toBe(`It runs on ${key}.`)
  })

  it('a field that is named like a credential is hidden as a whole, whatever it holds', { tags: ['T10'] }, () => {
    const value = { apiKey: 'open sesame', tokens: 12, nested: [{ client_secret: 'a b', key: 'main finding' }] }
    expect(redactAll(value, redact)).toEqual({
      apiKey: '[redacted]',
      tokens: 12,
      nested: [{ client_secret: '[redacted]', key: 'main finding' }],
    })
  })

  it('looks into a value that only says it is JSON, and at what is written of dates and addresses', {
    tags: ['T10'],
  }, () => {
    const secret = 'sesame-opens-it'
    const day = new Date(0)
    const value = { toJSON: 'x', note: secret, url: new URL(`http://h/?q=${secret}`), day, plain: new URL('http://h/') }
    expect(redactAll(value, redact)).toEqual({
      toJSON: 'x',
      note: '[redacted]',
      url: 'http://h/?q=[redacted]',
      day,
      plain: value.plain,
    })
  })

  it('a long text costs no more than its length, whatever it is made of', { tags: ['slow', 'S19'] }, () => {
    const parts = [
      'a.',
      'a-',
      '"',
      '&a',
      '://',
      'Bearer ',
      '-----BEGIN ',
      'password',
      'sk-',
      ' ',
      'authorization:',
      'A A ',
      '\\',
      '\\"',
      'password=',
      'password="a ',
      '"password":"',
      '"password\\":\\"\\\\\\"',
      'a://b@',
      'a@',
    ]
    for (const part of parts) expect(redact(part.repeat(200_000)).length).toBeGreaterThan(0)
  })

  it('hides the same a second time', { tags: ['T10'] }, () => {
    const said = [
      'Bearer ',
      'sk-proj-AbCdEf0123',
      '"token": "',
      '"',
      ' ',
      'password: hunter22',
      '://a@b',
      '?key=1',
      '=',
      ':',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...said)), (parts) => {
        const once = redact(parts.join(''))
        expect(redact(once)).toBe(once)
      }),
    )
  })

  it('too short a secret is not looked for: it would blank out ordinary words', () => {
    expect(redact('abc of it')).toBe('abc of it')
  })

  it('no configured credential is left in any value, keys and nested texts included', { tags: ['T10'] }, () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6, maxLength: 30 }).filter(isNoWord), fc.json(), (secret, text) => {
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

/** A short word in small letters is taken for the placeholder that it mostly is. */
function isNoWord(text: string): boolean {
  return !/^[a-z]{1,10}$/.test(text)
}
