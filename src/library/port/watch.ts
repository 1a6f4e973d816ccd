import type { AddedDocument, AddOptions, AddReport } from './library.ts'

export interface WatchOptions extends Pick<AddOptions, 'onProgress' | 'onEmbedProgress' | 'signal' | 'passwords'> {
  /** Looks at the folders so often, in place of waiting for what the system tells, as for network drives. Milliseconds. */
  readonly everyMs?: number
  /** A file is read once its size and time have not changed for so long. Milliseconds; 2000 by default. */
  readonly settleMs?: number
  /** Called once, when none of the folders is refused. */
  readonly onStart?: () => void
}

/**
 * What has changed in a folder, as the library has it now. `documents` are the files that were added, changed, renamed (with
 * `renamedFrom`) or could not be read, which is told once for each state of a file.
 */
export interface FolderChanges extends AddReport {
  readonly folder: string
  /** An ISO time. */
  readonly at: string
  readonly counts: ChangeCounts
  /** Why the folder cannot be kept current now, or by the clock alone; nothing was removed for it. Told as it begins and ends. */
  readonly problem: AddedDocument['error']
}

export const changes = ['added', 'changed', 'renamed', 'removed', 'failed', 'fallen'] as const

/** How many files; `fallen` are sentences of answers. */
export type ChangeCounts = Readonly<Record<(typeof changes)[number], number>>

/** A folder that this engine keeps current. */
export interface WatchedFolder {
  readonly folder: string
  /** When it was last looked at, and when it had last changed. ISO times; null: not yet. */
  readonly lookedAt: string | null
  readonly changedAt: string | null
  /** Of all changes since the watch began. */
  readonly counts: ChangeCounts
  readonly problem: AddedDocument['error']
}
