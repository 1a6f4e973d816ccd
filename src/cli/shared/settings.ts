import type { Config } from '../../index.ts'

/** The data directory in force: the flag, QUAERO_HOME, then the setting. */
export function dataDirOf({ settings, environment }: Config, flag: string | undefined): string {
  return flag ?? environment.home ?? settings.dataDir
}

/** An address without the user name and password that it may hold. */
export function withoutUserInfo(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')
}
