import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { preparePeers } from './peers.ts'

/**
 * A hundred conversations at once in one process, beside the same peers. Arguments: `--threads 100 --turns 4 --rounds 3
 * --only quaero,raw,bare --install`.
 */
export async function run(args: readonly string[]): Promise<void> {
  const own = preparePeers(args)
  if (own === null) return
  execFileSync(process.execPath, [join(import.meta.dirname, 'concurrency', 'measure.mjs'), ...own], {
    stdio: 'inherit',
  })
}
