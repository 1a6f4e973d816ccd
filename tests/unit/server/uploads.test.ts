import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { documentIdOf } from '../../../src/library/ingestion/ingest.ts'
import type { AppOptions } from '../../../src/server/app.ts'
import { sharedLibrary } from '../../../src/server/user/libraries.ts'
import { gate, openQuaero, papers, temporaryFolder } from '../../fixtures/workflow.ts'
import { read, type Send, served } from './served.ts'

interface Status {
  readonly uploadId: string
  readonly name: string
  readonly state: string
  readonly error: { readonly code: string } | null
}

const marble = papers['marble.md']
const within = { timeout: 30_000 }

describe('an upload', { timeout: 60_000 }, () => {
  let home: string
  let send: Send

  const start = async (options: Partial<AppOptions> = {}) => {
    const quaero = await openQuaero({ dataDir: ':memory:' })
    return served(quaero, { libraries: sharedLibrary(quaero, home), ...options })
  }
  const kept = async () =>
    (await readdir(join(home, 'uploads', 'alice'), { recursive: true, withFileTypes: true }))
      .flatMap((entry) => (entry.isFile() ? [entry.name] : []))
      .toSorted()
  /** Leaves a file as a server leaves it that is killed before it is read. */
  const leave = async (name: string, text: string) => {
    const folder = join(home, 'uploads', 'alice', await documentIdOf(Buffer.from(text)))
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, name), text)
  }
  const listed = async () => {
    const { documents } = await read<{ documents: readonly { source: string }[] }>(send('/api/documents'))
    return documents.map(({ source }) => source)
  }
  const uploads = async (as: 'alice' | 'bob' = 'alice') =>
    (await read<{ uploads: readonly Status[] }>(send('/api/uploads', { as }))).uploads

  beforeEach(async () => {
    home = await temporaryFolder()
  })

  it('that arrived before its server was killed is read at the next start, or deleted where it cannot be', async () => {
    await leave('marble.md', marble)
    await leave('broken.pdf', '%PDF-1.4 and nothing')
    send = await start()
    await expect
      .poll(async () => (await uploads()).map(({ name, state }) => [name, state]).toSorted(), within)
      .toEqual([
        ['broken.pdf', 'failed'],
        ['marble.md', 'added'],
      ])
    expect([await listed(), await kept()]).toEqual([['marble.md'], ['marble.md']])
  })

  it('that another server has on its way is left alone, one that nobody sends any more is not', async () => {
    const folder = join(home, 'uploads', 'alice')
    await mkdir(folder, { recursive: true })
    for (const name of ['sent', 'given-up']) await writeFile(join(folder, name), 'half of it')
    const before = new Date(Date.now() - 600_000)
    await utimes(join(folder, 'given-up'), before, before)
    send = await start()
    await expect.poll(kept, within).toEqual(['sent'])
    await send('/api/documents?name=marble.md', { body: marble })
    expect(await kept()).toEqual(['marble.md', 'sent'])
  })

  it('that its server was killed with is counted, and looked at again once it is old enough', async () => {
    const folder = join(home, 'uploads', 'alice')
    await mkdir(folder, { recursive: true })
    const half = join(folder, 'half')
    await writeFile(half, 'x'.repeat(1_000))
    const touch = (at: number) => utimes(half, new Date(at), new Date(at))
    // However long the start takes, it is not old yet.
    await touch(Date.now() + 600_000)
    const limits = { filesPerUser: 3, bytesPerFile: 10_000, bytesPerUser: 1_000, silenceMs: 200 }
    send = await start({ uploads: limits })
    const add = async () => (await send('/api/documents?name=marble.md', { body: marble })).status
    expect([await kept(), await add()]).toEqual([['half'], 413])
    await touch(Date.now())
    await expect.poll(add, within).toBe(200)
    expect(await kept()).toEqual(['marble.md'])
  })

  it('that is on its way when the server stops leaves nothing', async () => {
    const stopping = new AbortController()
    send = await start({ stopping: stopping.signal })
    const begun = gate()
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(Buffer.from('half of it'))
        begun.open()
        return new Promise(() => {})
      },
    })
    const sent = send('/api/documents?name=half.md', { body })
    await begun.opened
    await expect.poll(async () => (await kept()).length, within).toBe(1)
    stopping.abort()
    expect([(await sent).status, await kept()]).toEqual([503, []])
  })

  it('is sent to its end though its file is removed meanwhile, and from the copy that is left', async () => {
    send = await start()
    const [{ documentId }] = (
      await read<{ documents: readonly [{ documentId: string }] }>(
        send('/api/documents?name=marble.md', { body: marble }),
      )
    ).documents
    await send('/api/documents?name=same.md', { body: marble, as: 'bob' })
    const path = `/api/documents/${documentId}/file`
    const sending = await send(path, { as: 'bob' })
    await send(`/api/documents/${documentId}`, { method: 'DELETE' })
    expect([await sending.text(), await (await send(path, { as: 'bob' })).text()]).toEqual([marble, marble])
  })

  it.each(['', '..', '.', '/', '\u0000', '\u200f\u200e', '???'])(
    'is refused where its name is %j alone',
    async (name) => {
      send = await start()
      const refused = await send(`/api/documents?name=${encodeURIComponent(name)}`, { body: marble })
      expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: 'usage' } }])
    },
  )

  it('is the same as one with the same bytes that is read at the time', async () => {
    send = await start()
    const both = await Promise.all(
      ['marble.md', 'copy.md'].map((name) => read<object>(send(`/api/documents?name=${name}`, { body: marble }))),
    )
    expect(both[0]).toEqual(both[1])
    expect([(await listed()).length, (await kept()).length]).toEqual([1, 1])
  })

  it('tells its user how far it is, and nobody else', async () => {
    send = await start()
    const sent = await read<Status>(send('/api/documents?name=marble.md&wait=false', { body: marble }))
    const status = async () => read<Status>(send(`/api/uploads/${sent.uploadId}`))
    await expect.poll(async () => (await status()).state, within).toBe('added')
    expect(await status()).toMatchObject({ name: 'marble.md', pages: 1, error: null })
    expect((await send(`/api/uploads/${sent.uploadId}`, { as: 'bob' })).status).toBe(404)
    expect(await uploads('bob')).toEqual([])
  })

  it('takes no place among the open requests of its user while it waits to be read', async () => {
    const reading = gate()
    const report = { documents: [], totals: {}, skipped: [], removed: [] }
    const queue = {
      withdrawFile: async () => {},
      addFile: async (_: string, options?: { readonly onStored?: () => void }) => {
        options?.onStored?.()
        await reading.opened
        return report as never
      },
    }
    send = await start({ queue, requests: { perUser: 1, inAll: 8 } })
    const waiting = send('/api/documents?name=marble.md', { body: marble })
    await expect.poll(async () => (await send('/api/uploads')).status, within).toBe(200)
    await expect.poll(async () => (await uploads()).map(({ state }) => state), within).toEqual(['waiting'])
    reading.open()
    expect((await waiting).status).toBe(200)
  })
})
