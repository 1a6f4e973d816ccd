import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { asError, ConfigInvalid } from './errors.ts'

/**
 * Reads YAML. The package's own files were parsed when it was built, and are looked up by their content: loading and
 * warming up the parser would cost every command a tenth of a second. Throws what the parser throws.
 */
export function parseYaml(text: string): unknown {
  const known = builtTable()[contentKey(text)]
  if (known !== undefined) return known
  const { parse }: typeof import('yaml') = createRequire(import.meta.url)('yaml')
  return parse(text)
}

/** Under which a text stands in the table that `scripts/build.mjs` writes. */
function contentKey(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function builtTable(): Readonly<Record<string, unknown>> {
  const path = join(import.meta.dirname, 'parsed-yaml.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}

/** Keys and values. */
export type Tree = { readonly [key: string]: unknown }

/** Reads a file of settings. Throws `ConfigInvalid`, with the path. */
export function readYaml(path: string): Tree {
  try {
    const file = statSync(path, { throwIfNoEntry: false })
    if (!file)
      throw new ConfigInvalid(`There is no configuration file at ${path}. Check the path, or leave --config out`)
    // Reading a pipe or a device might never end.
    if (!file.isFile()) throw new ConfigInvalid(`${path} is not a plain file. Name a YAML file with --config`)
    const content: unknown = parseYaml(readFileSync(path, 'utf8')) ?? {}
    if (!isTree(content)) throw new ConfigInvalid(`${path} must hold keys and values`)
    return content
  } catch (error) {
    if (error instanceof ConfigInvalid) throw error
    // A parser of YAML shows the place below its first line.
    const problem = asError(error).message.split(/:?\n/)[0]
    throw new ConfigInvalid(`${path} cannot be read: ${problem}`)
  }
}

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
