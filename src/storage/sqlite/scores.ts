import type { Mask } from '../../credentials/mask.ts'
import { type KeptScore, keptScore } from '../../events/index.ts'
import type { Scores } from '../storage.ts'
import type { SqliteDatabase } from './database/database.ts'

/** `Scores`, and what storage builds on it. */
export interface SqliteScores extends Scores {
  /** The same as `put`; call it inside `write`. */
  insert(score: KeptScore): void
}

/** Keeps scores in the table `scores`. What is written has passed through `mask`. */
export function sqliteScores(database: SqliteDatabase, mask: Mask): SqliteScores {
  const { put, ofRun, waiting, settle } = prepare(database)
  const insert = ({ runId, scoredAt, delivery, ...said }: KeptScore) => {
    const { name, value, comment, userId } = mask(said)
    put.run(runId, name, JSON.stringify(value), comment, userId, scoredAt, delivery)
  }
  return {
    insert,
    put: (score) => database.write(() => insert(score), { durable: true }),
    of: (runId) => database.read(() => ofRun.all(runId).map(scoreIn)),
    waiting: (most) => database.read(() => waiting.all(most).map(scoreIn)),
    async settle({ runId, name, value, scoredAt }, delivery) {
      const { changes } = await database.write(() => settle.run(delivery, runId, name, JSON.stringify(value), scoredAt))
      return changes > 0
    },
  }
}

interface ScoreRow {
  readonly run_id: string
  readonly name: string
  readonly value: string
  readonly comment: string | null
  readonly user_id: string | null
  readonly scored_at: string
  readonly delivery: string
}

function prepare({ connection }: SqliteDatabase) {
  return {
    put: connection.prepare(
      `INSERT INTO scores (run_id, name, value, comment, user_id, scored_at, delivery) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (run_id, name) DO UPDATE SET value = excluded.value, comment = excluded.comment,
         user_id = excluded.user_id, scored_at = excluded.scored_at, delivery = excluded.delivery`,
    ),
    ofRun: connection.prepare<[string], ScoreRow>('SELECT * FROM scores WHERE run_id = ? ORDER BY number'),
    waiting: connection.prepare<[number], ScoreRow>(
      `SELECT * FROM scores WHERE delivery = 'waiting' ORDER BY number LIMIT ?`,
    ),
    settle: connection.prepare(
      'UPDATE scores SET delivery = ? WHERE run_id = ? AND name = ? AND value = ? AND scored_at = ?',
    ),
  }
}

function scoreIn({ run_id, name, value, comment, user_id, scored_at, delivery }: ScoreRow): KeptScore {
  const kept = {
    runId: run_id,
    name,
    value: JSON.parse(value),
    comment,
    userId: user_id,
    scoredAt: scored_at,
    delivery,
  }
  return keptScore.parse(kept)
}
