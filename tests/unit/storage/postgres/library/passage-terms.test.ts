import { describe, expect, it, onTestFinished } from 'vitest'
import type { Storage } from '../../../../../src/storage/storage.ts'
import { postgresMissing } from '../../../../fixtures/storage/postgres-server.ts'
import { inOwnFolder, type OpenStorage, storages } from '../../../../fixtures/storage/storages.ts'
import { putText } from '../../../library/put-text.ts'

const texts = [
  'Whales sing low songs in the 1990s, and the singing of a whale carries far.',
  'Bats call high; a bat that calls hears its own call. Résumés of naïve callers.',
  'The H1N1 viruses of 2009 were relatively faster than the fastest influenza of 1918.',
  '大熊猫主要以竹子为食。 Pandas eat bamboo, and bamboos feed pandas.',
  'Generalizations of relational operators; conditional probabilities and their calibration.',
]

describe.skipIf(!storages.PostgreSQL)(`the ranking in PostgreSQL (${postgresMissing ?? 'installed'})`, () => {
  it('gives each passage the BM25 that SQLite gives it, and the same frequencies', async () => {
    const found = await Promise.all(Object.values(storages).map(answersOf))
    expect(found).toHaveLength(2)
    expect(found[1]).toEqual(found[0])
  })
})

async function answersOf(open: OpenStorage) {
  const { storage, close } = await inOwnFolder(open)
  onTestFinished(close)
  await fill(storage)
  const words = [
    'whale',
    'singing',
    'calls',
    '1990s',
    'h1n1',
    'faster',
    'naive',
    '竹子',
    'pandas',
    'relational',
    'none',
  ]
  const { passages, of } = await storage.library.frequencies(words)
  const queries = [...words.map((word) => [word]), ['whale', 'bats', 'call'], ['title', 'pandas', 'pandas'], words]
  const matches = await Promise.all(
    queries.map((terms) => storage.library.match({ terms, limit: 10, documents: null })),
  )
  return {
    passages,
    of,
    // The last digits of a logarithm are those of the library that computes it.
    matches: matches.map((list) => list.map(({ passage, bm25 }) => [passage.passageId, bm25.toFixed(9)])),
  }
}

async function fill(storage: Storage): Promise<void> {
  for (const [at, text] of texts.entries()) {
    await putText(storage.library, {
      id: `d${at}`,
      title: at % 2 ? 'A title of calls' : null,
      passages: [text, `${text} ${texts[0]}`],
    })
  }
}
