type Scalar = string | number | boolean | null

/** Lists are for PostgreSQL alone. */
export type Value = Scalar | Uint8Array | readonly Scalar[]

/** A statement; values stand for `$1`, `$2`, … */
export interface Statement {
  readonly text: string
  readonly values: readonly Value[]
}

export type Row = Readonly<Record<string, unknown>>

/**
 * Work on tables that is written once: it yields its statements, and each storage runs them in its own way, SQLite at once
 * within its transaction, PostgreSQL one after the other over its connection.
 */
export type Work<T> = Generator<Statement, T, readonly Row[]>

/** All rows of a statement, or those that a change returns. */
export function* all<R extends object>(text: string, values: Statement['values'] = []): Work<readonly R[]> {
  // The statement names the columns; nothing but the storage could check them.
  return (yield { text, values }) as readonly R[]
}

/** The first row. */
export function* first<R extends object>(text: string, values: Statement['values'] = []): Work<R | undefined> {
  return (yield* all<R>(text, values))[0]
}

/** A storage that runs such work. */
export interface Workplace {
  /** Throws `StorageUnavailable`, as `write` does. */
  read<T>(work: () => Work<T>): Promise<T>
  /** In one transaction. `durable` work is on disk when this returns. */
  write<T>(work: () => Work<T>, options?: { readonly durable?: boolean }): Promise<T>
  /** In a transaction of its own, beside others where the storage can: for much work that nobody waits for. */
  aside<T>(work: () => Work<T>): Promise<T>
}
