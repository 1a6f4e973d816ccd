import { NoDocuments, UsageError } from '../../errors.ts'
import type { DocumentRecord, Library } from '../../library/index.ts'

/** Which documents are asked. */
export interface AskedDocuments {
  /** Files or folders, which are added if they are new or changed; all documents of the library, if absent. */
  readonly documents?: readonly string[]
  /** Ids of documents in the library, in place of `documents`. */
  readonly documentIds?: readonly string[]
}

/** By title. Throws `UsageError` for an unknown id or both kinds at once, `NoDocuments` if there are none. */
export async function documentsOf(
  { documents, documentIds }: AskedDocuments,
  library: Pick<Library, 'add' | 'list'>,
): Promise<readonly DocumentRecord[]> {
  if (documents && documentIds) throw new UsageError('Give documents by their paths, or by their ids; not both.')
  const added = documents && (await library.add(documents)).documents.flatMap(({ documentId }) => documentId ?? [])
  const wanted = added ?? documentIds
  const all = await library.list()
  const missing = wanted?.find((id) => !all.some(({ documentId }) => documentId === id))
  if (missing !== undefined) throw new UsageError(`There is no document "${missing}" in the library.`)
  const found = wanted ? all.filter(({ documentId }) => wanted.includes(documentId)) : all
  if (found.length > 0) return found
  throw new NoDocuments(
    'There are no documents to ask: the library is empty, or nothing could be read of the paths given.',
  )
}
