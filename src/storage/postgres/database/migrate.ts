import type { Pool } from 'pg'
import { SchemaUnsupported, StorageUnavailable } from '../../../errors.ts'
import { type Sql, schemaName, sqlOver } from './connection.ts'
import { migrations } from './schema.ts'

/** The lock that one program holds while it changes the schema. */
const migrationLock = 0x51_55_41_45

/**
 * Brings the schema to the newest version, in one transaction; another program that does so is waited for. Throws
 * `SchemaUnsupported` for a newer version, and leaves that unchanged.
 */
export async function bringUpToDate(pool: Pool, name: string, steps: readonly string[] = migrations): Promise<void> {
  if ((await versionIn(sqlOver(pool), { name, newest: steps.length })) === steps.length) return
  const client = await pool.connect()
  try {
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${migrationLock})`)
    const applied = await versionIn(sqlOver(client), { name, newest: steps.length })
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schemaName}`)
    await client.query('CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)')
    // Waits for all transactions that write, and those that come see the new version.
    await client.query('LOCK TABLE schema_version IN ACCESS EXCLUSIVE MODE')
    for (const step of steps.slice(applied)) await client.query(step)
    await client.query('DELETE FROM schema_version')
    await client.query('INSERT INTO schema_version VALUES ($1)', [steps.length])
    await client.query('COMMIT')
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** The version of the schema; 0 where there is none. */
async function versionIn(sql: Sql, { name, newest }: { name: string; newest: number }): Promise<number> {
  const found = await sql.get<{ isThere: boolean }>('SELECT to_regclass($1) IS NOT NULL AS "isThere"', [
    `${schemaName}.schema_version`,
  ])
  if (!found?.isThere) return 0
  const row = await sql.get<{ version: number }>('SELECT version FROM schema_version')
  const version = row?.version ?? 0
  if (version > newest) refuseOtherVersion(version, { name, version: newest })
  return version
}

/** Throws `SchemaUnsupported` unless the schema has the version that this program knows. */
export function refuseOtherVersion(found: number, { name, version }: { name: string; version: number }): void {
  if (found === version) return
  if (found === 0) {
    throw new StorageUnavailable(`The tables are gone from the ${name}. Restore them from a copy, or restart Quaero.`)
  }
  throw new SchemaUnsupported(
    `The ${name} has schema version ${found}; this version of Quaero knows ${version}. Update Quaero, or choose another database. Nothing was changed.`,
  )
}
