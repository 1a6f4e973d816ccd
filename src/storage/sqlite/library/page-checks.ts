import { createHash } from 'node:crypto'
import type { SqliteDatabase } from '../database/database.ts'

/** A page whose stored text is not what was stored: bytes of the file have changed. */
export interface DamagedPage {
  readonly documentId: string
  readonly page: number
}

/** Of a text in a page or a piece of one. */
export function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** Compares all texts with their checksums; texts that were stored before there were checksums count as whole. */
export function damagedPages({ connection }: Pick<SqliteDatabase, 'connection'>): readonly DamagedPage[] {
  const texts = connection.prepare<[], DamagedPage & { text: string; checksum: string }>(
    `SELECT document_id AS documentId, number AS page, text, checksum FROM pages WHERE checksum IS NOT NULL
     UNION ALL
     SELECT document_id, page, text, checksum FROM page_pieces WHERE checksum IS NOT NULL`,
  )
  const damaged = new Map<string, DamagedPage>()
  for (const { documentId, page, text, checksum } of texts.iterate()) {
    if (checksumOf(text) !== checksum) damaged.set(`${documentId} ${page}`, { documentId, page })
  }
  return [...damaged.values()]
}
