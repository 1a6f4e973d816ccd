import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'

const watchEveryMs = 100

/**
 * Calls `onExcess` once a process holds more memory than allowed; gives back how to stop watching. V8's own limit does
 * not bound buffers and WebAssembly, so the whole process is watched from outside: on Linux by /proc, elsewhere by `ps`,
 * which costs a process each time. Where neither tells, nothing but V8's limit holds.
 */
export function watchMemory(pid: number | undefined, megabytes: number, onExcess: () => void): () => void {
  const watch = setInterval(async () => {
    const kilobytes = pid === undefined ? 0 : await residentKilobytes(pid)
    if (kilobytes > megabytes * 1024) onExcess()
  }, watchEveryMs)
  return () => clearInterval(watch)
}

async function residentKilobytes(pid: number): Promise<number> {
  try {
    const status = process.platform === 'linux' ? await readFile(`/proc/${pid}/status`, 'utf8') : await psStatus(pid)
    return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1] ?? 0)
  } catch {
    // The process is gone, which its exit event tells; or this system cannot be asked.
    return 0
  }
}

function psStatus(pid: number): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('ps', ['-o', 'rss=', '-p', String(pid)], (error, stdout) =>
      error ? reject(error) : resolve(`VmRSS: ${stdout.trim()}`),
    )
  })
}
