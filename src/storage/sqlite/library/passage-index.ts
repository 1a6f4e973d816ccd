import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { DocumentRecord, MatchQuery, Passage, PassageIndex, PassageMatch } from '../../../library/index.ts'
import { type DocumentRow, documentOf, wholeText } from '../../document-rows.ts'
import type { Dialect } from '../../sql/dialect.ts'
import { documentReads } from '../../sql/documents.ts'
import { all, first, type Work, type Workplace } from '../../sql/work.ts'
import type { SqliteDatabase } from '../database/database.ts'
import { isDamage } from '../database/failure.ts'
import { mostAtOnce, passageColumns, StoredDocuments } from './contents.ts'
import { namedBy, namesAreCurrent, renewSomeNames, resetNames } from './document-names.ts'
import { IncomingDocuments } from './incoming-documents.ts'
import { damagedPages, type PassageRow, pageWindow, passageReader, tablesOn, wholePage } from './page-texts.ts'
import { PassageTerms } from './passage-terms.ts'

/**
 * Stores documents, pages and passages in tables, and the words of passages in a full-text index without the text.
 * Pages fetched from the web are stored, so that quotes can be checked, but not indexed.
 */
export function sqlitePassageIndex(database: SqliteDatabase, dialect: Dialect): PassageIndex {
  const { place } = database
  const { read, write } = place
  const terms = new PassageTerms()
  const documents = new StoredDocuments(dialect, terms)
  const { table } = documents
  const incoming = new IncomingDocuments(place, documents)
  const { repairing, current, completing, changing } = maintenance(place, documents, incoming)
  const { complete } = dialect.library
  /** Null where the document is not there. */
  const onPage = <T>(documentId: string, work: () => Work<T>) =>
    read(function* () {
      return (yield* table.document(documentId)) ? yield* work() : null
    })
  return {
    ...documentReads(place, dialect, table),
    put: (document, source) => changing(() => documents.put(document, source)),
    putInBatches: (document, source) => completing(() => incoming.put(document, source, repairing)),
    linkSource: (source) => changing(() => table.link(source)),
    unlinkSource: (source) => changing(() => table.unlink(source)),
    override: (documentId, change) => changing(() => table.restate(documentId, change)),
    tag: (documentIds, change) => changing(() => table.tag(documentIds, change)),
    remove: (documentId) => changing(() => table.forget(documentId)),
    page: async (documentId, page) =>
      (await read(() => table.document(documentId))) ? wholePage(place, documentId, page) : null,
    damaged: () => database.read(() => [...new Set(damagedPages(database).map(({ documentId }) => documentId))]),
    tables: (documentId, page, within = wholeText) => read(() => tablesOn(documentId, page, within)),
    pageWindow: (documentId, page, range) => onPage(documentId, () => pageWindow(documentId, page, range)),
    passages: (passageIds) =>
      read(function* () {
        const found = `SELECT ${passageColumns} FROM passages WHERE passage_id = $1 AND ${complete}`
        const rows: PassageRow[] = []
        for (const id of passageIds) rows.push(...(yield* all<PassageRow>(found, [id])))
        return yield* withText(rows)
      }),
    passagesOf: (documentId, page) => passagesOf(place, documents, documentId, page),
    neighbours: (passageId, { before, after }) =>
      read(function* () {
        const rows = all<PassageRow>(
          `WITH found AS (SELECT document_id AS document, ordinal AS place FROM passages
                          WHERE passage_id = $1 AND ${complete})
           SELECT ${passageColumns} FROM passages
           JOIN found ON document_id = document AND ordinal BETWEEN place - $2 AND place + $3 ORDER BY ordinal`,
          [passageId, before, after],
        )
        return yield* withText(yield* rows)
      }),
    match: (query) => repairing(() => current(() => read(() => match(documents, query)))),
    frequencies: (words) => repairing(() => current(() => read(() => terms.frequencies(words)))),
    namedBy: (words) =>
      repairing(async () => {
        while (!(await read(namesAreCurrent))) await write(renewSomeNames)
        return read(() => namedBy(words))
      }),
  }
}

/** The work around reads and changes of the index. */
function maintenance({ read, write }: Workplace, documents: StoredDocuments, incoming: IncomingDocuments) {
  const { terms, retitled } = documents

  async function repairing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Error) || !isDamage(error.cause)) throw error
      await write(function* () {
        yield* terms.reset()
        yield* resetNames()
      })
      return await work()
    }
  }

  /** Renews the index of an earlier version before the work. */
  async function current<T>(work: () => Promise<T>): Promise<T> {
    if (!(await read(() => terms.isCurrent()))) {
      await inBatches((place) => documents.renewSome(place), { form: await read(() => terms.form()), after: 0 })
    }
    return await work()
  }

  async function completing<T>(work: () => Promise<T>): Promise<T> {
    const result = await work()
    for (const documentId of retitled) {
      // First, so that a change of the title meanwhile is not lost.
      retitled.delete(documentId)
      const some = (after: number) => documents.indexSome(documentId, { after, limit: mostAtOnce })
      await repairing(() => inBatches(some, -1))
    }
    await incoming.removeAbandoned()
    return result
  }

  const changing = <T>(work: () => Work<T>): Promise<T> => completing(() => repairing(() => write(work)))

  /** One transaction for each batch, until there is no more. */
  async function inBatches<Place>(some: (from: Place) => Work<Place | null>, from: Place): Promise<void> {
    let place: Place | null = from
    while (place !== null) {
      const at: Place = place
      place = await write(() => some(at))
    }
  }

  return { repairing, current, completing, changing }
}

const passagesAtOnce = 500

/** Reads a long document in parts, between which the event loop turns. */
async function passagesOf(
  { read }: Workplace,
  documents: StoredDocuments,
  documentId: string,
  page: number | undefined,
): Promise<Passage[]> {
  const found: Passage[] = []
  const reader = passageReader()
  for (;;) {
    const after = found.at(-1)?.ordinal ?? -1
    const some = await read(function* () {
      const rows = yield* documents.passagesOf(documentId, { page: page ?? null, after, limit: passagesAtOnce })
      return yield* withText(rows, reader)
    })
    found.push(...some)
    if (some.length < passagesAtOnce) return found
    await turnOfTheLoop()
  }
}

function* withText(rows: readonly PassageRow[], reader = passageReader()): Work<readonly Passage[]> {
  const passages: Passage[] = []
  for (const row of rows) passages.push(yield* reader(row))
  return passages
}

function* match({ table, terms }: StoredDocuments, query: MatchQuery): Work<readonly PassageMatch[]> {
  const reader = passageReader()
  const documents = new Map<string, DocumentRecord | null>()
  const matches: PassageMatch[] = []
  for (const { number, bm25 } of yield* terms.match(query)) {
    const row = yield* first<PassageRow>(`SELECT ${passageColumns} FROM passages WHERE number = $1`, [number])
    if (!row) continue
    const document = documents.get(row.documentId) ?? recordOf(yield* table.document(row.documentId))
    documents.set(row.documentId, document)
    if (document) matches.push({ passage: yield* reader(row), document, bm25 })
  }
  return matches
}

function recordOf(row: DocumentRow | undefined): DocumentRecord | null {
  return row ? documentOf(row) : null
}
