import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { applicationId, migrations } from '../../../../src/storage/sqlite/database/schema.ts'
import { openSqliteStorage } from '../../../../src/storage/sqlite/sqlite-storage.ts'

it('a log of an older schema keeps every event in its place when it is brought up to date', {
  tags: ['F65', 'E4'],
}, () => {
  const olderSteps = 5
  const connection = new Database(':memory:')
  for (const step of migrations.slice(0, olderSteps)) connection.exec(step)
  const insert = connection.prepare(
    "INSERT INTO events (run_id, position, id, type, timestamp, payload) VALUES (?, ?, ?, 'notice', 'now', '{}')",
  )
  for (const run of ['a', 'b', 'c']) {
    for (let position = 1; position <= 50; position += 1) insert.run(run, position, `${run}${position}`)
  }
  const events = () => connection.prepare('SELECT run_id, position, id FROM events ORDER BY run_id, position').all()
  const before = events()
  for (const step of migrations.slice(olderSteps)) connection.exec(step)
  expect(events()).toEqual(before)
  expect(before).toHaveLength(150)
  connection.close()
})

it('checkpoints of an older schema are ordered as they were written, not by the clock in their ids', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quaero-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'quaero.db')
  const older = new Database(path)
  for (const step of migrations.slice(0, 7)) older.exec(step)
  older.pragma(`application_id = ${applicationId}`)
  older.pragma('user_version = 7')
  const insert = older.prepare(
    "INSERT INTO checkpoints (thread_id, checkpoint_id, type, checkpoint, metadata) VALUES ('t1', ?, 'json', ?, '{}')",
  )
  // The clock was set back before the second.
  for (const id of ['2', '1']) insert.run(id, JSON.stringify({ ...emptyCheckpoint(), id }))
  const run = older.prepare(
    'INSERT INTO runs (run_id, thread_id, turn, question, created_at, snapshot) VALUES (?, ?, 1, \'"Why?"\', ?, ?)',
  )
  run.run('r1', 't1', '2026-01-02', null)
  run.run('r2', 't2', '2026-01-01', JSON.stringify({ endedAt: '2026-01-03' }))
  older.exec("INSERT INTO leases VALUES ('t1', 'r1', 1, '', '2026-01-02'), ('t2', 'r2', 999999999, '', '2026-01-02')")
  older.close()

  const storage = await openSqliteStorage({ path })
  const newest = await storage.checkpointer.getTuple({ configurable: { thread_id: 't1' } })
  expect(newest?.config.configurable?.checkpoint_id).toBe('1')
  expect((await storage.events.threads()).map(({ threadId }) => threadId)).toEqual(['t2', 't1'])
  // The first process of the machine lives, and the other does not.
  expect(await storage.leases.holder('t1')).toMatchObject({ runId: 'r1', holder: { pid: 1 } })
  expect(await storage.leases.holder('t2')).toBeNull()
  // The second thread has no checkpoint, as one that was reset.
  const began = await Promise.all(['t2', 't3'].map((id) => storage.beginRun(id, `next-${id}`, () => [])))
  expect(began.map(({ turn, afterReset }) => [turn, afterReset])).toEqual([
    [2, true],
    [1, false],
  ])
  await storage.close()
})
