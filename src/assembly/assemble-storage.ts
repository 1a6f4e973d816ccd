import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Mask } from '../credentials/index.ts'
import { PathNotFound } from '../errors.ts'
import { closeDataFolder } from '../private-files.ts'
import { type CopyOptions, type CopyReport, copyStorage, openSqliteStorage, type Storage } from '../storage/index.ts'

/** Where library, runs and threads are kept. */
export interface StoragePlace {
  /** The folder of the SQLite file; `:memory:` keeps nothing, whatever the address. */
  readonly dataDir: string
  /** Of a PostgreSQL database; null: SQLite. */
  readonly address: string | null
}

const databaseFile = 'quaero.db'

/** Opens the storage; the client of PostgreSQL is loaded only where it is used. Throws as the storages do. */
export async function openStorage({ dataDir, address }: StoragePlace, mask?: Mask): Promise<Storage> {
  const masked = mask ? { mask } : {}
  if (dataDir === ':memory:') return await openSqliteStorage({ path: dataDir, ...masked })
  await closeDataFolder(dataDir)
  if (address === null) return await openSqliteStorage({ path: join(dataDir, databaseFile), ...masked })
  const { openPostgresStorage } = await import('../storage/postgres/postgres-storage.ts')
  return await openPostgresStorage({ url: address, ...masked })
}

/** For people, without user and password. */
export function describePlace({ dataDir, address }: StoragePlace): string {
  if (address === null || dataDir === ':memory:') return dataDir
  return address.replace(/^(\w+:\/\/)(?:[^/?#]*@)?([^?#]*).*$/s, '$1$2')
}

/**
 * Copies what is stored in one place into another, which must be empty. A place is a data folder or the address of a
 * PostgreSQL database. Throws `PathNotFound` for a folder without data, and as `copyStorage` does.
 */
export async function copyStore(from: string, to: string, options: CopyOptions = {}): Promise<CopyReport> {
  const source = placeNamed(from)
  if (source.address === null && !existsSync(join(source.dataDir, databaseFile))) {
    throw new PathNotFound(
      `There is no library in ${from}. Name a data folder, or the address of a database: postgres://host/database.`,
    )
  }
  const opened = await openStorage(source)
  try {
    const target = await openStorage(placeNamed(to))
    try {
      return await copyStorage(opened, target, options)
    } finally {
      await target.close()
    }
  } finally {
    await opened.close()
  }
}

function placeNamed(named: string): StoragePlace {
  return /^postgres(?:ql)?:\/\//.test(named) ? { dataDir: '', address: named } : { dataDir: named, address: null }
}
