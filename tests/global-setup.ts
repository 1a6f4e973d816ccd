import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Builds dist once, before tests that run the built package. Throws what the compiler says. */
export function setup(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '..', 'scripts', 'build-if-stale.mjs')], {
    stdio: 'inherit',
  })
}
