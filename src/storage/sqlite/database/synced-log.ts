import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from './failure.ts'

/**
 * Brings SQLite's write-ahead log to the disk. `synchronous = FULL` would do the same within each commit, and nothing else
 * in this process would go on meanwhile.
 */
export class SyncedLog {
  readonly #path: string
  /** Opened once; null where there is no such file: in memory, or without a write-ahead log. */
  #file: Promise<FileHandle | null> | null = null

  /** `path` is that of the database. */
  constructor(path: string) {
    this.#path = path
  }

  /** Resolves when all that is committed is on disk. */
  async sync(): Promise<void> {
    this.#file ??= openLog(this.#path)
    try {
      await (await this.#file)?.datasync()
    } catch (error) {
      await this.close()
      throw error
    }
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = null
    await (await file?.catch(() => null))?.close()
  }
}

async function openLog(path: string): Promise<FileHandle | null> {
  if (path === ':memory:') return null
  try {
    const file = await open(`${path}-wal`, 'r+')
    await syncFolder(dirname(path))
    return file
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/** Else a new file might have no name after a loss of power. */
async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders, and needs no such sync.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
