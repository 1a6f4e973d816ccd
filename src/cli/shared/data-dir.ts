import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../index.ts'

/** The data directory in force: the flag, QUAERO_HOME, then the setting. */
export function dataDirOf({ settings, environment }: Config, flag: string | undefined): string {
  return flag ?? environment.home ?? settings.dataDir
}

/** False for a data directory in which nothing has been stored yet; a database elsewhere counts as stored. */
export function isStored({ settings }: Config, dataDir: string): boolean {
  return settings.storage !== null || dataDir === ':memory:' || existsSync(join(dataDir, 'quaero.db'))
}
