import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { PathNotFound, UsageError } from '../../errors.ts'
import { sourcesIn } from '../port/sources-in.ts'
import type { FolderChanges, WatchOptions } from '../port/watch.ts'
import { openAlarm } from './folder-alarm.ts'
import { KeptFolder, type KeptFolderParts } from './kept-folder.ts'

export interface WatchParts extends KeptFolderParts {
  /** The folders that are kept current now. */
  readonly kept: Set<KeptFolder>
  /** Ends the watch. */
  readonly signal: AbortSignal
}

const usualSettleMs = 2000
/** What is written for long is looked at more and more seldom: down to once in so many times. */
const mostPatience = 4

/** Keeps folders and their documents the same until the signal is aborted or the reader leaves; what changed, batch by batch. */
export async function* watchFolders(
  folders: readonly string[],
  { everyMs, settleMs = usualSettleMs, ...adding }: WatchOptions,
  { kept, signal, ...parts }: WatchParts,
): AsyncGenerator<FolderChanges> {
  await requireFolders(folders, parts)
  const own = [...new Set(folders)].map((folder) => new KeptFolder(folder, { ...adding, signal }, parts))
  for (const folder of own) kept.add(folder)
  try {
    while (!signal.aborted) yield* untilChanged(own, { everyMs, settleMs, signal })
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    for (const folder of own) kept.delete(folder)
  }
}

/** Ends once all is done and something else may have changed. */
async function* untilChanged(
  own: readonly KeptFolder[],
  { everyMs, settleMs, signal }: { everyMs: number | undefined; settleMs: number; signal: AbortSignal },
): AsyncGenerator<FolderChanges> {
  // Before the looks, so that what changes after them is told of; and anew each time, since another folder may be in its place.
  const folders = own.map(({ status }) => status.folder)
  const alarm = await openAlarm(folders, everyMs)
  try {
    for (let patience = 1; ; patience = Math.min(2 * patience, mostPatience)) {
      for (const folder of own) yield* await folder.look(alarm.problem())
      if (own.every(({ isSettled }) => isSettled)) break
      await wait(patience * settleMs, null, { signal })
    }
    await alarm.rung(signal)
  } finally {
    await alarm.close()
  }
}

/** A folder that the library knows may be away, as a drive is. Throws `PathNotFound`, `UsageError`. */
async function requireFolders(paths: readonly string[], { index }: KeptFolderParts): Promise<void> {
  if (paths.length === 0) throw new UsageError('Name the folders that are to be kept current')
  for (const path of paths) {
    const status = await stat(path).catch(() => null)
    if (status?.isDirectory() || (!status && sourcesIn(resolve(path), await index.sources()).length > 0)) continue
    if (status) throw new UsageError(`${JSON.stringify(path)} is no folder. Name the folder that is to be kept current`)
    throw new PathNotFound(`${JSON.stringify(path)} does not exist. Check the path and the folder you are in`)
  }
}
