import type { AddedDocument, OpenedFile } from '../library/index.ts'

/** How far a file is. */
export interface QueuedFile {
  readonly state: 'waiting' | 'reading' | 'ended'
  /** What the worker that reads it has stored so far. */
  readonly pages: number
  readonly passages: number
  /** What became of it; null until it has ended. */
  readonly document: AddedDocument | null
}

/** A file that a worker has taken. */
export interface ClaimedFile {
  readonly source: string
  /** Workers that ended while they read it, since one got further with it than all before, and for how long now. */
  readonly lost: { readonly workers: number; readonly forMs: number }
  /** How often a worker could not read it for another reason than the file, and lived. */
  readonly failures: number
  open(): Promise<OpenedFile>
  /** Tells how much of it is stored. Throws `LeaseLost` once others may have taken it. */
  progress(done: Pick<QueuedFile, 'pages' | 'passages'>): Promise<void>
  /** Offers it to the workers again; `hasFailed` counts among the failures. */
  release(options: { readonly hasFailed: boolean }): Promise<void>
  /** Ends it, and removes its bytes. What others have taken meanwhile is left to them, as with `release`. */
  end(document: AddedDocument): Promise<void>
}

/**
 * Files that workers of this process or others read into the library, users in turns. One whose worker dies, or does not
 * answer for some seconds, is offered to the others again (`QueueMember.recover`).
 */
export interface FileQueue {
  /**
   * Stores a file with its bytes, in one transaction that is on disk before this returns its id. A file from the same
   * source that has not ended yet is the same one.
   */
  submit(file: OpenedFile, userId: string | null): Promise<string>
  /** Ends the file from this source, if there is one that has not ended: it is not added, and who reads it stores nothing. */
  withdraw(source: string, document: AddedDocument): Promise<void>
  /** null some time after it has ended. */
  find(fileId: string): Promise<QueuedFile | null>
  /** Calls `wake` when the file has ended, until what is returned is called. Now and then look all the same. */
  watch(fileId: string, wake: () => void): () => void
  /** Takes the next file for this process, which is a member of the queue and reads no other; null if none can be taken. */
  claim(): Promise<ClaimedFile | null>
}
