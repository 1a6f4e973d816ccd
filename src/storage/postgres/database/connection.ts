import type { ClientBase, Pool, PoolConfig, QueryResultRow } from 'pg'
import type { Row, Value, Work } from '../../sql/work.ts'

/** Runs statements. Values stand for `$1`, `$2`, …; what comes back has the columns that the statement names. */
export interface Sql {
  /** All rows. */
  all<Row>(statement: string, values?: readonly Value[]): Promise<readonly Row[]>
  /** The first row. */
  get<Row>(statement: string, values?: readonly Value[]): Promise<Row | undefined>
  /** How many rows were changed. */
  run(statement: string, values?: readonly Value[]): Promise<number>
}

/** The schema of all tables, so that they stand beside those of other programs. */
export const schemaName = 'quaero'

/** A pool of connections, and the name of the database for people, without user and password. */
export interface Connections {
  readonly pool: Pool
  readonly name: string
}

/** Makes a pool without connecting yet; `pg` is loaded by the first. Throws for an address that cannot be read. */
export async function openPool(
  url: string,
  options: Pick<PoolConfig, 'max' | 'idleTimeoutMillis'>,
): Promise<Connections> {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: connectWithinMs,
    application_name: 'quaero',
    options: `-c search_path=${schemaName}`,
    keepAlive: true,
    allowExitOnIdle: true,
    types: { getTypeParser: (oid, format) => ownParser(oid) ?? pg.types.getTypeParser(oid, format) },
    ...options,
  })
  // A connection that breaks reports that to the statement that uses it; without a listener it would end the process.
  const ignore = () => {}
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  return { pool, name: nameOf(new pg.Client({ connectionString: url })) }
}

const connectWithinMs = 10_000

function nameOf({ host, port, database }: { host: string; port: number; database?: string | undefined }): string {
  const where = host.startsWith('/') ? host : `${host}:${port}`
  return `PostgreSQL database "${database}" at ${where}`
}

/** Statements over one connection. */
export function sqlOver(client: Pick<ClientBase, 'query'>): Sql {
  // The statement names the columns; nothing but the types of PostgreSQL could check them.
  const query = <Row>(statement: string, values: readonly Value[] = []) =>
    client.query<Row & QueryResultRow>(statement, values.map(encodeValue))
  return {
    all: async <Row>(statement: string, values?: readonly Value[]) => (await query<Row>(statement, values)).rows,
    get: async <Row>(statement: string, values?: readonly Value[]) => (await query<Row>(statement, values)).rows[0],
    run: async (statement, values) => (await query(statement, values)).rowCount ?? 0,
  }
}

/** Runs work, statement by statement. */
export async function runWork<T>(sql: Sql, work: Work<T>): Promise<T> {
  let step = work.next([])
  while (!step.done) {
    const { text, values } = step.value
    const rows = await sql.all<Row>(text, values).catch((error: unknown) => ({ error }))
    step = 'error' in rows ? work.throw(rows.error) : work.next(rows)
  }
  return step.value
}

/** The numbers of types in PostgreSQL's catalogue. */
const oids = { int8: 20, text: 25, json: 114 }

function ownParser(oid: number): ((value: string) => unknown) | undefined {
  if (oid === oids.int8) return Number
  if (oid === oids.json) return decodeJson
  return oid === oids.text ? decodeText : undefined
}

/** Of texts that a statement has gathered. */
function decodeJson(json: string): unknown {
  return JSON.parse(json, (_, value) => (typeof value === 'string' ? decodeText(value) : value))
}

function encodeValue(value: Value): unknown {
  if (typeof value === 'string') return encodeText(value)
  return Array.isArray(value) ? value.map((each) => (typeof each === 'string' ? encodeText(each) : each)) : value
}

/**
 * PostgreSQL keeps no null character and no half of a surrogate pair. They are written as this character of the private
 * use area and four hexadecimal digits; so is the character itself.
 */
const escapeMark = '\ue01a'
const escaped = /\ue01a([0-9a-f]{4})/g

/** A text in the form in which the database keeps it. */
function encodeText(text: string): string {
  return text
    .replaceAll(escapeMark, codeFor)
    .replaceAll('\0', codeFor)
    .replace(/\p{Surrogate}/gu, codeFor)
}

function codeFor(character: string): string {
  return escapeMark + character.charCodeAt(0).toString(16).padStart(4, '0')
}

function decodeText(text: string): string {
  if (!text.includes(escapeMark)) return text
  return text.replace(escaped, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
}
