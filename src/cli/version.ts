import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version of this package, from its package.json: two folders up, in a checkout and in an installed package. */
export function packageVersion(): string {
  const file = join(import.meta.dirname, '..', '..', 'package.json')
  const { version }: { readonly version: string } = JSON.parse(readFileSync(file, 'utf8'))
  return version
}
