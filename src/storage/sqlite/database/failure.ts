import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { QuaeroError, StorageUnavailable } from '../../../errors.ts'

/** Turns what SQLite or the file system throws into a `StorageUnavailable` that names path, cause and remedy. */
export function storageFailure(error: unknown, path: string): unknown {
  if (error instanceof QuaeroError) return error
  const code = codeOf(error)
  if (isWithoutBinary(error)) return new StorageUnavailable(withoutBinary, { cause: error })
  const found = causes.find(([pattern]) => pattern.test(code))
  const message = found?.[1](path) ?? closedMessage(error, path)
  return message === null ? error : new StorageUnavailable(message, { cause: error })
}

const withoutBinary =
  'The program part of better-sqlite3 is not there, or is for another version of Node.js: it is left out by ' +
  '"npm ci --ignore-scripts". Fetch or build it with: npm rebuild better-sqlite3'

/** Only a script of its package fetches or builds it. */
function isWithoutBinary(error: unknown): boolean {
  return error instanceof Error && (codeOf(error) === 'ERR_DLOPEN_FAILED' || 'tries' in error)
}

/** True while another connection holds the lock that this work needs. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code)
}

/** True when a page or an index of the database is damaged. */
export function isDamage(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CORRUPT')
}

const causes: readonly (readonly [RegExp, (path: string) => string])[] = [
  [
    /^SQLITE_(BUSY|LOCKED)/,
    (path) => `${path} is busy: another process is writing to it. Wait until it is done, or end it, and try again.`,
  ],
  [
    /^(SQLITE_FULL|ENOSPC|EDQUOT)/,
    (path) => `The disk is full at ${path}. What was stored before is intact; free some space and try again.`,
  ],
  [
    /^(SQLITE_READONLY|EROFS)/,
    (path) => `${path} is read-only. Make the file and its folder writable, or choose another folder with --data-dir.`,
  ],
  [
    /^SQLITE_NOTADB/,
    (path) => `${path} is not a database. Move the file away, or choose another folder with --data-dir.`,
  ],
  [
    /^SQLITE_CORRUPT/,
    (path) => `${path} is damaged. Restore it from a copy, or move it away and add the documents again.`,
  ],
  [
    /^(ENOTDIR|EEXIST)/,
    (path) =>
      `${path} cannot be opened: on the way there is a file, not a folder. Choose another folder with --data-dir.`,
  ],
  [
    /^(SQLITE_CANTOPEN|SQLITE_PERM|SQLITE_AUTH|EACCES|EPERM|ENOENT|EISDIR)/,
    (path) =>
      `${path} cannot be opened: its folder is missing and cannot be made, or you may not write there. ` +
      'Check the path and its permissions, or choose another folder with --data-dir.',
  ],
  [
    /^(SQLITE_IOERR|EIO)/,
    (path) => `${path} cannot be read or written: the disk reports an error. Check the disk, then try again.`,
  ],
]

function closedMessage(error: unknown, path: string): string | null {
  const closed = error instanceof TypeError && error.message.includes('not open')
  return closed ? `${path} has been closed. Open the storage again to use it.` : null
}

/** The code of an error of SQLite or the file system; empty for others. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

const firstWaitMs = 2
const longestWaitMs = 50

/**
 * Does the work at once and, while another process holds the lock, again after short waits on a timer, so that the
 * event loop stays free. After `budgetMs` since `from` (`performance.now()`) the last error is thrown.
 */
export async function retryWhileBusy<T>(
  work: () => T | Promise<T>,
  { budgetMs, from = performance.now() }: { readonly budgetMs: number; readonly from?: number },
): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || performance.now() - from + waitMs > budgetMs) throw error
    }
    await wait(waitMs)
  }
}
