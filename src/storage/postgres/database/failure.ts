import { QuaeroError, StorageUnavailable } from '../../../errors.ts'

/** Turns what PostgreSQL or the network throws into a `StorageUnavailable` that names the database, cause and remedy. */
export function storageFailure(error: unknown, database: string): unknown {
  if (error instanceof QuaeroError || !(error instanceof Error)) return error
  const code = codeOf(error)
  const found = causes.find(([pattern]) => pattern.test(code))
  if (found) return new StorageUnavailable(found[1](database, error.message), { cause: error })
  if (isLost(error)) return new StorageUnavailable(lostMessage(database), { cause: error })
  if (/^[0-9A-Z]{5}$/.test(code)) return new StorageUnavailable(otherMessage(database, error.message), { cause: error })
  return error
}

/** The same for what is thrown before any work is done, where everything comes from the connection. */
export function openFailure(error: unknown, database: string): unknown {
  const failure = storageFailure(error, database)
  if (failure instanceof QuaeroError || !(failure instanceof Error)) return failure
  // The driver gives no code where a password is missing, or where the two cannot agree on TLS.
  const message = `The ${database} cannot be used: ${failure.message}. Please ${correct}.`
  return new StorageUnavailable(message, { cause: failure })
}

const correct = 'correct QUAERO_DATABASE_URL or the setting "storage"'

const causes: readonly (readonly [RegExp, (database: string, message: string) => string])[] = [
  [
    /^(ECONNREFUSED|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EACCES)$/,
    (database) => `The ${database} cannot be reached. Start the server, or ${correct}.`,
  ],
  [/^28/, (database) => `The ${database} refuses the user or the password. Please ${correct}.`],
  [/^3D000$/, (database) => `The ${database} does not exist. Create it with "createdb", or ${correct}.`],
  [
    /^42501$/,
    (database, message) =>
      `The ${database} denies a right that is needed (${message}). Let the user own the schema "quaero", or, where that is missing, grant it CREATE on the database.`,
  ],
  [
    /^25006$/,
    (database) => `The ${database} takes no writes: it is read-only, or a standby. Name the primary server instead.`,
  ],
  [
    /^53100$/,
    (database) => `The disk of the ${database} is full. What was stored before is intact; free some space there.`,
  ],
  [
    /^53300$/,
    (database) => `The ${database} has no free connection. Close other programs, or raise its max_connections.`,
  ],
  [
    /^(57014|55P03)$/,
    (database) =>
      `A time limit of the ${database} ended a statement. Raise the statement_timeout or lock_timeout of its user, or try again.`,
  ],
  [/^(57P0[1-5]|08|25P03)/, lostMessage],
  [/^40/, (database) => `The ${database} is busy: other processes kept changing the same rows. Try again.`],
]

function lostMessage(database: string): string {
  return `The connection to the ${database} is lost. What was stored before is intact; check the server, and try again.`
}

function otherMessage(database: string, message: string): string {
  return `The ${database} reports an error: ${message}. Check its log, then try again.`
}

/** The code of an error of PostgreSQL (SQLSTATE) or of the network; empty for others. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** The constraint that a row violates; null if that is not what happened. */
export function violated(error: unknown): string | null {
  const isViolation = codeOf(error) === '23505' && error instanceof Error && 'constraint' in error
  return isViolation ? String(error.constraint) : null
}

/** The connection broke, or was closed by the server. */
export function isLost(error: unknown): boolean {
  if (/^(57P0[1-5]|08|25P03)|^(ECONNRESET|EPIPE|ETIMEDOUT)$/.test(codeOf(error))) return true
  return (
    error instanceof Error &&
    /Connection terminated|not queryable|connection timeout|timeout exceeded when trying to connect/i.test(
      error.message,
    )
  )
}

/** The server cannot be reached now, for instance since it starts. */
export function isUnreachable(error: unknown): boolean {
  return isLost(error) || /^(ECONNREFUSED|ENOENT|53300)$/.test(codeOf(error))
}

/** The server is there, and will have a connection: it starts, or others use all that it allows. */
export function isOccupied(error: unknown): boolean {
  return /^(53300|57P03)$/.test(codeOf(error))
}

/** The same work may succeed if it is done again. */
export function mayPass(error: unknown): boolean {
  return isUnreachable(error) || isConflict(error)
}

/** Another transaction was in the way; this one would succeed now. */
function isConflict(error: unknown): boolean {
  // Two events took the same place in a log.
  return /^40/.test(codeOf(error)) || violated(error) === 'events_pkey'
}
