import { z } from 'zod'
import { NoDocuments, UsageError } from '../../errors.ts'
import {
  type DocumentRecord,
  documentsMeant,
  type FilterOptions,
  filterFrom,
  type Library,
} from '../../library/index.ts'
import type { Shape } from '../../options.ts'

/** Which documents are asked: all of the library, if nothing is said. */
export interface AskedDocuments extends FilterOptions {
  /** Files or folders, which are added if they are new or changed. */
  readonly documents?: readonly string[]
  /** Ids of documents in the library, in place of `documents`. */
  readonly documentIds?: readonly string[]
  /** Ids of documents that are not asked, whatever else is said. */
  readonly except?: readonly string[]
}

const texts = z.array(z.string()).optional()

/** Its fields, for the schema of a request. */
export const askedDocuments = {
  documents: texts,
  documentIds: texts,
  where: z.string().optional(),
  tags: texts,
  except: texts,
} satisfies Shape<AskedDocuments>

/**
 * By title. Throws `UsageError` for an unknown id or both kinds at once, `NoDocuments` if there are none, `FilterInvalid`, and
 * `NothingMatches`.
 */
export async function documentsOf(
  asked: AskedDocuments,
  library: Pick<Library, 'add' | 'list'>,
): Promise<readonly DocumentRecord[]> {
  const { documents, documentIds, except = [] } = asked
  if (documents && documentIds) throw new UsageError('Give documents by their paths, or by their ids; not both.')
  const filter = filterFrom(asked)
  const added = documents && (await library.add(documents)).documents.flatMap(({ documentId }) => documentId ?? [])
  const wanted = added ?? documentIds
  const all = (await library.list()).filter(({ documentId }) => !except.includes(documentId))
  const missing = wanted?.find((id) => !all.some(({ documentId }) => documentId === id))
  if (missing !== undefined) throw new UsageError(`There is no document "${missing}" in the library.`)
  const found = wanted ? all.filter(({ documentId }) => wanted.includes(documentId)) : all
  if (found.length > 0) return filter ? documentsMeant(found, filter) : found
  throw new NoDocuments(
    'There are no documents to ask: the library is empty, or nothing could be read of the paths given.',
  )
}
