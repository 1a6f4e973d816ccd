import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { findPassages } from '../../src/library/search.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { fetchDocuments } from './fetch.ts'
import { copyOfLibrary } from './library.ts'
import { type ForeignQuestion, readMaterial } from './material.ts'

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

/** Searches for every question of the development half that needs no conversation; `use` gets the open library. */
export async function withForeignEvidence<T>(
  use: (found: readonly ForeignEvidence[], storage: Storage) => Promise<T>,
): Promise<T> {
  const { documents, questions } = readMaterial()
  const own = documents.filter(({ half }) => half === 'development')
  const files = await fetchDocuments(own)
  const dataDir = await copyOfLibrary(own, files)
  const storage = await openSqliteStorage({ path: join(dataDir, 'quaero.db') })
  const kindOf = new Map(own.map(({ id, kind }) => [id, kind]))
  const asked = questions.filter(({ half, kind }) => half === 'development' && kind !== 'vague' && kind !== 'follow-up')
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

async function search({ passages }: Storage, question: string) {
  const found = await findPassages(passages, question, { limit: PASSAGES })
  return found.map(({ passage, document, score }) => ({
    ...passage,
    id: passage.passageId,
    title: document.title,
    source: document.source,
    year: document.year,
    origin: 'documents' as const,
    score,
  }))
}
