import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import JSZip from 'jszip'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { problemsOf } from '../fixtures/reply-problems.ts'
import { openServer, type RunningServer, tokens, type UserName } from '../fixtures/running-server.ts'

let folder = ''
let server: RunningServer

const settings = `server:
  uploads: { files: 200, fileMegabytes: 1, megabytes: 3 }
library: { memoryMegabytes: 200, secondsPerFile: 20 }
`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'uploads-'))
  await writeFile(join(folder, 'quaero.yaml'), settings)
  server = await openServer({ cwd: folder, env: { QUAERO_CONFIG: join(folder, 'quaero.yaml') } })
}, 60_000)

afterAll(async () => {
  const { err } = await server.close()
  expect(err.slice(0, 4000)).not.toMatch(/\n\s+at /)
  await rm(folder, { recursive: true, force: true })
})

async function upload(name: string, body: string | Uint8Array, as: UserName = 'alice') {
  const reply = await server.send('POST', `/api/documents?name=${encodeURIComponent(name)}`, { as, body })
  expect([name, problemsOf(reply, server, folder)]).toEqual([name, []])
  return { status: reply.status, ...JSON.parse(reply.text) }
}

/** Files that are kept for a user, without the folder of each. */
async function kept(user: UserName): Promise<readonly string[]> {
  const entries = await readdir(join(folder, 'uploads', user), { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

describe('an upload', { timeout: 180_000 }, () => {
  it('of thirty megabytes more than allowed is refused, and nothing of it kept', async () => {
    const { status, error } = await upload('large.txt', Buffer.alloc(31 * 1024 * 1024, 'x'), 'bob')
    expect([status, error.code, await kept('bob')]).toEqual([413, 'upload_refused', []])
  })

  it.each(['', 'Expect: 100-continue\r\n'])(
    'that says it is larger is refused before it is sent (%j)',
    async (more) => {
      const socket = connect(server.port, '127.0.0.1')
      socket.write(
        `POST /api/documents?name=large.txt HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n` +
          `Authorization: Bearer ${tokens.bob}\r\nContent-Length: 2000000\r\n${more}\r\n`,
      )
      const [reply] = await once(socket, 'data')
      socket.destroy()
      expect(String(reply).split('\r\n')[0]).toBe('HTTP/1.1 413 Payload Too Large')
    },
  )

  it('is refused once the files of its user have as many bytes as allowed, though each may be smaller', async () => {
    const megabyte = (letter: string) => `${letter.repeat(30)} `.repeat(33_000)
    for (const letter of ['a', 'b']) expect((await upload(`${letter}.txt`, megabyte(letter), 'bob')).status).toBe(200)
    const [third, fourth] = await Promise.all(
      ['c', 'd'].map((letter) => upload(`${letter}.txt`, megabyte(letter), 'bob')),
    )
    expect([third.status, fourth.status].toSorted()).toEqual([200, 413])
    expect(await kept('bob')).toHaveLength(3)
  })

  it('is refused as the 201st file, also of two that come at once', async () => {
    const own = join(folder, 'uploads', 'alice', 'earlier')
    await mkdir(own, { recursive: true })
    for (let file = 1; file <= 199; file += 1) await writeFile(join(own, `${file}.md`), 'A note.')
    const both = await Promise.all([upload('p.md', 'A note on pears.'), upload('q.md', 'A note on quinces.')])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 413])
    expect(await kept('alice')).toHaveLength(200)
    await rm(own, { recursive: true })
  })

  it('that stops half-way leaves nothing, and does not keep the next one waiting', async () => {
    const socket = connect(server.port, '127.0.0.1')
    socket.write(
      `POST /api/documents?name=half.md HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n` +
        `Authorization: Bearer ${tokens.alice}\r\nContent-Length: 1000\r\n\r\nhalf of it`,
    )
    await vi.waitFor(async () => expect(await kept('alice')).toContainEqual(expect.stringMatching(/^[\da-f-]{36}$/)))
    socket.destroy()
    expect((await upload('whole.md', 'A note on cherries.')).status).toBe(200)
    expect(await kept('alice')).not.toContainEqual(expect.stringMatching(/^[\da-f-]{36}$/))
  })

  it.each([
    ['a.exe', 'MZ'],
    ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['a', 'text without an ending'],
    ['a.pdf', '<html>no PDF</html>'],
    ['a.docx', 'no ZIP'],
  ])('named %s that is no document is refused with its reason, and not kept', async (name, body) => {
    const before = await kept('alice')
    const { documents } = await upload(name, body)
    expect(documents).toMatchObject([
      { status: 'failed', error: { code: expect.any(String), message: expect.any(String) } },
    ])
    expect(await kept('alice')).toEqual(before)
  })

  it('of a ZIP bomb is stopped, while others are answered', { tags: ['slow', 'S8'] }, async () => {
    const zip = new JSZip()
    zip.file('word/document.xml', Buffer.alloc(200_000_000, ' '))
    const bomb = await zip.generateAsync({
      type: 'nodebuffer',
      compression: 'DEFLATE',
      compressionOptions: { level: 1 },
    })
    const [bombed, other] = await Promise.all([
      upload('bomb.docx', bomb),
      upload('fine.md', 'A note on plums.', 'alice'),
    ])
    expect(bombed.documents).toMatchObject([{ status: 'failed' }])
    expect(other.documents).toMatchObject([{ status: 'added' }])
  })

  it.each([
    ['a\u0000\u0007\u001b[31mb.md', 'a[31mb.md'],
    ['a\r\nSet-Cookie: x=y.md', 'aSet-Cookie x=y.md'],
    ['\u202egnp.md', 'gnp.md'],
    ['/etc/....//x.md', 'x.md'],
    ['..\\..\\y.md', 'y.md'],
    ['%2e%2e%2fz.md', '%2e%2e%2fz.md'],
    ['<img src=x onerror=alert(1)>.md', 'img src=x onerror=alert(1).md'],
    [`${'x'.repeat(500)}.md`, `${'x'.repeat(117)}.md`],
  ])('with the name %j is kept as %j', async (name, shown) => {
    const { documents } = await upload(name, `A note on ${name.length} figs.`)
    expect(documents).toMatchObject([{ path: shown, status: 'added' }])
  })
})
