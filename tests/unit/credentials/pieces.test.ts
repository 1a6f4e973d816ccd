import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hiddenPieces, maskedPieces, masker, type StreamRedactor } from '../../../src/credentials/mask.ts'
import { redactor } from '../../../src/redact.ts'

const secrets = ['opens-it-all', 'opens-it-all-and-more', 'p@ss "word"/1', 'all-and']

const words = [
  ...[
    'a word',
    ' ',
    '\n',
    'x',
    '\u0007',
    'opens-\u0007it-all',
    '\u0007all-',
    '\u00e9',
    '\u8bcd',
    'Bearer ',
    'bearer',
    ' Basic  ',
    'Authorization: ',
    'authorization',
  ],
  ...['=', ':', '://', '@', '?token=', "'", 'sk-proj-AbCdEf0123456789', 'abc12345', 'tvly-dev-0123456789ab'],
  ...['https://me:hunter2@h/v1?api_key=12345&x=1', 'password: hunter2\u043f', 'OPENAI_API_KEY=abc12345678'],
  ...['\\n', '\\', '\\"', 'postgres://me:p@ss1234@h/db', 'a://h\u00e9', '@', 'ASIAIOSFODNN7EXAMPLE', '_sk-abcdefgh1'],
  ...['opens-it-all-and-more', 'opens-it-all', 'p@ss "word"/1', 'opens-it-', 'all-and', 'p%40ss%20%22word%22%2F1'],
]
const blocks = [
  '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n',
  '-----END RSA PRIVATE KEY-----',
  '{"apiKey" : "open sesame"}',
  '{\\"apiKey\\" : \\"open \\\\\\"sesame\\"}',
  '"api_key": "open \\" sesame"',
  'password: "correct horse 9 battery"',
  '"',
]
const texts = textOf(words)

function textOf(parts: readonly string[]) {
  return fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((chosen) => chosen.join(''))
}
const cuts = fc.array(fc.nat(60), { maxLength: 30 })

function inPieces(text: string, lengths: readonly number[], pieces: StreamRedactor): string[] {
  const out: string[] = []
  let at = 0
  for (const length of lengths) {
    out.push(pieces.push(text.slice(at, at + length)))
    at += length
  }
  return [...out, pieces.push(text.slice(at)), pieces.flush()]
}

describe('a text that comes in pieces', () => {
  it('is masked as if it had come as a whole, wherever it is cut', { tags: ['T10', 'U2'] }, () => {
    const mask = masker(secrets)
    fc.assert(
      fc.property(texts, cuts, (text, lengths) => {
        expect(inPieces(text, lengths, maskedPieces(secrets)).join('')).toBe(mask(text))
      }),
      { numRuns: 500 },
    )
  })

  it('is hidden as if it had come as a whole, wherever it is cut', { tags: ['T10'] }, () => {
    const hide = redactor([])
    fc.assert(
      fc.property(texts, cuts, (text, lengths) => {
        expect(inPieces(text, lengths, hiddenPieces()).join('')).toBe(hide(text))
      }),
      { numRuns: 500 },
    )
  })

  it('lets nothing through that would be hidden in the whole, of keys in several lines either', {
    tags: ['T10'],
  }, () => {
    const hide = redactor([])
    const planted = [
      'MIIE',
      'horse',
      'ss1234',
      'abcdefgh1',
      'open sesame',
      'hunter2',
      'AbCdEf0123456789',
      'abc12345',
      '0123456789ab',
    ]
    fc.assert(
      fc.property(textOf([...words, ...blocks]), cuts, (text, lengths) => {
        const [whole, pieces] = [hide(text), inPieces(text, lengths, hiddenPieces()).join('')]
        for (const each of planted) if (!whole.includes(each)) expect(pieces).not.toContain(each)
      }),
      { numRuns: 500 },
    )
  })

  it('what is not shown parts no word: it is as if it were not there when the text is shown', { tags: ['T10'] }, () => {
    const pieces = hiddenPieces()
    expect(['a sk-', '\u0007planted-', '\u202e9f8e7d6c5b ', 'b'].map((each) => pieces.push(each))).toEqual([
      ...['a ', '', 'sk-\u0007planted-\u202e9f8e7d6c5b ', ''],
    ])
  })

  it('still streams: ordinary text waits for no more than its last word', { tags: ['T10'] }, () => {
    const ordinary = 'The corpus holds 81.1 million pages, see https://example.org/a?page=3 and p. 4.'.split(/(?<= )/)
    const pieces = hiddenPieces()
    const out = ordinary.map((word) => pieces.push(word))
    expect(out).toEqual(ordinary.map((word, at) => (at === ordinary.length - 1 ? '' : word)))
    expect(pieces.flush()).toBe('4.')
    const chinese = hiddenPieces()
    expect(chinese.push('\u8bed\u6599\u5e93')).toBe('\u8bed\u6599\u5e93')
  })

  it('holds nothing back where no configured credential may begin', () => {
    const pieces = maskedPieces(secrets)
    expect(['It ', 'op', 'en', 's-it', ' now'].map((each) => pieces.push(each))).toEqual([
      'It ',
      '',
      '',
      '',
      'opens-it now',
    ])
  })
})
