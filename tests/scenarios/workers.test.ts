import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { quaero, startQuaero } from '../fixtures/command-line.ts'
import { startServer } from '../fixtures/served-command.ts'
import { isOnPostgres } from '../fixtures/storage/chosen-storage.ts'
import { newDatabase } from '../fixtures/storage/new-database.ts'
import { postgresMissing } from '../fixtures/storage/postgres-server.ts'
import { folderOf, temporaryFolder } from '../fixtures/workflow.ts'

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : ''

/** Starts a worker, and waits until it takes questions. */
async function startWorker(options: Parameters<typeof startQuaero>[1]) {
  const worker = startQuaero(['worker', '--concurrency', '2', '--json'], options)
  const [line] = await once(worker.child.stdout!, 'data')
  return { ...worker, line: JSON.parse(String(line)) }
}

describe.skipIf(postgresMissing !== null)(`quaero worker${skipped}`, { timeout: 240_000 }, () => {
  it('answers what a server without workers was asked, and ends when it is told to', async () => {
    const { url } = await newDatabase()
    const cwd = await folderOf()
    const env = { QUAERO_DATABASE_URL: url }
    const server = await startServer({ cwd, env }, '--workers', '0')
    const asked = server.send('/api/ask', { question: 'How many pages does the Marble corpus hold?' })
    const waiting = async () => (await (await server.send('/metrics')).text()).includes('{state="waiting"} 1')
    await expect.poll(waiting, { timeout: 60_000 }).toBe(true)
    expect(await (await server.send('/metrics')).text()).toContain('quaero_stored_runs{state="queued"} 1')
    expect((await quaero(['queue', 'pause'], { cwd, env })).code).toBe(0)
    expect((await quaero(['queue'], { cwd, env })).out).toMatch(/^1 waiting, the oldest for \d+ s; 0 at work; paused$/m)
    expect((await quaero(['queue', 'continue'], { cwd, env })).code).toBe(0)
    const worker = await startWorker({ cwd: await temporaryFolder(), env })
    expect(worker.line).toEqual({ pid: worker.child.pid, concurrency: 2 })
    const events = await (await asked).text()
    expect(events).toContain('event: run.completed')
    expect(events).toContain('81.1 million')
    worker.child.kill('SIGTERM')
    expect(await worker.ended).toMatchObject({ code: 0 })
  })

  it.skipIf(isOnPostgres())('says that it needs a database with a queue', async () => {
    const { code, err } = await quaero(['worker'], { cwd: await temporaryFolder() })
    expect(code).toBe(2)
    expect(err).toContain('Only a PostgreSQL database has a queue.')
  })
})
