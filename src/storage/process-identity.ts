import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { promisify } from 'node:util'
import type { LeaseHolder } from './storage.ts'

/** A process by its number. */
type NumberedProcess = Omit<LeaseHolder, 'system'>

/** This process, as other processes of its system can check it. */
export async function currentProcess(): Promise<LeaseHolder> {
  return { system: await currentSystem(), pid: process.pid, startedAt: (await startOf(process.pid)) ?? '' }
}

/**
 * Where process numbers are unique: on Linux this boot of the machine and the process namespace, of which each container
 * has its own. A process without a usable /proc cannot be checked, and gets a system of its own. Elsewhere it is the
 * host's name.
 */
async function currentSystem(): Promise<string> {
  if (process.platform !== 'linux') return hostname()
  try {
    const [boot, namespace, self] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readlink('/proc/self/ns/pid'),
      readlink('/proc/self'),
    ])
    return self === String(process.pid) ? `${boot.trim()} ${namespace}` : randomUUID()
  } catch {
    return randomUUID()
  }
}

/** True while the process lives, and is no later one of the same number; if start times are unknown, the number decides. */
export async function isAlive({ pid, startedAt }: NumberedProcess): Promise<boolean> {
  if (!exists(pid)) return false
  const start = await startOf(pid)
  if (start === null) return exists(pid)
  return start !== dead && (startedAt === '' || start === startedAt)
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It lives, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** What stands for the start of a process that has ended, but was not collected by its parent yet. */
const dead = 'dead'

/** When the process started; null if that cannot be read. */
async function startOf(pid: number): Promise<string | null> {
  return process.platform === 'linux' ? await startOnLinux(pid) : await startByPs(pid)
}

/** Field 22 of `/proc/<pid>/stat`, counted after the name, which may hold anything: see proc(5). */
async function startOnLinux(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return null
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return state === 'Z' || state === 'X' ? dead : (fields[18] ?? null)
}

async function startByPs(pid: number): Promise<string | null> {
  try {
    // The same words in every locale and time zone.
    const env = { LC_ALL: 'C', TZ: 'UTC' }
    const { stdout } = await promisify(execFile)('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { env })
    return stdout.trim() || null
  } catch {
    return null
  }
}
