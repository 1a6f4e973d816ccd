import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NewDocument } from '../src/library/port/document.ts'
import type { VectorSpace } from '../src/library/port/passage-vectors.ts'
import { findPassages } from '../src/library/search.ts'
import { vectorTable } from '../src/library/vectors/vector-table.ts'
import { openSqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../src/storage/storage.ts'
import { fill } from './question-sets.ts'

const SIZES = [10_000, 100_000]
const DIMENSIONS = 768
const WORDS_PER_PASSAGE = 90
const WORDS_PER_QUERY = 8
const PASSAGES_PER_DOCUMENT = 100
const VOCABULARY = 50_000
const QUERIES = 30

/**
 * How long it takes to compare a query with every vector, beside the search by words over as many passages; how long
 * the vectors take to load, and how long the comparison keeps others waiting. Passages are words drawn by Zipf's law,
 * vectors drawn evenly.
 */
export async function run(): Promise<void> {
  for (const size of SIZES) {
    const folder = await mkdtemp(join(tmpdir(), 'quaero-vectors-'))
    const storage = await openSqliteStorage({ path: join(folder, 'vectors.db') })
    try {
      await measure(storage, size)
    } finally {
      await storage.close()
      await rm(folder, { recursive: true })
    }
  }
}

async function measure(storage: Storage, size: number): Promise<void> {
  const next = randomNumbers()
  await fill(storage.passages, documentsOf(size, next))
  const space = await storage.vectors.openSpace({ model: 'drawn', dimensions: null, prefix: '' }, DIMENSIONS)
  await putVectors(storage, space, next)
  const table = vectorTable(storage.vectors)
  const nearest = () => table.nearest(space, drawnVector(next), { limit: 100, documents: null })
  const load = await timed(nearest)
  const scans: number[] = []
  const searches: number[] = []
  let longest = 0
  for (let n = 0; n < QUERIES; n += 1) {
    const gaps = watchGaps()
    scans.push(await timed(nearest))
    longest = Math.max(longest, gaps())
    searches.push(await timed(() => findPassages(storage.passages, words(WORDS_PER_QUERY, next))))
  }
  const [scan, search] = [median(scans), median(searches)]
  console.log(
    `${size} passages, ${DIMENSIONS} dimensions: vectors ${scan.toFixed(1)} ms, words ${search.toFixed(1)} ms, ` +
      `ratio ${(scan / search).toFixed(2)}; loading ${Math.round(load)} ms, others wait at most ${Math.round(longest)} ms`,
  )
}

function* documentsOf(size: number, next: () => number): Generator<NewDocument> {
  for (let number = 0; number < size / PASSAGES_PER_DOCUMENT; number += 1) {
    const documentId = `drawn-${number}`
    const texts = Array.from({ length: PASSAGES_PER_DOCUMENT }, () => words(WORDS_PER_PASSAGE, next))
    let start = 0
    const passages = texts.map((text, ordinal) => {
      const place = { page: 1, section: null, kind: 'text', start, end: start + text.length } as const
      start += text.length + 1
      return { passageId: `${documentId}.${ordinal}`, documentId, ordinal, ...place, text }
    })
    yield {
      record: { documentId, title: null, authors: [], year: null, source: `${documentId}.txt`, format: 'text' },
      pages: [{ number: 1, label: null, text: texts.join('\n'), header: null }],
      passages,
    }
  }
}

async function putVectors({ vectors }: Storage, space: VectorSpace, next: () => number): Promise<void> {
  for (;;) {
    const missing = await vectors.missing(space, { after: 0, limit: 1000, documents: null })
    if (missing.length === 0) return
    await vectors.put(
      space,
      missing.map(({ passageId }) => ({ hash: passageId, passages: [passageId], vector: drawnVector(next) })),
    )
  }
}

/** Words drawn by Zipf's law: the n-th most frequent is n times rarer than the first. */
function words(count: number, next: () => number): string {
  return Array.from({ length: count }, () => `w${Math.floor(VOCABULARY ** next())}`).join(' ')
}

function drawnVector(next: () => number): Float32Array {
  const vector = Float32Array.from({ length: DIMENSIONS }, () => next() - 0.5)
  const length = Math.sqrt(vector.reduce((sum, each) => sum + each * each, 0))
  return vector.map((each) => each / length)
}

/** Numbers from 0 to 1, the same in every run (a linear congruential generator, constants of Numerical Recipes). */
function randomNumbers(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Watches how long the event loop is held; call what it returns to learn the longest time, in milliseconds. */
function watchGaps(): () => number {
  let last = performance.now()
  let longest = 0
  let watching = true
  const look = () => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
    if (watching) setImmediate(look)
  }
  setImmediate(look)
  return () => {
    watching = false
    return Math.max(longest, performance.now() - last)
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}
