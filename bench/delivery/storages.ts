import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'

/** The storage at a `postgres://` address, or in a file of SQLite. */
export function openStorage(address: string): Promise<Storage> {
  return address.startsWith('postgres:') ? openPostgresStorage({ url: address }) : openSqliteStorage({ path: address })
}
