import type { CommandModule } from '../command/command.ts'
import { dataDirOf, jsonOption } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { print, printJson } from '../output/terminal.ts'

export const configShow: CommandModule = {
  name: 'config show',
  isDefault: true,
  description: 'print the settings, without keys',
  options: [jsonOption()],
  examples: ['config show', 'config show --config my.yaml --json'],
  async run({ config: configOf, output }, flags) {
    const config = configOf()
    const shown = {
      settings: withoutCredentials({ ...config.settings, dataDir: dataDirOf(config, flags.dataDir) }),
      environment: Object.fromEntries(
        Object.entries(config.environment).map(([name, value]) => [name, reveal(name, value)]),
      ),
    }
    if (flags.json) printJson(output, shown)
    else {
      const { stringify } = await import('yaml')
      print(output, stringify(shown).trimEnd())
    }
    return exitCodes.ok
  },
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
