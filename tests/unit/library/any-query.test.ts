import { afterAll, beforeAll, describe, it } from 'vitest'
import { UsageError } from '../../../src/errors.ts'
import { findPassages } from '../../../src/library/search.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { anyTexts, putDocuments } from '../../fixtures/any-texts.ts'
import { quickAndSlow } from '../../fixtures/quick-rows.ts'

/** Their many words take seconds to find. */
const wide = ['64,000 different words', 'a million characters without a space']

const longTexts = [
  ['64,000 words', 'acid river '.repeat(32_000)],
  ['64,000 different words', Array.from({ length: 64_000 }, (_, i) => `word${i}`).join(' ')],
  ['one word of a million letters', 'a'.repeat(1_000_000)],
  ['a million characters without a space', '水利'.repeat(500_000)],
  ['a letter with a million marks', `a${'\u0301'.repeat(1_000_000)}`],
  ['a million brackets', `${'('.repeat(500_000)}a${')'.repeat(500_000)}`],
] as const

describe('a search for any text at all', () => {
  let storage: Storage

  beforeAll(async () => {
    storage = await openSqliteStorage({ path: ':memory:' })
    await putDocuments(storage.library)
  })
  afterAll(() => storage.close())

  async function search(text: string): Promise<void> {
    const asks = /[\p{L}\p{N}]/u.test(text)
    try {
      const found = await findPassages(storage.library, text, { limit: 3 })
      if (!asks || !found.every(({ score }) => score >= 0 && score <= 1)) throw new Error(`found ${found.length}`)
    } catch (error) {
      if (asks || !(error instanceof UsageError))
        throw new Error(`${JSON.stringify(text.slice(0, 500))} failed`, { cause: error })
    }
  }

  it('finds passages or nothing, and never fails: 20,000 texts', {
    tags: ['slow', 'S9', 'F74'],
    timeout: 300_000,
  }, async () => {
    for (const text of anyTexts(20_000)) await search(text)
  })

  for (const { rows, tags } of quickAndSlow(longTexts, ([name]) => !wide.includes(name))) {
    it.each(rows)('does not fail for %s', { tags: [...tags, 'F74'] }, async (_, text) => {
      await search(text)
    })
  }
})
