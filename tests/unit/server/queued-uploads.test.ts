import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
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

  it('counts for a day where there is no document of it, and is then removed for another', async () => {
    const home = await temporaryFolder()
    const uploads = join(home, 'uploads')
    const sent = await served(quaero, { libraries: sharedLibrary(quaero, home) })
    for (const name of ['one', 'two', 'three']) {
      await mkdir(join(uploads, 'alice', name), { recursive: true })
      await writeFile(join(uploads, 'alice', name, 'lost.md'), name)
    }
    const add = () => sent('/api/documents?name=marble.md', { body: papers['marble.md'] })
    expect((await add()).status).toBe(413)
    const before = new Date(Date.now() - 25 * 3_600_000)
    await utimes(join(uploads, 'alice', 'two'), before, before)
    expect(await read<Added>(add())).toMatchObject({ documents: [{ status: 'added' }] })
    expect((await readdir(join(uploads, 'alice'))).sort()).toEqual(
      ['one', 'three', expect.stringMatching(/^[0-9a-f]{16}$/)].sort(),
    )
  })

  it('is taken back when its document is removed while it waits', async () => {
    const worker = await open()
    await worker.queue?.work({ concurrency: 1 })
    const { documents } = await read<Added>(upload('marble.md', papers['marble.md']))
    await quaero.queue?.pause(true)
    const again = ['marble.md', 'copy.md'].map((name) => upload(name, papers['marble.md']))
    await expect.poll(files, within).toEqual({ waiting: 2, working: 0 })
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

  it('does not wait for others with the same content, nor keep its user waiting', async () => {
    await quaero.queue?.pause(true)
    const replies = ['a.md', 'b.md'].map((name) => upload(name, 'The same note.'))
    await expect.poll(files, within).toEqual({ waiting: 2, working: 0 })
    const another = upload('c.md', 'Another note.')
    await expect.poll(files, within).toEqual({ waiting: 3, working: 0 })
    await quaero.queue?.work({ concurrency: 1 })
    await quaero.queue?.pause(false)
    for (const reply of [...replies, another]) {
      expect((await read<Added>(reply)).documents[0]?.status).toMatch(/added|unchanged/)
    }
  })
})
