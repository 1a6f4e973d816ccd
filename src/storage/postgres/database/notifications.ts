import type { Sql } from './connection.ts'

/** All processes listen here for runs that begin, change or are asked for; each database has channels of its own. */
export const runsChannel = 'quaero_runs'

/** Tells all processes that something was stored of a run, or of a thread with it: with the transaction, if `sql` is in one. */
export async function notifyOfRun(sql: Sql, runId: string, threadId?: string): Promise<void> {
  await sql.run('SELECT pg_notify($1, $2)', [runsChannel, JSON.stringify({ runId, threadId })])
}

/** Sends short messages at once, without a wait for the disk: nobody needs them later. */
export async function sendMessages(sql: Sql, channel: string, messages: readonly string[]): Promise<void> {
  await sql.run(
    `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, message) FROM unnest($2::text[]) AS message`,
    [channel, messages],
  )
}

/** A message has less than 8,000 bytes. */
const partLength = 7_900

/**
 * Sends JSON of any length in parts, which PostgreSQL delivers together and in order. Before each stands how many follow
 * it, also since of two equal messages only one would be delivered.
 */
export async function sendJson(sql: Sql, channel: string, json: string): Promise<void> {
  const ascii = json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const count = Math.ceil(ascii.length / partLength)
  const part = (index: number) => `${count - 1 - index} ${ascii.slice(index * partLength, (index + 1) * partLength)}`
  await sendMessages(
    sql,
    channel,
    Array.from({ length: count }, (_, index) => part(index)),
  )
}

/** Puts the parts of one channel together again. */
export class JsonParts {
  #begun = ''

  /** The whole JSON with its last part, before that null. */
  add(part: string): string | null {
    const space = part.indexOf(' ')
    const json = this.#begun + part.slice(space + 1)
    const isWhole = part.slice(0, space) === '0'
    this.#begun = isWhole ? '' : json
    return isWhole ? json : null
  }
}
