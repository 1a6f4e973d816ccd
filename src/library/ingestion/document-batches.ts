import type { Passage, ReadDocument } from '../port/document.ts'
import { type DocumentBatch, type PagePiece, piecesOf } from '../port/page-pieces.ts'
import { passagesIn } from './split.ts'

/** What one batch holds at most; the last piece or passage may go beyond by its own length. */
export const mostPerBatch = { characters: 200_000, passages: 100 }

/**
 * A document's pages and passages in batches small enough to be sent and stored without holding up anything else. The
 * pieces of a page come in their order; most documents fit into one batch.
 */
export function* documentBatches(documentId: string, document: ReadDocument): Generator<DocumentBatch> {
  let pages: PagePiece[] = []
  let passages: Passage[] = []
  let characters = 0
  const isFull = (): boolean => characters >= mostPerBatch.characters || passages.length >= mostPerBatch.passages
  const take = (): DocumentBatch => {
    const batch = { pages, passages }
    pages = []
    passages = []
    characters = 0
    return batch
  }
  for (const piece of piecesOfAll(document)) {
    if (isFull()) yield take()
    pages.push(piece)
    characters += piece.text.length
  }
  for (const passage of passagesIn(documentId, document)) {
    if (isFull()) yield take()
    passages.push(passage)
    characters += passage.text.length
  }
  yield take()
}

function* piecesOfAll({ pages }: ReadDocument): Generator<PagePiece> {
  for (const page of pages) yield* piecesOf(page)
}
