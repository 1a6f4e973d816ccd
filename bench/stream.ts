import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * What it costs to watch a run: the time to the first piece of text against bare LangGraph, the status of a long run
 * against that of a short one, and the SQL statements of a turn early and late in a thread. Argument: turns of each side.
 */
export async function run(args: readonly string[]): Promise<void> {
  const root = join(import.meta.dirname, '..')
  execFileSync(process.execPath, [join(root, 'scripts', 'build-if-stale.mjs')], { stdio: 'inherit' })
  execFileSync(process.execPath, [join(import.meta.dirname, 'overhead', 'measure-stream.mjs'), ...args], {
    stdio: 'inherit',
  })
  const { measureStatus, countStatements } = await import('./stream-storage.ts')
  await measureStatus()
  await countStatements()
}
