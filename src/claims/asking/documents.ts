import { NoDocuments, UsageError } from '../../errors.ts'
import { type DocumentRecord, documentsMeant, filterFrom, type Library } from '../../library/index.ts'
import type { RunResult } from '../../runs/index.ts'
import type { AskingRequest } from './asking-request.ts'

export interface DocumentsAsked {
  /** By title. */
  readonly documents: readonly DocumentRecord[]
  readonly limitedTo: RunResult['limitedTo']
}

/**
 * Throws `UsageError` for an unknown id or both kinds at once, `NoDocuments` if there are none, `FilterInvalid`, and
 * `NothingMatches`.
 */
export async function documentsOf(
  asked: Pick<AskingRequest, 'documents' | 'documentIds' | 'except' | 'where' | 'tags'>,
  library: Pick<Library, 'add' | 'list'>,
): Promise<DocumentsAsked> {
  const { documents, documentIds, except = [] } = asked
  if (documents && documentIds) throw new UsageError('Give documents by their paths, or by their ids; not both.')
  const filter = filterFrom(asked)
  const added = documents && (await library.add(documents)).documents.flatMap(({ documentId }) => documentId ?? [])
  const all = (await library.list()).filter(({ documentId }) => !except.includes(documentId))
  const missing = documentIds?.find((id) => !all.some(({ documentId }) => documentId === id))
  if (missing !== undefined) throw new UsageError(`There is no document "${missing}" in the library.`)
  const named = added ?? documentIds
  const found = documentsMeant(all, filter, named)
  const limitedTo = named || filter ? { documents: found.length, filter: filter?.text ?? null } : null
  if (found.length > 0) return { documents: found, limitedTo }
  throw new NoDocuments(
    'There are no documents to ask: the library is empty, or nothing could be read of the paths given.',
  )
}
