import { resolve } from 'node:path'
import { DocumentNotFound } from '../../errors.ts'
import type { DocumentRecord } from '../port/document.ts'
import type { PassageIndex, TagChange } from '../port/passage-index.ts'
import { sourcesBelow } from '../port/source-location.ts'
import { documentsMeant, filterFrom } from './filter.ts'
import { tagFrom } from './tags.ts'

/**
 * Changes the tags of one document, of all that lie in a folder, or of all that a filter means, and returns them. Throws
 * `DocumentNotFound`, `DocumentAmbiguous`, `FilterInvalid`, `NothingMatches`.
 */
export async function tagDocuments(
  which: string,
  change: TagChange,
  index: PassageIndex,
  find: (named: string) => Promise<DocumentRecord>,
): Promise<readonly DocumentRecord[]> {
  for (const tag of [...(change.add ?? []), ...(change.remove ?? [])]) tagFrom(tag)
  const meant = await documentsNamed(which, index, find)
  const ids = meant.map(({ documentId }) => documentId)
  await index.tag(ids, change)
  return documentsMeant(await index.documents(), null, ids)
}

async function documentsNamed(
  which: string,
  index: PassageIndex,
  find: (named: string) => Promise<DocumentRecord>,
): Promise<readonly DocumentRecord[]> {
  try {
    return [await find(which)]
  } catch (error) {
    if (!(error instanceof DocumentNotFound)) throw error
    const documents = await index.documents()
    const below = sourcesBelow(resolve(which), await index.sources()).map(({ documentId }) => documentId)
    if (below.length > 0) return documentsMeant(documents, null, below)
    // A name with no sign of a filter in it was meant as a name.
    if (documents.length === 0 || !/[=<>~]/.test(which)) throw error
    return documentsMeant(documents, filterFrom({ where: which }))
  }
}
