import { checksumOf, type DamagedPage } from '../../document-rows.ts'
import type { SqliteDatabase } from '../database/database.ts'

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
