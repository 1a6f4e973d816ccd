import { realpath } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { asError } from '../../errors.ts'
import type { AddedDocument } from '../port/library.ts'
import { isReadable } from '../readers/read-document.ts'

/** Systems lose events where very many come at once, so that folders are looked at anyway. Milliseconds. */
const lookAnywayMs = 600_000
/** Where the system does not tell of all changes. */
const lookInsteadMs = 60_000

/**
 * Tells that something may have changed in folders since it was opened, and no more than that. With `everyMs`, it rings so
 * often, and the system is not asked.
 */
export async function openAlarm(folders: readonly string[], everyMs?: number) {
  const ringing = new AbortController()
  let problem: AddedDocument['error'] = null
  const onError = (error: unknown) => {
    const why = `The system does not tell of all changes (${asError(error).message})`
    problem = { code: 'watcher_failed', message: `${why}, so it is looked at every minute` }
  }
  const watcher = everyMs === undefined ? await watch(folders, () => ringing.abort(), onError) : null
  return {
    /** Why the system does not tell of all changes; null if it does. */
    problem: () => problem,
    /** Resolves once something may have changed, now and then anyway, or when the signal is aborted. */
    async rung(signal: AbortSignal) {
      const ms = everyMs ?? (problem ? lookInsteadMs : lookAnywayMs)
      await wait(ms, null, { signal: AbortSignal.any([signal, ringing.signal]) }).catch(() => {})
    },
    close: async () => watcher?.close(),
  }
}

async function watch(folders: readonly string[], ring: () => void, onError: (error: unknown) => void) {
  const { FSWatcher } = await import('chokidar')
  const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)))
  const isHidden = (path: string) => basename(path).startsWith('.') && !roots.includes(resolve(path))
  const watcher = new FSWatcher({
    // Folders alone: they tell of their files too, each of which would cost the system another watch.
    ignored: (path, stats) => isHidden(path) || stats?.isFile() === true,
    ignoreInitial: true,
    ignorePermissionErrors: true,
    // Links lead to other folders of this one, or out of it.
    followSymlinks: false,
  })
  watcher.on('all', ring).on('error', onError)
  // Of files that are not read, only their coming and going is of interest: it may be another one's name.
  watcher.on('raw', (event: string, name: string | null) => {
    if (event === 'rename' || !name || isReadable(name)) ring()
  })
  await new Promise<void>((ready) => watcher.once('ready', ready).add(roots))
  return watcher
}
