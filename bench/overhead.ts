import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * What Quaero costs beside the model, against bare LangGraph and against the least possible: time and processor time
 * per model call, time to the first answer of a fresh process, and its memory. Arguments: threads of ten turns each,
 * and fresh processes of each kind.
 */
export async function run(args: readonly string[]): Promise<void> {
  const root = join(import.meta.dirname, '..')
  execFileSync(process.execPath, [join(root, 'scripts', 'build-if-stale.mjs')], { stdio: 'inherit' })
  // A process of its own, and plain JavaScript: neither a TypeScript loader nor what it loaded is measured.
  execFileSync(process.execPath, [join(import.meta.dirname, 'overhead', 'measure.mjs'), ...args], { stdio: 'inherit' })
}
