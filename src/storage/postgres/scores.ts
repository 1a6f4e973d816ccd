import type { Mask } from '../../credentials/mask.ts'
import { type KeptScore, keptScore } from '../../events/index.ts'
import type { Scores } from '../storage.ts'
import type { Sql } from './database/connection.ts'
import type { PostgresDatabase } from './database/database.ts'

/** `Scores`, and what storage builds on it. */
export interface PostgresScores extends Scores {
  /** The same as `put`, inside a transaction. */
  insert(sql: Sql, score: KeptScore): Promise<void>
}

/** Keeps scores in the table `scores`. What is written has passed through `mask`. */
export function postgresScores(database: PostgresDatabase, mask: Mask): PostgresScores {
  const { sql } = database
  const insert = async (within: Sql, { runId, scoredAt, delivery, ...said }: KeptScore) => {
    const { name, value, comment, userId } = mask(said)
    await within.run(
      `INSERT INTO scores (run_id, name, value, comment, user_id, scored_at, delivery)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (run_id, name) DO UPDATE SET value = excluded.value, comment = excluded.comment,
         user_id = excluded.user_id, scored_at = excluded.scored_at, delivery = excluded.delivery`,
      [runId, name, JSON.stringify(value), comment, userId, scoredAt, delivery],
    )
  }
  const select = async (condition: string, values: readonly (string | number)[]) =>
    (await sql.all<ScoreRow>(`SELECT ${columns} FROM scores WHERE ${condition}`, values)).map(scoreOf)
  return {
    insert,
    put: (score) => database.write((within) => insert(within, score)),
    of: (runId) => select('run_id = $1 ORDER BY number', [runId]),
    waiting: (most) => select(`delivery = 'waiting' ORDER BY number LIMIT $1`, [most]),
    async settle({ runId, name, value, scoredAt }, delivery) {
      const changed = await database.write((within) =>
        within.run(
          'UPDATE scores SET delivery = $1 WHERE run_id = $2 AND name = $3 AND value = $4 AND scored_at = $5',
          [delivery, runId, name, JSON.stringify(value), scoredAt],
        ),
      )
      return changed > 0
    },
  }
}

const columns = 'run_id AS "runId", name, value, comment, user_id AS "userId", scored_at AS "scoredAt", delivery'

interface ScoreRow extends Omit<KeptScore, 'value'> {
  readonly value: string
}

function scoreOf({ value, ...row }: ScoreRow): KeptScore {
  return keptScore.parse({ ...row, value: JSON.parse(value) })
}
