import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Quaero } from '../../../src/index.ts'
import { sharedLibrary } from '../../../src/server/user/libraries.ts'
import { newDatabase } from '../../fixtures/storage/new-database.ts'
import { postgresMissing } from '../../fixtures/storage/postgres-server.ts'
import { openQuaero, papers, temporaryFolder } from '../../fixtures/workflow.ts'
import { read, type Send, served } from './served.ts'

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : ''

interface Added {
  readonly documents: readonly { documentId: string; path: string; status: string; error: { message: string } | null }[]
}

const within = { timeout: 60_000 }

describe.skipIf(postgresMissing !== null)(`an upload that workers read${skipped}`, { timeout: 120_000 }, () => {
  let url: string
  let quaero: Quaero
  let send: Send

  const open = async () =>
    openQuaero({ dataDir: await temporaryFolder(), settings: { storage: url }, model: 'extractive', queued: true })
  const files = async () => (await quaero.queue?.figures())?.files
  const upload = (name: string, body: string) => send(`/api/documents?name=${name}`, { body })
  const listed = async () => (await read<{ documents: unknown[] }>(send('/api/documents'))).documents

  beforeEach(async () => {
    url = (await newDatabase()).url
    quaero = await open()
    send = await served(quaero, { queue: quaero.queue })
  })

  it('is answered as one that the server reads itself, and its file can be opened', async () => {
    const alone = await served(await openQuaero({ dataDir: ':memory:' }))
    const worker = await open()
    await worker.queue?.work({ concurrency: 1 })
    for (const [name, body] of [
      ['marble.md', papers['marble.md']],
      ['broken.pdf', '%PDF-1.4'],
      ['program.exe', 'MZ'],
    ] as const) {
      const [reply, expected] = [await upload(name, body), await alone(`/api/documents?name=${name}`, { body })]
      expect([reply.status, await reply.json()]).toEqual([expected.status, await expected.json()])
    }
    const [{ documentId } = { documentId: '' }] = (await read<Added>(upload('marble.md', papers['marble.md'])))
      .documents
    expect(await (await send(`/api/documents/${documentId}/file`)).text()).toBe(papers['marble.md'])
    const source = (await worker.library.document(documentId)).source
    expect(await readFile(source, 'utf8')).toBe(papers['marble.md'])
  })

  it('waits beside others of its user, and counts among their files meanwhile', async () => {
    const replies = ['one', 'two', 'three'].map((name) => upload(`${name}.md`, `Note ${name}.`))
    await expect.poll(files, within).toEqual({ waiting: 3, working: 0 })
    const refused = await upload('four.md', 'Note four.')
    expect([refused.status, await files()]).toEqual([413, { waiting: 3, working: 0 }])
    await quaero.queue?.work({ concurrency: 1 })
    for (const reply of await Promise.all(replies)) {
      expect(await read<Added>(reply)).toMatchObject({ documents: [{ status: 'added' }] })
    }
  })

  it('that cannot be read is not kept, and leaves room for another', async () => {
    await quaero.queue?.work({ concurrency: 1 })
    for (const name of ['a.pdf', 'b.pdf', 'c.pdf', 'd.pdf']) {
      const { documents } = await read<Added>(upload(name, `%PDF-1.4 ${name}`))
      expect(documents).toMatchObject([{ path: name, status: 'failed', error: { message: expect.any(String) } }])
    }
  })

  it('that waited when its server was killed is followed by the next one, and not kept if it cannot be read', async () => {
    const home = await temporaryFolder()
    const sent = await served(quaero, { queue: quaero.queue, libraries: sharedLibrary(quaero, home) })
    const bodies = { 'marble.md': papers['marble.md'], 'broken.pdf': '%PDF-1.4' }
    for (const [name, body] of Object.entries(bodies)) await sent(`/api/documents?name=${name}&wait=false`, { body })
    await expect.poll(files, within).toEqual({ waiting: 2, working: 0 })
    const next = await open()
    const after = await served(next, { queue: next.queue, libraries: sharedLibrary(next, home) })
    const states = async () => {
      const { uploads } = await read<{ uploads: readonly { name: string; state: string }[] }>(after('/api/uploads'))
      return uploads.map(({ name, state }) => `${name} ${state}`).toSorted()
    }
    await expect.poll(states, within).toEqual(['broken.pdf waiting', 'marble.md waiting'])
    expect(await files()).toEqual({ waiting: 2, working: 0 })
    await next.queue?.work({ concurrency: 1 })
    await expect.poll(states, within).toEqual(['broken.pdf failed', 'marble.md added'])
    expect(await readdir(join(home, 'uploads', 'alice'))).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)])
  })

  it('is taken back when its document is removed while it waits', async () => {
    const worker = await open()
    await worker.queue?.work({ concurrency: 1 })
    const { documents } = await read<Added>(upload('marble.md', papers['marble.md']))
    await quaero.queue?.pause(true)
    const again = ['marble.md', 'copy.md'].map((name) => upload(name, papers['marble.md']))
    await expect.poll(files, within).toEqual({ waiting: 1, working: 0 })
    const removed = await send(`/api/documents/${documents[0]?.documentId}`, { method: 'DELETE' })
    expect([removed.status, await files(), await listed()]).toEqual([200, { waiting: 0, working: 0 }, []])
    for (const reply of again) {
      expect(await read<Added>(reply)).toMatchObject({ documents: [{ status: 'failed', error: { code: 'removed' } }] })
    }
    await quaero.queue?.pause(false)
    expect(await read<Added>(upload('marble.md', papers['marble.md']))).toMatchObject({
      documents: [{ status: 'added' }],
    })
  })

  it('is one with others that have the same bytes, and does not keep its user waiting', async () => {
    await quaero.queue?.pause(true)
    const replies = ['a.md', 'b.md'].map((name) => upload(name, 'The same note.'))
    await expect.poll(files, within).toEqual({ waiting: 1, working: 0 })
    const another = upload('c.md', 'Another note.')
    await expect.poll(files, within).toEqual({ waiting: 2, working: 0 })
    await quaero.queue?.work({ concurrency: 1 })
    await quaero.queue?.pause(false)
    for (const reply of [...replies, another]) {
      expect((await read<Added>(reply)).documents[0]?.status).toBe('added')
    }
  })
})
