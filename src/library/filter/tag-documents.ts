import { resolve } from 'node:path'
import { DocumentNotFound, FilterInvalid } from '../../errors.ts'
import type { DocumentRecord } from '../port/document.ts'
import type { PassageIndex, SourceRecord, TagChange } from '../port/passage-index.ts'
import { locationIn, sourcesBelow } from '../port/source-location.ts'
import { documentsMeant, filterFrom } from './filter.ts'
import { tagFrom, tagsByRule } from './tags.ts'

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
  const changed = new Set(ids)
  return (await index.documents()).filter(({ documentId }) => changed.has(documentId))
}

async function documentsNamed(
  which: string,
  index: PassageIndex,
  find: (named: string) => Promise<DocumentRecord>,
): Promise<readonly DocumentRecord[]> {
  const document = await find(which).catch((error: unknown) => {
    if (error instanceof DocumentNotFound) return error
    throw error
  })
  if (!(document instanceof DocumentNotFound)) return [document]
  const documents = await index.documents()
  const inFolder = await documentsBelow(which, index)
  if (inFolder.size > 0) return documents.filter(({ documentId }) => inFolder.has(documentId))
  // A name with no sign of a filter in it was meant as a name.
  if (!/[=<>~]/.test(which)) throw document
  const filter = filterFrom({ where: which })
  if (!filter) throw new FilterInvalid('it is empty', 0)
  return documentsMeant(documents, filter)
}

async function documentsBelow(folder: string, index: PassageIndex): Promise<ReadonlySet<string>> {
  const own = sourcesBelow(resolve(folder), await index.sources())
  return new Set(own.map(({ documentId }) => documentId))
}

/** Gives a file the tags that were chosen and those of the rules, before it is stored: nobody sees it without them. */
export async function tagSource(
  source: SourceRecord,
  index: PassageIndex,
  {
    tags = [],
    rules,
    known,
  }: {
    readonly tags?: readonly string[] | undefined
    readonly rules: Readonly<Record<string, readonly string[]>>
    /** Those that it has. */
    readonly known: readonly string[]
  },
): Promise<void> {
  const wanted = [...tags.map(tagFrom), ...tagsByRule(locationIn(source), rules)]
  const add = wanted.filter((tag) => !known.includes(tag))
  if (add.length > 0) await index.tag([source.documentId], { add })
}
