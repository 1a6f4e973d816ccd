import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** What traces cost a turn, with a backend that takes them and with one that hangs. Argument: turns of each. */
export async function run(args: readonly string[]): Promise<void> {
  const root = join(import.meta.dirname, '..')
  execFileSync(process.execPath, [join(root, 'scripts', 'build-if-stale.mjs')], { stdio: 'inherit' })
  execFileSync(process.execPath, [join(import.meta.dirname, 'overhead', 'measure-tracing.mjs'), ...args], {
    stdio: 'inherit',
  })
}
