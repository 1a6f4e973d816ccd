import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrations } from '../../../../src/storage/sqlite/schema.ts'

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
