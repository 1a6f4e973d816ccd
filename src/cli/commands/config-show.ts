import { stringify } from 'yaml'
import type { Config } from '../../index.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { type Output, print, printJson } from '../output/terminal.ts'

export interface ConfigShowFlags {
  readonly json?: boolean | undefined
  readonly dataDir?: string | undefined
}

/** `quaero config show`: the settings in force, and what the surroundings add. Secrets show as "set" or "not set". */
export function runConfigShow(config: Config, output: Output, flags: ConfigShowFlags): number {
  const shown = {
    settings: withoutCredentials({ ...config.settings, dataDir: dataDirOf(config, flags.dataDir) }),
    environment: Object.fromEntries(
      Object.entries(config.environment).map(([name, value]) => [name, reveal(name, value)]),
    ),
  }
  if (flags.json) printJson(output, shown)
  else print(output, stringify(shown).trimEnd())
  return exitCodes.ok
}

/** The data directory in force: the flag, QUAERO_HOME, then the setting. */
export function dataDirOf({ settings, environment }: Config, flag: string | undefined): string {
  return flag ?? environment.home ?? settings.dataDir
}

/** An address without the user name and password that it may hold. */
export function withoutUserInfo(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')
}

function reveal(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return 'not set'
  return /key|secret|token|password|headers/i.test(name) ? 'set' : withoutUserInfo(String(value))
}

function withoutCredentials(value: unknown): unknown {
  if (typeof value === 'string') return withoutUserInfo(value)
  if (Array.isArray(value)) return value.map(withoutCredentials)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutCredentials(inner)]))
}
