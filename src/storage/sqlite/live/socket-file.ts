import { once } from 'node:events'
import { lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { codeOf } from '../database/failure.ts'

/** An address of a socket holds 104 bytes on macOS and 108 on Linux, the last of them zero. */
const longestPath = 103

/**
 * Where an owner of leases offers its runs: a file in the data folder, or in the user's folder for temporary files if that
 * path is too long; on Windows a named pipe. null where both are too long.
 */
export function socketPath(dataFolder: string, owner: string): string | null {
  if (process.platform === 'win32') return `\\\\.\\pipe\\quaero-${owner}`
  const name = owner.slice(-12)
  const paths = [join(dataFolder, 'live', name), join(tmpdir(), `quaero-${process.getuid?.() ?? ''}`, name)]
  return paths.find((path) => Buffer.byteLength(path) <= longestPath) ?? null
}

/** Makes the folder of a socket, with mode 700, and removes sockets there that dead processes have left. Throws. */
export async function prepareFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (!(await isPrivate(folder))) throw new Error(`${folder} belongs to another user, or others may enter it.`)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isSocket()) void connectTo(join(folder, entry.name)).then((socket) => socket?.destroy())
  }
}

/** A connection that does not keep the process alive; null if nobody listens, in which case the file is removed. */
export async function connectTo(path: string): Promise<Socket | null> {
  if (process.platform !== 'win32' && !(await isPrivate(dirname(path)))) return null
  const socket = connect(path).unref()
  try {
    await once(socket, 'connect')
    // The end of the connection says enough.
    return socket.on('error', () => {})
  } catch (error) {
    if (codeOf(error) === 'ECONNREFUSED') await rm(path, { force: true }).catch(() => {})
    return null
  }
}

/** True for a folder of this user that nobody else can enter; a link is none. */
async function isPrivate(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null)
  if (!found?.isDirectory()) return false
  return found.uid === process.getuid?.() && (found.mode & 0o077) === 0
}
