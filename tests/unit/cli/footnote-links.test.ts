import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { documentUrl, footnoteLinks } from '../../../src/cli/shared/page-server.ts'
import { announce } from '../../../src/server/access/running.ts'
import { temporaryFolder } from '../../fixtures/workflow.ts'
import { citation } from './run-result.ts'

describe('the address of a document', () => {
  it('is its file at the page of a PDF, with every odd character encoded', async () => {
    const folder = await temporaryFolder()
    const pdf = join(folder, 'a b\u001b#1.pdf')
    await writeFile(pdf, '')
    await writeFile(join(folder, 'a.md'), '')
    expect(documentUrl(citation({ source: pdf, page: 5 }))).toBe(`${pathToFileURL(folder)}/a%20b%1B%231.pdf#page=5`)
    expect(documentUrl(citation({ source: join(folder, 'a.md'), page: 1 }))).toBe(`${pathToFileURL(folder)}/a.md`)
    expect(documentUrl(citation({ source: join(folder, 'gone.pdf') }))).toBeNull()
  })

  it('is a web page as it is, and nothing that only looks like one', () => {
    expect(documentUrl(citation({ source: 'https://one.example/\u001b]8;;x' }))).toBe('https://one.example/%1B]8;;x')
    expect(documentUrl(citation({ source: 'https://' }))).toBeNull()
  })
})

describe('the address of a footnote', () => {
  it('is in the page while a server runs on the data folder, without its token', async () => {
    const dataDir = await temporaryFolder()
    const token = 'a-token-of-the-server'
    const origin = await listening((authorization) => (authorization === `Bearer ${token}` ? 200 : 401))
    const leave = announce(dataDir, { origin, token, pid: process.pid })
    expect((await footnoteLinks(dataDir))('run-1', citation({ marker: 2 }))).toBe(`${origin}/#/source/run-1/2`)
    leave()
    expect((await footnoteLinks(dataDir))('run-1', citation({ source: 'gone.pdf' }))).toBeNull()
  })

  it.each([
    ['no longer runs', 2 ** 22 + 7, 200],
    ['gave its port to another program', process.pid, 401],
  ])('is not in the page of a server that %s', async (_, pid, status) => {
    const dataDir = await temporaryFolder()
    announce(dataDir, { origin: await listening(() => status), token: 'a-token-of-the-server', pid })
    expect((await footnoteLinks(dataDir))('run-1', citation({ source: 'gone.pdf' }))).toBeNull()
  })

  it('is not in a page that a broken file names', async () => {
    const dataDir = await temporaryFolder()
    await writeFile(join(dataDir, 'server.json'), '{"origin":"file:///etc"}')
    expect((await footnoteLinks(dataDir))('run-1', citation({ source: 'gone.pdf' }))).toBeNull()
  })
})

/** An HTTP server that answers every request with the figures of ours, and this status. */
async function listening(statusFor: (authorization: string | undefined) => number): Promise<string> {
  const server = createServer(({ headers }, response) => {
    response.writeHead(statusFor(headers.authorization)).end('quaero_runs_working 0\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it has no port')
  return `http://127.0.0.1:${address.port}`
}
