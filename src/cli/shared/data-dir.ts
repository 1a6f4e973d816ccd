import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../index.ts'

/** The data directory in force: the flag, QUAERO_HOME, then the setting. */
export function dataDirOf({ settings, environment }: Config, flag: string | undefined): string {
  return flag ?? environment.home ?? settings.dataDir
}

/** False for a data directory in which nothing has been stored yet; a database elsewhere, or what cannot be opened, is there. */
export function isStored({ settings }: Config, dataDir: string): boolean {
  if (settings.storage !== null || dataDir === ':memory:') return true
  try {
    return statSync(join(dataDir, 'quaero.db'), { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}
