import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { event } from '../../../../../src/events/index.ts'
import { RunFeed } from '../../../../../src/runs/follow/feed.ts'
import { Mailbox } from '../../../../../src/storage/mailbox.ts'
import { socketPath } from '../../../../../src/storage/sqlite/live/socket-runs.ts'
import { openSqliteStorage } from '../../../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../../../src/storage/storage.ts'
import { temporaryFolder } from '../../../../fixtures/workflow.ts'

const runId = 'r1'

/** A storage that works on a run and has begun to offer it, and another on the same folder. */
async function offered(folder: string) {
  const [storage, other] = [await openIn(folder), await openIn(folder)]
  await storage.beginRun('t1', runId, ({ turn }) => [
    event('run.created', { threadId: 't1', turn, question: '?', documents: null }, { correlationId: runId }),
  ])
  const feed = new RunFeed(1)
  storage.live?.offer(runId, feed)
  return { storage, other, join: () => joinedIn(other) }
}

/** A channel, the signals that came first, and what comes after them. */
async function joinedIn({ live }: Storage) {
  const mailbox = new Mailbox()
  const channel = live?.join(runId, mailbox)
  onTestFinished(() => channel?.close())
  await vi.waitFor(() => expect(channel?.state).not.toBe('opening'), { timeout: 1000 }).catch(() => {})
  const signals = mailbox.isEmpty ? [] : (await mailbox.take()).signals
  return { channel, signals, mailbox }
}

async function openIn(folder: string) {
  const storage = await openSqliteStorage({ path: join(folder, 'quaero.db') })
  onTestFinished(() => storage.close())
  return storage
}

/** What a process says that offers the run. */
const forged = '{"kind":"wake","seq":7}\n'

const socketsIn = (folder: string) => readdir(folder).catch(() => [])

/** The offer is made while the run begins. */
async function joined({ join }: Awaited<ReturnType<typeof offered>>) {
  return await vi.waitFor(async () => {
    const found = await join()
    expect(found.signals).not.toEqual([])
    return found
  })
}

/** A process that listens there, and says the line to each that connects. */
async function listener(path: string, line = ''): Promise<ChildProcess> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const server = `require('net').createServer((socket) => socket.on('error', () => {}).write(${JSON.stringify(line)}))`
  const script = `${server}.listen(${JSON.stringify(path)}, () => console.log('listening'))`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

/** A socket without a process, as kill -9 leaves it. */
async function staleSocket(path: string): Promise<void> {
  const child = await listener(path)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect((await stat(path)).isSocket()).toBe(true)
}

describe.skipIf(process.platform === 'win32')('the socket of a process', () => {
  it('is its user’s alone, is made with the first run, and is gone when the storage is closed', async () => {
    const folder = await temporaryFolder()
    const idle = await openIn(folder)
    expect(await socketsIn(join(folder, 'live'))).toEqual([])
    const run = await offered(folder)
    await joined(run)
    const [name = '', ...others] = await socketsIn(join(folder, 'live'))
    expect(others).toEqual([])
    const modes = [join(folder, 'live'), join(folder, 'live', name)].map(
      async (path) => (await stat(path)).mode & 0o777,
    )
    expect(await Promise.all(modes)).toEqual([0o700, 0o600])
    await run.storage.close()
    expect(await socketsIn(join(folder, 'live'))).toEqual([])
    expect((await joinedIn(idle)).signals).toEqual([])
  })

  it('lies in the folder for temporary files where the path in the data folder is too long', async () => {
    const folder = join(await temporaryFolder(), 'a'.repeat(60), 'ü'.repeat(60))
    await joined(await offered(folder))
    expect(await socketsIn(join(folder, 'live'))).toEqual([])
    const path = socketPath(folder, 'owner-0123456789ab')
    expect(path).toBe(join(tmpdir(), `quaero-${process.getuid?.()}`, '0123456789ab'))
  })

  it('is not made in a folder that others may enter, or where there can be none', async () => {
    const open = await temporaryFolder()
    await mkdir(join(open, 'live'))
    await chmod(join(open, 'live'), 0o755)
    const file = await temporaryFolder()
    await writeFile(join(file, 'live'), '')
    for (const folder of [open, file]) {
      const { storage, join: joinRun } = await offered(folder)
      // Waits for the attempt to make it.
      const closing = storage.close()
      expect((await joinRun()).signals).toEqual([])
      await closing
    }
    expect(await readdir(join(open, 'live'))).toEqual([])
  })

  it('of a process that was killed is removed with the next run', async () => {
    const folder = await temporaryFolder()
    await staleSocket(join(folder, 'live', 'stale'))
    await joined(await offered(folder))
    await vi.waitFor(async () => expect(await socketsIn(join(folder, 'live'))).not.toContain('stale'))
  })

  it('is left alone if nothing comes from it, or no lines', async () => {
    const folder = await temporaryFolder()
    const run = await offered(folder)
    await joined(run)
    const [name = ''] = await socketsIn(join(folder, 'live'))
    const path = join(folder, 'live', name)
    for (const said of [null, 'nonsense\n', '{"kind":"wake","seq":-1}\n', '{']) {
      await rm(path)
      const server = createServer((socket) => {
        socket.on('error', () => {}).resume()
        if (said !== null) socket.end(said)
      })
      server.listen(path)
      await once(server, 'listening')
      const { channel, signals } = await run.join()
      expect([channel?.state, signals]).toEqual([said === null ? 'opening' : 'lost', []])
      channel?.close()
      const closed = once(server, 'close')
      server.close()
      await closed
      await writeFile(path, '')
    }
    expect((await run.join()).signals).toEqual([])
  })

  it('sends its follower to the log at a line that is of no run', async () => {
    const folder = await temporaryFolder()
    const run = await offered(folder)
    await joined(run)
    const [name = ''] = await socketsIn(join(folder, 'live'))
    const path = join(folder, 'live', name)
    await rm(path)
    await listener(path, `${forged}{"type":"message.delta"}\n`)
    const { channel } = await run.join()
    await vi.waitFor(() => expect(channel?.state).toBe('lost'))
  })

  it('is not waited for where its process is stopped, so that the run is followed in the log', {
    tags: ['S18'],
  }, async () => {
    const folder = await temporaryFolder()
    const run = await offered(folder)
    await joined(run)
    const [name = ''] = await socketsIn(join(folder, 'live'))
    const path = join(folder, 'live', name)
    await rm(path)
    const stopped = await listener(path, forged)
    stopped.kill('SIGSTOP')
    const { channel, mailbox } = await run.join()
    expect([channel?.state, mailbox.isEmpty]).toEqual(['opening', true])
    stopped.kill('SIGCONT')
    expect((await mailbox.take()).signals).toEqual([{ kind: 'wake', seq: 7 }])
  })

  // Only the superuser can give a folder to another user.
  it.skipIf(process.getuid?.() !== 0)(
    'is not believed or joined where its folder is another user’s',
    {
      tags: ['S13'],
    },
    async () => {
      vi.stubEnv('TMPDIR', await temporaryFolder())
      onTestFinished(() => void vi.unstubAllEnvs())
      const folder = join(await temporaryFolder(), 'a'.repeat(120))
      const theirs = join(tmpdir(), `quaero-${process.getuid?.()}`)
      const run = await offered(folder)
      await joined(run)
      const [name = ''] = await socketsIn(theirs)
      await rm(join(theirs, name))
      await listener(join(theirs, name), forged)
      expect((await run.join()).signals).toEqual([{ kind: 'wake', seq: 7 }])
      await chown(theirs, 65_534, 65_534)
      expect((await run.join()).signals).toEqual([])
      const other = await offered(join(await temporaryFolder(), 'b'.repeat(120)))
      await other.storage.close()
      expect(await socketsIn(theirs)).toEqual([name])
    },
  )

  it('breaks off for its followers when the storage is closed', async () => {
    const run = await offered(await temporaryFolder())
    const { channel, mailbox } = await joined(run)
    const next = mailbox.take()
    await run.storage.close()
    expect((await next).hasNews).toBe(true)
    expect(channel?.state).toBe('lost')
  })
})
