import { createRequire } from 'node:module'

/** The version of this package, from its package.json. */
export function packageVersion(): string {
  // By its name, since the place of this code within the package changes when it is built.
  const { version }: { readonly version: string } = createRequire(import.meta.url)('quaero/package.json')
  return version
}
