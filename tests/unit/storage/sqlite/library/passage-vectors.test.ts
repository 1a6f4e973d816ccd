import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { openSqliteStorage } from '../../../../../src/storage/sqlite/sqlite-storage.ts'

it('vectors are worked on by one process at a time, and a stop ends the wait', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quaero-'))
  const path = join(folder, 'quaero.db')
  const storage = await openSqliteStorage({ path })
  const { vectors } = storage
  // The process that started the tests lives as long as they do.
  const foreign = new Database(path)
  foreign.prepare('INSERT INTO vector_worker (one, pid, process_start) VALUES (1, ?, ?)').run(process.ppid, '')
  const controller = new AbortController()
  let began = false
  const begin = async () => {
    began = true
  }
  const stopped = vectors.exclusively(begin, controller.signal)
  controller.abort(new Error('stopped'))
  await expect(stopped).rejects.toThrow('stopped')
  expect(began).toBe(false)
  // A holder that no longer lives is no reason to wait.
  foreign.prepare('UPDATE vector_worker SET pid = ?').run(2 ** 22 + 1)
  await vectors.exclusively(begin)
  expect(began).toBe(true)
  expect(foreign.prepare('SELECT count(*) AS count FROM vector_worker').get()).toEqual({ count: 0 })
  foreign.close()
  await storage.close()
  await rm(folder, { recursive: true })
})
