import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { quaero, startQuaero } from '../fixtures/command-line.ts'
import { setUpPages } from '../fixtures/page-tests.ts'
import { startServer } from '../fixtures/served-command.ts'
import { speakingEndpoint } from '../fixtures/speaking-endpoint.ts'
import { browserPath, openPage } from '../fixtures/stage.ts'
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

/** A database of its own, and a server over it that leaves all work to others. */
async function startApi(more: Readonly<Record<string, string>> = {}) {
  const { url } = await newDatabase()
  const env = { QUAERO_DATABASE_URL: url, ...more }
  const cwd = await folderOf()
  const server = await startServer({ cwd, env }, '--workers', '0')
  const upload = (file: string, body: string, signal?: AbortSignal) =>
    fetch(`${server.origin}/api/documents?name=${file}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}` },
      body,
      ...(signal && { signal }),
    })
  const metrics = async () => (await server.send('/metrics')).text()
  return { server, upload, metrics, env, cwd }
}

const { browser } = setUpPages('what the page says of workers is not tested.')

const granite = '# The Granite corpus\n\nThe Granite corpus holds 12.5 million letters, all of them from Oslo.\n'

describe.skipIf(postgresMissing !== null)(`quaero worker${skipped}`, { timeout: 240_000 }, () => {
  it('answers what a server without workers was asked, and ends when it is told to', async () => {
    const { server, metrics, cwd, env } = await startApi()
    const asked = server.send('/api/ask', { question: 'How many pages does the Marble corpus hold?' })
    const waiting = async () => (await metrics()).includes('quaero_queue_runs{state="waiting"} 1')
    await expect.poll(waiting, { timeout: 60_000 }).toBe(true)
    expect(await metrics()).toContain('quaero_stored_runs{state="queued"} 1')
    expect((await quaero(['queue', 'pause'], { cwd, env })).code).toBe(0)
    expect((await quaero(['queue'], { cwd, env })).out).toMatch(
      /^1 waiting, the oldest for \d+ s; 0 at work; 0 workers; paused$/m,
    )
    const { out } = await quaero(['queue', '--json'], { cwd, env })
    expect(jsonOutputs['queue-show'].parse(JSON.parse(out))).toMatchObject({ waiting: 1, working: 0, isPaused: true })
    const { out: checks } = await quaero(['doctor'], { cwd, env })
    expect(checks).toMatch(/queue.*1 waiting.*0 workers.*no worker is connected/is)
    expect(await (await server.send('/ready')).json()).toMatchObject({ waiting: 1, workers: 0 })
    const [{ runId }] = JSON.parse((await quaero(['runs', 'list', '--json'], { cwd, env })).out).runs
    expect(JSON.parse((await quaero(['runs', 'show', runId, '--json'], { cwd, env })).out).status).toBe('queued')
    expect(await (await server.send(`/api/runs/${runId}`)).json()).toMatchObject({ runId, status: 'queued' })
    expect((await quaero(['queue', 'continue'], { cwd, env })).code).toBe(0)
    const worker = await startWorker({ cwd: await temporaryFolder(), env })
    expect(worker.line).toEqual({ pid: worker.child.pid, concurrency: 2 })
    const events = await (await asked).text()
    expect(events).toContain('event: run.completed')
    expect(events).toContain('81.1 million')
    worker.child.kill('SIGTERM')
    expect(await worker.ended).toMatchObject({ code: 0 })
  })

  it('answers the questions of a report that a server without workers writes', async () => {
    const endpoint = await speakingEndpoint()
    const { server, env } = await startApi(endpoint.env)
    const written = server.send('/api/reports', { question: 'What is known of the pages?' })
    const worker = await startWorker({ cwd: await temporaryFolder(), env })
    const report = JSON.parse((await (await written).text()).match(/^data: (\{"step":"report".*)$/m)?.[1] ?? '{}')
    expect(report).toMatchObject({ report: { kind: 'report', unfinished: [], sections: [{ heading: 'Pages' }] } })
    expect(JSON.stringify(report)).toContain('It holds 81.1 million pages.')
    const calls = endpoint.calls().length
    expect(await (await server.send('/api/reports', { question: 'What is known of the pages?' })).text()).toContain(
      '81.1',
    )
    expect(endpoint.calls().length).toBe(calls)
    worker.child.kill('SIGTERM')
    expect(await worker.ended).toMatchObject({ code: 0 })
  })

  it.skipIf(!browserPath)('is missed on the page, which has the answer once one comes', async () => {
    const { server, env } = await startApi()
    const { page, context } = await openPage(browser(), server.url)
    onTestFinished(() => context.close())
    await page.getByRole('textbox', { name: 'Question' }).fill('How many pages does the Marble corpus hold?')
    await page.keyboard.press('Enter')
    await page.getByText('Waiting: no worker is connected').waitFor({ timeout: 60_000 })
    await startWorker({ cwd: await temporaryFolder(), env })
    await page.getByText('81.1 million').first().waitFor({ timeout: 60_000 })
  })

  it('reads what a server without workers is given, which then answers from it', async () => {
    const { server, upload, metrics, cwd, env } = await startApi()
    const added = upload('granite.md', granite)
    const waiting = async () => (await metrics()).includes('quaero_queue_files{state="waiting"} 1')
    await expect.poll(waiting, { timeout: 60_000 }).toBe(true)
    expect((await quaero(['queue'], { cwd, env })).out).toContain('files: 1 waiting; 0 being read\n')
    await startWorker({ cwd: await temporaryFolder(), env })
    const { documents } = (await (await added).json()) as { documents: [{ documentId: string }] }
    expect(documents).toMatchObject([{ path: 'granite.md', status: 'added', pages: 1, error: null }])
    const [{ documentId }] = documents
    const events = await (
      await server.send('/api/ask', { question: 'How many letters does the Granite corpus hold?' })
    ).text()
    expect(events).toContain('event: run.completed')
    expect(events).toContain('12.5 million')
    expect(events).toContain(`"documentId":"${documentId}"`)
    expect(await (await server.send(`/api/documents/${documentId}/file`)).text()).toBe(granite)
  })

  it('adds a file whose client has left, and whose server was killed', { tags: ['slow'] }, async () => {
    const { server, upload, metrics, cwd, env } = await startApi()
    const leaving = new AbortController()
    const left = upload('granite.md', granite, leaving.signal).catch((error: Error) => error.name)
    const waiting = async () => (await metrics()).includes('quaero_queue_files{state="waiting"} 1')
    await expect.poll(waiting, { timeout: 60_000 }).toBe(true)
    leaving.abort()
    expect(await left).toBe('AbortError')
    server.child.kill('SIGKILL')
    await startWorker({ cwd: await temporaryFolder(), env })
    const listed = async () => (await quaero(['library', 'list', '--json'], { cwd, env })).out
    await expect.poll(listed, { timeout: 60_000, interval: 500 }).toContain('granite.md')
  })

  it.skipIf(isOnPostgres())('says that it needs a database with a queue', async () => {
    const { code, err } = await quaero(['worker'], { cwd: await temporaryFolder() })
    expect(code).toBe(2)
    expect(err).toContain('Only a PostgreSQL database has a queue.')
  })
})
