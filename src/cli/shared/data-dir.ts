import type { Config } from '../../index.ts'

/** The data directory in force: the flag, QUAERO_HOME, then the setting. */
export function dataDirOf({ settings, environment }: Config, flag: string | undefined): string {
  return flag ?? environment.home ?? settings.dataDir
}
