import fc from 'fast-check'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { UsageError } from '../../../src/errors.ts'
import { findPassages } from '../../../src/library/search.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { putText } from './put-text.ts'

const DOCUMENTS = 20
const PASSAGES = 15
/** So many words, that each stands in few passages: a search is then quick. */
const plain = Array.from({ length: 300 }, (_, i) => `subject${i}`)
const subjects =
  'NEAR acid OR lemon AND river NOT copper title wheat 水利 東京 ดิน नदी نهر réseau х42 9.81 "quoted" naïve'.split(' ')

/** Operators, quotes and column filters of FTS5, and signs with which programs have come to grief. */
const syntax = fc.constantFrom(
  ...[
    'AND',
    'OR',
    'NOT',
    'NEAR(',
    'NEAR(a b, 5)',
    'NEAR/3',
    '"',
    '""',
    "'",
    '`',
    '(',
    ')',
    '{title section}:',
    'text:',
  ],
  ...[
    '-title:',
    '*',
    'a*',
    '^',
    '^"a"',
    '+',
    'a + b',
    ':',
    ';',
    '--',
    '/*',
    '%',
    '_',
    '\\',
    '?',
    '?1',
    '@p',
    '$x',
    ',',
  ],
  ...['\0', 'a\0b', '\u0001', '\u001b[2J', '\r\n', '\t', '\u200b', '\u202e', '\ufeff', '\ufffe', '\u00ad', '\u2028'],
  ...['rowid', 'rank', 'passage_terms', 'bm25(passage_terms)', "'; DROP TABLE passages; --", '<|endoftext|>', '$(1)'],
)
const scripts = fc.constantFrom(
  ...[
    '水',
    '水利工程',
    '東京タワー',
    'ｶﾞｲﾄﾞ',
    'が',
    'か\u3099',
    '대한민국',
    '\u1112\u1161\u11ab',
    'กรุงเทพ',
    'ที่',
    'ລາວ',
    'ខ្មែរ',
    'မြန်မာ',
  ],
  ...[
    'हिन्दी',
    'نهر',
    'تُزرع',
    'שָׁלוֹם',
    'é',
    'e\u0301',
    'a\u0301\u0302\u0303',
    '\u0301',
    '\u3099',
    'ﾞ',
    'ﬁ',
    'İ',
    'ß',
    'Ω',
    '𝔘',
    '①',
    '㎏',
    '２',
  ],
  ...['🦓', '👩‍👩‍👧', '🇨🇭', '\ud83e', '\udd93', '\udfff\ud800', '\u{10ffff}'],
)
const word = fc.oneof(
  syntax,
  scripts,
  fc.constantFrom(...subjects),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  // Any code unit, so that halves of pairs stand alone.
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 }).map((units) => String.fromCharCode(...units)),
)
/** Texts of up to six such words; made of few words anew and anew, since making words takes longer than searching. */
function* texts(count: number): Generator<string> {
  const words = fc.sample(word, 5000)
  const pick = fc.sample(fc.array(fc.nat(), { minLength: 7, maxLength: 7 }), 1000)
  for (let i = 0; i < count; i += 1) {
    const [length = 0, ...at] = pick[i % pick.length] ?? []
    const sign = [' ', '', '\n'][i % 3]
    yield at
      .slice(0, 1 + (length % 6))
      .map((each) => words[(each + 31 * i) % words.length])
      .join(sign)
  }
}

describe('a search for any text at all', () => {
  let storage: Storage

  beforeAll(async () => {
    storage = await openSqliteStorage({ path: ':memory:' })
    for (let document = 0; document < DOCUMENTS; document += 1) {
      const passages = Array.from({ length: PASSAGES }, (_, i) => {
        const of = (step: number) => subjects[(document * 7 + i * step) % subjects.length]
        return i === 0
          ? `On ${of(1)} and ${of(3)}, ${of(5)}`
          : `${plain[(document * PASSAGES + i) % plain.length]} ${document}.${i}`
      })
      await putText(storage.passages, {
        id: `d${document}`,
        title: null,
        passages,
      })
    }
  })
  afterAll(() => storage.close())

  async function search(text: string): Promise<void> {
    const asks = /[\p{L}\p{N}]/u.test(text)
    try {
      const found = await findPassages(storage.passages, text, { limit: 3 })
      if (!asks || !found.every(({ score }) => score >= 0 && score <= 1)) throw new Error(`found ${found.length}`)
    } catch (error) {
      if (asks || !(error instanceof UsageError))
        throw new Error(`${JSON.stringify(text.slice(0, 500))} failed`, { cause: error })
    }
  }

  it('finds passages or nothing, and never fails: 100,000 texts', {
    tags: ['slow', 'S9', 'F74'],
    timeout: 300_000,
  }, async () => {
    for (const text of texts(100_000)) await search(text)
  })

  it.each([
    ['64,000 words', 'acid river '.repeat(32_000)],
    ['64,000 different words', Array.from({ length: 64_000 }, (_, i) => `word${i}`).join(' ')],
    ['one word of a million letters', 'a'.repeat(1_000_000)],
    ['a million characters without a space', '水利'.repeat(500_000)],
    ['a letter with a million marks', `a${'\u0301'.repeat(1_000_000)}`],
    ['a million brackets', `${'('.repeat(500_000)}a${')'.repeat(500_000)}`],
  ])('does not fail for %s', { tags: ['F74'] }, async (_, text) => {
    await search(text)
  })
})
