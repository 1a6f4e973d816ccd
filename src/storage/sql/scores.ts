import type { Mask } from '../../credentials/index.ts'
import { type KeptScore, keptScore } from '../../events/index.ts'
import type { Scores } from '../storage.ts'
import { all, type Work, type Workplace } from './work.ts'

/** `Scores`, and what storage builds on it. */
export interface ScoreTable extends Scores {
  /** The same as `put`, within other work. */
  insert(score: KeptScore): Work<unknown>
}

/** Keeps scores in the table `scores`. What is written has passed through `mask`. */
export function scoreTable({ read, write }: Workplace, mask: Mask): ScoreTable {
  const insert = ({ runId, scoredAt, delivery, ...said }: KeptScore) => {
    const { name, value, comment, userId } = mask(said)
    return all(
      `INSERT INTO scores (run_id, name, value, comment, user_id, scored_at, delivery)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (run_id, name) DO UPDATE SET value = excluded.value, comment = excluded.comment,
         user_id = excluded.user_id, scored_at = excluded.scored_at, delivery = excluded.delivery`,
      [runId, name, JSON.stringify(value), comment, userId, scoredAt, delivery],
    )
  }
  const select = async (condition: string, value: string | number) =>
    (await read(() => all<ScoreRow>(`SELECT ${columns} FROM scores WHERE ${condition}`, [value]))).map(scoreOf)
  return {
    insert,
    put: (score) => write(() => insert(score), { durable: true }).then(() => {}),
    async remove(runId, name) {
      await write(() => all('DELETE FROM scores WHERE run_id = $1 AND name = $2', [runId, name]), { durable: true })
    },
    of: (runId) => select('run_id = $1 ORDER BY number', runId),
    waiting: (most) => select(`delivery = 'waiting' ORDER BY number LIMIT $1`, most),
    async settle({ runId, name, value, scoredAt }, delivery) {
      const settled = await write(() =>
        all(
          `UPDATE scores SET delivery = $1 WHERE run_id = $2 AND name = $3 AND value = $4 AND scored_at = $5
           RETURNING run_id`,
          [delivery, runId, name, JSON.stringify(value), scoredAt],
        ),
      )
      return settled.length > 0
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
