import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setInterval } from 'node:timers/promises'
import { promisify } from 'node:util'

const watchEveryMs = 100

/**
 * Resolves once a process uses more memory than allowed; rejects when `signal` is aborted. V8's own limit does not bound
 * buffers and WebAssembly, so the whole process is watched from outside: on Linux by /proc, elsewhere by `ps`.
 */
export async function memoryExceeded(pid: number | undefined, megabytes: number, signal: AbortSignal): Promise<void> {
  for await (const _ of setInterval(watchEveryMs, undefined, { signal })) {
    if (pid !== undefined && (await residentKilobytes(pid)) > megabytes * 1024) return
  }
}

async function residentKilobytes(pid: number): Promise<number> {
  try {
    if (process.platform === 'linux') {
      return Number(/VmRSS:\s*(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
    }
    return Number((await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])).stdout)
  } catch {
    // The process has ended, or this system has neither: then only V8's limit holds.
    return 0
  }
}
