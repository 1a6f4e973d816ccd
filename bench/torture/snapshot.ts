import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { LoggedEvent } from './kill-checks.ts'
import { copyData, tidy } from './processes.ts'

/** The lines that the tool with an effect has appended: each is an idempotency key. */
export async function effectsIn(folder: string): Promise<readonly string[]> {
  const text = await readFile(join(folder, 'effects.txt'), 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line !== '')
}

/** The events after the thread's first turns, read from a copy. A long payload is packed, and names no call. */
export async function logIn(
  folder: string,
  copy: string,
  { skip }: { readonly skip: number },
): Promise<readonly LoggedEvent[]> {
  await copyData(folder, copy)
  const database = new Database(join(copy, 'quaero.db'))
  const rows = database
    .prepare<[number], LoggedEvent>(
      `SELECT e.run_id AS runId, e.type, json_extract(nullif(coalesce(s.payload, e.payload), ''), '$.callId') AS callId
       FROM events e LEFT JOIN events s ON s.id = e.causation_id AND s.type = 'tool.started'
       JOIN runs r ON r.run_id = e.run_id WHERE r.turn > ? ORDER BY e.rowid`,
    )
    .all(skip)
  database.close()
  await tidy(copy)
  return rows
}
