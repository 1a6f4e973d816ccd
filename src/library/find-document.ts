import { basename } from 'node:path'
import { DocumentAmbiguous, DocumentNotFound } from '../errors.ts'
import type { DocumentRecord } from './port/document.ts'
import type { PassageIndex } from './port/passage-index.ts'

/**
 * The document that a person means: by its id, by the beginning of an id that no other shares, by the name or path of
 * its file. Throws `DocumentNotFound`, and `DocumentAmbiguous` if it may be several.
 */
export async function findDocument(index: PassageIndex, named: string): Promise<DocumentRecord> {
  const exact = await index.document(named)
  if (exact) return exact
  const [documents, sources] = await Promise.all([index.documents(), index.sources()])
  const ofFile = new Set(
    sources
      .filter(({ source, location }) => [source, location, basename(source)].includes(named))
      .map(({ documentId }) => documentId),
  )
  const meant = documents.filter(
    ({ documentId }) => ofFile.has(documentId) || (named !== '' && documentId.startsWith(named.toLowerCase())),
  )
  const [only] = meant
  if (!only) throw new DocumentNotFound(`There is no document "${named}". "quaero library list" shows the ids.`)
  if (meant.length > 1) {
    throw new DocumentAmbiguous(
      `"${named}" may be ${meant.length} documents: ${listed(meant)}. Give more of the id.`,
      meant.map(({ documentId }) => documentId),
    )
  }
  return only
}

/** The ids of the documents that are meant, each once; null, for all, stays null. */
export async function findDocumentIds(
  index: PassageIndex,
  named: readonly string[] | null,
): Promise<readonly string[] | null> {
  if (!named) return null
  const documents = await Promise.all(named.map((each) => findDocument(index, each)))
  return [...new Set(documents.map(({ documentId }) => documentId))]
}

const MOST_LISTED = 5

function listed(documents: readonly DocumentRecord[]): string {
  const first = documents
    .slice(0, MOST_LISTED)
    .map(({ documentId, title, source }) => `${documentId} (${title ?? source})`)
  return documents.length > MOST_LISTED ? `${first.join(', ')} and others` : first.join(', ')
}
