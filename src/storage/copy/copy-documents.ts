import {
  type DocumentBatch,
  type DocumentMetadata,
  type DocumentRecord,
  type MetadataChange,
  type PageText,
  type PassageIndex,
  type Provenance,
  piecesOf,
  type SourceRecord,
} from '../../library/index.ts'
import { byPerson } from '../sql/document-metadata.ts'

/** Copies every document that the other index does not hold yet, in the order in which they were added. */
export async function copyDocuments(from: PassageIndex, to: PassageIndex, onCopied: () => void): Promise<void> {
  const sources = await allSources(from)
  const present = new Set((await to.documents({ includeWeb: true })).map(({ documentId }) => documentId))
  const added = new Set(sources.map(({ documentId }) => documentId))
  for (const documentId of added) {
    const document = await from.document(documentId)
    const own = sources.filter((source) => source.documentId === documentId)
    if (document && !present.has(documentId)) await copyDocument(from, to, document, own)
    onCopied()
  }
}

/** The files of the person's documents, then the addresses of pages of the web. */
async function allSources(index: PassageIndex): Promise<readonly SourceRecord[]> {
  const documents = await index.documents({ includeWeb: true })
  const pages = await Promise.all(
    documents.filter(({ format }) => format === 'web').map(({ source }) => index.source(source)),
  )
  return [...(await index.sources()), ...pages.filter((source) => source !== null)]
}

async function copyDocument(
  from: PassageIndex,
  to: PassageIndex,
  document: DocumentRecord,
  sources: readonly SourceRecord[],
): Promise<void> {
  const { documentId, source, format, tags, addedAt } = document
  const metadata = await from.metadata(documentId)
  const read = readBy(metadata)
  const record = {
    ...{ documentId, source, format, addedAt },
    ...{ title: read.title?.value ?? null, authors: read.authors?.value ?? [], year: read.year?.value ?? null },
  }
  const how = Object.fromEntries(Object.entries(read).map(([field, { from: found }]) => [field, found]))
  const first = sources.find((each) => each.source === source) ?? sources[0]
  if (!first) return
  if (tags.length > 0) await to.tag([documentId], { add: tags })
  if (format === 'web') {
    // It is not indexed, and small.
    const pages = await collected(pagesOf(from, document))
    await to.put({ record, from: how, pages, passages: await from.passagesOf(documentId) }, first)
  } else await to.putInBatches({ record, from: how, batches: batchesOf(from, document) }, first)
  for (const other of sources) if (other !== first) await to.linkSource(other)
  const stated = statedIn(metadata, document)
  if (Object.keys(stated).length > 0) await to.override(documentId, stated)
}

async function* pagesOf(from: PassageIndex, { documentId, pages }: DocumentRecord): AsyncGenerator<PageText> {
  const leftOut = await from.leftOut(documentId)
  const recognised = await from.recognised(documentId)
  for (let number = 1; number <= pages; number += 1) {
    const page = await from.page(documentId, number)
    const places = await from.places(documentId, number)
    const tables = await from.tables(documentId, number)
    const own = leftOut?.filter((entry) => entry.page === number).map(({ page: _, ...entry }) => entry)
    const confidence = recognised.find((each) => each.page === number)?.confidence
    if (!page) continue
    yield {
      ...page,
      ...(places.length > 0 && { places }),
      ...(tables.length > 0 && { tables }),
      ...(own && { leftOut: own }),
      ...(confidence !== undefined && { confidence }),
    }
  }
}

const passagesAtOnce = 100

async function* batchesOf(from: PassageIndex, document: DocumentRecord): AsyncGenerator<DocumentBatch> {
  for await (const page of pagesOf(from, document)) yield { pages: [...piecesOf(page)], passages: [] }
  const passages = await from.passagesOf(document.documentId)
  for (let at = 0; at < passages.length; at += passagesAtOnce) {
    yield { pages: [], passages: passages.slice(at, at + passagesAtOnce) }
  }
}

type Read = { readonly [K in keyof DocumentMetadata]?: DocumentMetadata[K][number] }

function readBy(metadata: DocumentMetadata | null): Read {
  const found = <T>(statements: readonly Provenance<T>[] = []) => statements.find(({ from }) => from !== byPerson)
  const [title, authors, year] = [found(metadata?.title), found(metadata?.authors), found(metadata?.year)]
  return { ...(title && { title }), ...(authors && { authors }), ...(year && { year }) }
}

function statedIn(metadata: DocumentMetadata | null, { reference }: DocumentRecord): MetadataChange {
  const stated = Object.entries(metadata ?? {}).flatMap(([field, statements]) =>
    statements
      .filter(({ from }: Provenance<unknown>) => from === byPerson)
      .map(({ value }: Provenance<unknown>) => [field, value] as const),
  )
  return { ...Object.fromEntries(stated), ...(reference && { reference }) }
}

/** All values of a series that is read as it comes. */
export async function collected<T>(series: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const each of series) all.push(each)
  return all
}
