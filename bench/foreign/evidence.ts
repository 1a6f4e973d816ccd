import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Passage } from '../../src/library/port/document.ts'
import { findPassages, scorePassages } from '../../src/library/search.ts'
import { widerQuery } from '../../src/offline/language/wider-query.ts'
import { partsOver } from '../../src/offline/parts/parts.ts'
import { AROUND } from '../../src/offline/retrieve.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { fetchDocuments } from './fetch.ts'
import { copyOfLibrary } from './library.ts'
import { type ForeignQuestion, type Half, readMaterial } from './material.ts'

const PASSAGES = 10

/** A question of the development half with what the search finds for it among the documents of that half. */
export interface ForeignEvidence {
  readonly asked: ForeignQuestion
  /** Of the document that is asked about. */
  readonly kind: string
  readonly evidence: Awaited<ReturnType<typeof search>>
  /** Whether a passage stands in a document that answers the question. */
  readonly isOwn: (passage: { readonly source: string }) => boolean
}

/** Searches for every question of a half, by default of development, that needs no conversation; `use` gets the open library. */
export async function withForeignEvidence<T>(
  use: (found: readonly ForeignEvidence[], storage: Storage) => Promise<T>,
  { folder, of = 'development' }: { readonly folder?: string; readonly of?: Half } = {},
): Promise<T> {
  const { documents, questions } = readMaterial(folder)
  const own = documents.filter(({ half }) => half === of)
  const files = await fetchDocuments(own)
  const dataDir = await copyOfLibrary(own, files)
  const storage = await openSqliteStorage({ path: join(dataDir, 'quaero.db') })
  const kindOf = new Map(own.map(({ id, kind }) => [id, kind]))
  const asked = questions.filter(({ half, kind }) => half === of && kind !== 'vague' && kind !== 'follow-up')
  const found: ForeignEvidence[] = []
  for (const each of asked) {
    const places = each.documents.map((id) => basename(files.get(id) ?? id))
    found.push({
      asked: each,
      kind: kindOf.get(each.documents[0] ?? '') ?? '',
      evidence: await search(storage, each.question),
      isOwn: ({ source }) => places.includes(basename(source)),
    })
  }
  const result = await use(found, storage)
  await storage.close()
  await rm(dataDir, { recursive: true })
  return result
}

/** As the model without a key searches: for the question, with words that may stand for its own, and around the best passage. */
async function search({ library: passages }: Storage, question: string) {
  const wider = await widerQuery(question, partsOver(passages, { documentGap: 0 }).vocabulary)
  const queries = wider === null ? [question] : [question, wider]
  const found = await Promise.all(queries.map((query) => findPassages(passages, query, { limit: PASSAGES })))
  const all = found.flat()
  const [best] = [...all].sort((a, b) => b.score - a.score)
  const around = best ? await passages.neighbours(best.passage.passageId, AROUND) : []
  const each = new Map(
    [...all, ...(await scorePassages(passages, question, around))].reverse().map((one) => [one.passage.passageId, one]),
  )
  const tablesAround = async ({ documentId, page, start, end }: Passage) => ({
    start,
    tables: await passages.tables(documentId, page, { start, end }),
  })
  return Promise.all(
    Array.from(each.values(), async ({ passage, document, score }) => ({
      ...passage,
      around: await tablesAround(passage),
      id: passage.passageId,
      title: document.title,
      source: document.source,
      year: document.year,
      origin: 'documents' as const,
      score,
    })),
  )
}
