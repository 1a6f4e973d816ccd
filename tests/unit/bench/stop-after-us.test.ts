import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { killChild, messageOf, startChild } from '../../fixtures/storage/child.ts'
import { postgresMissing } from '../../fixtures/storage/postgres-server.ts'

/** Processes that have ended and that nobody has asked about do not run. */
function runs(pid: number): boolean {
  if (existsSync('/proc/self/stat')) {
    const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ''
    return stat !== '' && !stat.includes(') Z ')
  }
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Numbers of the processes that a benchmark has started. */
async function started(...words: readonly string[]) {
  const child = startChild('../start-and-wait.ts', ...words)
  onTestFinished(() => killChild(child))
  const pids = await messageOf(child)
  if (!Array.isArray(pids)) throw new Error('It told no numbers.')
  return { child, pids: pids.map(Number) }
}

describe('what a benchmark has started', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('stops when the benchmark ends by %s', async (signal) => {
    const { child, pids } = await started()
    expect(pids.map(runs)).toEqual([true, true])
    child.kill(signal)
    await expect.poll(() => pids.map(runs), { timeout: 20_000 }).toEqual([false, false])
  })

  it.skipIf(postgresMissing !== null)(
    `stops, a server of PostgreSQL too${postgresMissing ? ` (skipped: ${postgresMissing})` : ''}`,
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'server-'))
      // The server may run as another user.
      await chmod(folder, 0o755)
      const { child, pids } = await started(join(folder, 'postgres'))
      expect(pids.map(runs)).toEqual([true, true, true])
      child.kill('SIGKILL')
      await expect.poll(() => pids.map(runs), { timeout: 20_000 }).toEqual([false, false, false])
    },
  )
})
