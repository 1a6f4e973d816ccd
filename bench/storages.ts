import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { NewDocument } from '../src/library/port/document.ts'
import { findPassages } from '../src/library/search.ts'
import { openPostgresStorage } from '../src/storage/postgres/postgres-storage.ts'
import { openSqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../src/storage/storage.ts'
import { newPostgresServer, postgresMissing } from '../tests/fixtures/storage/postgres-server.ts'
import { covidQa, dataFolder, fill, MissingData, sciFact, xquad } from './question-sets.ts'
import { recombined, sentencesOf } from './scale.ts'

/**
 * The same library in SQLite and in PostgreSQL (a server of its own, on a Unix socket): for how many questions both find
 * the same ten passages, in the same order, and how long a search takes. The library is that of the question sets, or
 * with `--passages n` one of n passages that are put together of their sentences, and 200 of the questions.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { passages: { type: 'string' } } })
  if (postgresMissing !== null) throw new MissingData(`${postgresMissing}.`)
  const { documents, questions } = libraryOf(Number(values.passages ?? 0))
  const folder = await mkdtemp(join(tmpdir(), 'quaero-storages-'))
  // The server runs as another user, where root starts it.
  await chmod(folder, 0o755)
  const server = newPostgresServer(join(folder, 'postgres'))
  await server.start()
  try {
    const sqlite = await openSqliteStorage({ path: join(folder, 'quaero.db') })
    const postgres = await openPostgresStorage({ url: server.url('postgres') })
    await compare({ SQLite: sqlite, PostgreSQL: postgres }, documents, questions)
    await Promise.all([sqlite.close(), postgres.close()])
  } finally {
    await server.stop()
    await rm(folder, { recursive: true })
  }
}

const QUESTIONS_OF_LARGE = 200

function libraryOf(passages: number) {
  const folder = dataFolder()
  const sets = [xquad(folder), covidQa(folder)]
  const claims = sciFact(folder)
  const documents = [...sets, claims].flatMap((set) => set.documents)
  const questions = [
    ...sets.flatMap((set) => set.questions.map(({ question }) => question)),
    ...claims.queries.map(({ text }) => text),
  ]
  if (passages === 0) return { documents, questions }
  const step = Math.ceil(questions.length / QUESTIONS_OF_LARGE)
  const texts = documents.flatMap(sentencesOf)
  return { documents: [...recombined(texts, passages)], questions: questions.filter((_, at) => at % step === 0) }
}

async function compare(
  storages: { readonly SQLite: Storage; readonly PostgreSQL: Storage },
  documents: readonly NewDocument[],
  questions: readonly string[],
): Promise<void> {
  const found: (readonly string[])[] = []
  for (const [name, { library: index }] of Object.entries(storages)) {
    const started = performance.now()
    await fill(index, documents)
    const filled = (performance.now() - started) / 1000
    // What the first questions read is then in memory, as in a program that has run for a while.
    for (const question of questions.slice(0, 50)) await findPassages(index, question)
    const times: number[] = []
    const lists: string[] = []
    for (const question of questions) {
      const before = performance.now()
      const hits = await findPassages(index, question)
      times.push(performance.now() - before)
      lists.push(hits.map(({ passage }) => passage.passageId).join(' '))
    }
    found.push(lists)
    const at = (share: number) => times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))]?.toFixed(1)
    console.log(`${name}: filled in ${filled.toFixed(0)} s; a search p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`)
  }
  const [first = [], second = []] = found
  const same = first.filter((list, at) => list === second[at]).length
  const share = ((100 * same) / questions.length).toFixed(1)
  console.log(`the same first ten passages in the same order: ${same} of ${questions.length} questions (${share} %)`)
}
