import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type GroupedWrites, groupedWrites } from '../../../../../src/storage/sqlite/database/grouped-writes.ts'

describe('writes that wait together', () => {
  let folder: string
  let connection: Database.Database
  let other: Database.Database
  let writes: GroupedWrites
  let sync: () => Promise<void>

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quaero-'))
    connection = new Database(join(folder, 'notes.db'), { timeout: 5 })
    connection.pragma('journal_mode = WAL')
    connection.exec('CREATE TABLE notes (text TEXT UNIQUE) STRICT')
    other = new Database(join(folder, 'notes.db'))
    sync = async () => {}
    writes = groupedWrites(connection, { budgetMs: 5000, sync: () => sync() })
  })
  afterEach(async () => {
    await writes.idle()
    connection.close()
    other.close()
    await rm(folder, { recursive: true })
  })

  const insert = (text: string) => connection.prepare('INSERT INTO notes VALUES (?)').run(text)
  const add = (text: string, durable = false) => writes.write(() => insert(text), { durable })
  const stored = () => other.prepare('SELECT text FROM notes ORDER BY rowid').pluck().all()

  it('are committed together, in order, and none is reported before', async () => {
    const seenInside: unknown[] = []
    const look = writes.write(() => seenInside.push(...stored()), { durable: false })
    const first = add('1')
    const second = writes.write(
      () => {
        insert('2')
        return stored().length
      },
      { durable: false },
    )
    // Seen from outside, the first was not there yet when the second was written.
    expect(await second).toBe(0)
    expect(stored()).toEqual(['1', '2'])
    await Promise.all([look, first])
    expect(seenInside).toEqual([])
  })

  it('undo themselves alone when they throw', async () => {
    const failing = writes.write(
      () => {
        insert('half')
        throw new Error('no more')
      },
      { durable: false },
    )
    const results = await Promise.allSettled([add('1'), failing, add('1'), add('2')])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(stored()).toEqual(['1', '2'])
  })

  it('are all refused where the transaction as a whole is undone', async () => {
    // What a full disk does: the error takes the transaction with it.
    const undone = writes.write(
      () => {
        connection.exec('ROLLBACK')
        throw new Error('the disk is full')
      },
      { durable: false },
    )
    const results = await Promise.allSettled([add('1'), undone, add('2')])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(stored()).toEqual([])
    await add('3')
    expect(stored()).toEqual(['3'])
  })

  it('are reported once they are on disk, if they are durable, and others go on meanwhile', {
    tags: ['TRAP17'],
  }, async () => {
    let syncs = 0
    let onDisk = () => {}
    sync = () => {
      syncs += 1
      return new Promise<void>((resolve) => {
        onDisk = resolve
      })
    }
    const reported: string[] = []
    const report = (text: string, durable: boolean) => add(text, durable).then(() => reported.push(text))
    const first = report('1', true)
    await report('2', false)
    const [third, fourth] = [report('3', true), report('4', true)]
    await report('5', false)
    expect(stored()).toEqual(['1', '2', '3', '4', '5'])
    expect(reported).toEqual(['2', '5'])
    expect(syncs).toBe(1)
    onDisk()
    await first
    expect(syncs).toBe(2)
    // What was committed while the first sync was under way waits for the next.
    expect(reported).toEqual(['2', '5', '1'])
    onDisk()
    await Promise.all([third, fourth])
    expect(syncs).toBe(2)
  })

  it('are refused where the disk does not take them, if they are durable', async () => {
    sync = () => Promise.reject(new Error('the disk is gone'))
    const results = await Promise.allSettled([add('1', true), add('2')])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    sync = async () => {}
    await add('3', true)
    expect(stored()).toEqual(['1', '2', '3'])
  })

  it('are tried again together while another process holds the lock', async () => {
    other.exec('BEGIN IMMEDIATE')
    const both = Promise.all([add('1'), add('2')])
    const waits = await Promise.race([both, new Promise((resolve) => setImmediate(resolve, 'waits'))])
    other.exec('ROLLBACK')
    expect(waits).toBe('waits')
    await both
    expect(stored()).toEqual(['1', '2'])
  })
})
