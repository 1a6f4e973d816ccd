import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setInterval } from 'node:timers/promises'
import { promisify } from 'node:util'
import { DocumentUnreadable } from '../../../errors.ts'

/** What a process uses. */
export interface ProcessUse {
  readonly megabytes: number
  /** How long it has computed so far; waiting for a busy machine does not count. */
  readonly workedMs: number
}

const watchEveryMs = 100

/**
 * Resolves to what a process uses more of than allowed, once it does; rejects when `signal` is aborted. V8's own limit
 * does not bound buffers and WebAssembly, so the whole process is watched from outside.
 */
export async function overused(
  pid: number | undefined,
  allowed: ProcessUse,
  signal: AbortSignal,
): Promise<keyof ProcessUse> {
  for await (const _ of setInterval(watchEveryMs, undefined, { signal })) {
    const use = await useOf(pid)
    if (use && use.megabytes > allowed.megabytes) return 'megabytes'
    if (use && use.workedMs > allowed.workedMs) return 'workedMs'
  }
  throw signal.reason
}

/** Of what a file needs more of than a setting allows. */
export function overBudget(what: string, setting: string): DocumentUnreadable {
  return new DocumentUnreadable('over_budget', `${what}. Split it, or raise library.${setting}`)
}

/** On Linux by /proc, elsewhere by `ps`; null if the process has ended, or the system has neither. */
export async function useOf(pid: number | undefined): Promise<ProcessUse | null> {
  if (pid === undefined) return null
  try {
    return await (process.platform === 'linux' ? useOnLinux(pid) : useByPs(pid))
  } catch {
    return null
  }
}

/** Linux counts processor time in hundredths of a second, whatever its own clock does: see proc(5) and sysconf(3). */
const msPerTick = 10

async function useOnLinux(pid: number): Promise<ProcessUse> {
  const [status, stat] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8'),
    readFile(`/proc/${pid}/stat`, 'utf8'),
  ])
  // Fields 14 and 15, counted after the name, which may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  return { megabytes: Number(/VmRSS:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1024, workedMs: ticks * msPerTick }
}

async function useByPs(pid: number): Promise<ProcessUse> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=,time=', '-p', String(pid)])
  const [kilobytes = '', time = ''] = stdout.trim().split(/\s+/)
  return { megabytes: Number(kilobytes) / 1024, workedMs: 1000 * secondsOf(time) }
}

/** `[[days-]hours:]minutes:seconds`. */
export function secondsOf(time: string): number {
  const [clock = '', days = '0'] = time.split('-').reverse()
  return 86_400 * Number(days) + clock.split(':').reduce((sum, part) => 60 * sum + Number(part), 0)
}
