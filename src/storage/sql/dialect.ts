import type { Work } from './work.ts'

/** What the databases say in their own way, within statements that are otherwise the same. */
export interface Dialect {
  /** The next place in the order of activity, after all others. */
  readonly nextActivity: string
  /** The next place in the order of checkpoints. */
  readonly nextCheckpoint: string
  /** A statement that reads a `version`, which changes when another connection has committed. */
  readonly version: string
  /** The rows of a list of objects that a value holds as JSON, with these columns of types; for a FROM. */
  rows(value: string, name: string, columns: Readonly<Record<string, 'text' | 'bigint'>>): string
  /** A condition: the column has one of the values of this query, of which there are few, so that an index finds their rows. */
  among(column: string, query: string): string
  /** At the end of a SELECT: nobody else changes its rows before the transaction ends. */
  readonly forShare: string
  readonly forUpdate: string
  /** Until the end of the transaction, who locks a thread sees what others have stored of it, and stores before them. */
  lockThread(threadId: string): Work<void>
  /** Tells other processes, with the transaction, that something was stored of a run, and of a thread with it. */
  tell(runId: string, threadId?: string): Work<void>
  readonly lease: LeaseDialect
  readonly library: LibraryDialect
  /** How a text of any characters is kept in a column. */
  readonly anyText: { readonly write: (text: string) => string; readonly read: (kept: string) => string }
}

/** Documents, and what is kept in memory of them. */
export interface LibraryDialect {
  /** A condition on rows with a `document_id`: all of the document is stored. */
  readonly complete: string
  /** Places of documents in the order of their titles. */
  readonly order: string
  /** Ends what processes keep in memory of the library. Last in a transaction: the next that changes the library may wait. */
  changed(): Work<void>
  /** Another text whenever something may have changed, in this process or another. */
  version(): Work<string>
}

/** When a lease ends. */
export interface LeaseDialect {
  /** A condition on a row of `leases`: it has not ended, by the clock. */
  readonly isCurrent: string
  /** What is set when it is taken or renewed. */
  readonly expiry: { readonly column: string; readonly value: string }
  /** An assignment that changes with each renewal. */
  readonly renewed: string
}

/** The ids that a value of `idList` holds, for an IN. */
export function idsIn({ rows }: Dialect, value: string): string {
  return `(SELECT id FROM ${rows(value, 'listed', { id: 'text' })})`
}

/** Ids as one value, which `rows` and `idsIn` read. */
export function idList(ids: readonly (string | number)[]): string {
  return JSON.stringify(ids.map((id) => ({ id })))
}
