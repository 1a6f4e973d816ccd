import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * Reads YAML. The package's own files were parsed when it was built, and are looked up by their content: loading and
 * warming up the parser would cost every command a tenth of a second. Throws what the parser throws.
 */
export function parseYaml(text: string): unknown {
  const known = builtTable()[contentKey(text)]
  if (known !== undefined) return known
  const { parse } = createRequire(import.meta.url)('yaml') as typeof import('yaml')
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
