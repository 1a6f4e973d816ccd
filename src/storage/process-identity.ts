import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { LeaseHolder } from './storage.ts'

/** A process by its number. */
type NumberedProcess = Omit<LeaseHolder, 'system'>

/** This process, as other processes of its system can check it. */
export function currentProcess(): LeaseHolder {
  return { system: currentSystem(), pid: process.pid, startedAt: startOf(process.pid) ?? '' }
}

/**
 * Where process numbers are unique: on Linux this boot of the machine and the process namespace, of which each container
 * has its own. A process without a usable /proc cannot be checked, and gets a system of its own. Elsewhere it is the
 * host's name.
 */
function currentSystem(): string {
  if (process.platform !== 'linux') return hostname()
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    const namespace = readlinkSync('/proc/self/ns/pid')
    return readlinkSync('/proc/self') === String(process.pid) ? `${boot.trim()} ${namespace}` : randomUUID()
  } catch {
    return randomUUID()
  }
}

/**
 * True while the process lives, and is no later one of the same number; if start times are unknown, the number decides. At
 * once, so that a transaction can ask.
 */
export function isAlive({ pid, startedAt }: NumberedProcess): boolean {
  if (!exists(pid)) return false
  const start = startOf(pid)
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
function startOf(pid: number): string | null {
  try {
    return process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid)
  } catch {
    return null
  }
}

/** Field 22 of `/proc/<pid>/stat`, counted after the name, which may hold anything: see proc(5). */
function startOnLinux(pid: number): string | null {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return state === 'Z' || state === 'X' ? dead : (fields[18] ?? null)
}

function startByPs(pid: number): string | null {
  // The same words in every locale and time zone.
  const env = { LC_ALL: 'C', TZ: 'UTC' }
  return execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { env, encoding: 'utf8' }).trim() || null
}
