import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { UsageError } from '../../../../src/errors.ts'
import { readReferences } from '../../../../src/library/references/read-references.ts'

/** Answers on 127.0.0.1 in place of Zotero, and returns its address. */
async function answering(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A library of as many items, with the texts and headers of Zotero 7. */
function zoteroWith(items: number, asked: string[] = []): RequestListener {
  return ({ url = '', headers }, response) => {
    asked.push(url)
    const query = new URL(url, 'http://localhost').searchParams
    const [start, limit] = [Number(query.get('start')), Number(query.get('limit'))]
    const entries = Array.from({ length: Math.min(limit, items - start) }, (_, index) => {
      const number = start + index
      return `\n@article{heron_pond_${number},\n\ttitle = {Pond ${number}},\n\tauthor = {Heron, Ada},\n\tdate = {2026},\n\tfile = {Full Text PDF:/home/ada/Zotero/storage/AB${number}/Heron - 2026 - Pond.pdf:application/pdf},\n}\n`
    })
    response.setHeader('Total-Results', items)
    response.setHeader('Zotero-API-Version', headers['zotero-api-version'] ?? '')
    response.end(entries.join(''))
  }
}

describe('references from Zotero', () => {
  it('come in pages of 100, with keys and files', async () => {
    const asked: string[] = []
    const references = await readReferences(await answering(zoteroWith(230, asked)))
    expect(asked).toEqual(
      [0, 100, 200].map((start) => `/api/users/0/items/top?format=biblatex&limit=100&start=${start}`),
    )
    expect(references).toHaveLength(230)
    expect(references[229]).toMatchObject({
      stated: { title: 'Pond 229', authors: ['Heron, Ada'], year: 2026, reference: { id: 'heron_pond_229' } },
      files: ['/home/ada/Zotero/storage/AB229/Heron - 2026 - Pond.pdf'],
    })
  })

  it.each<readonly [string, RequestListener, string]>([
    [
      'its API is switched off',
      (_, response) => response.writeHead(403).end('Local API is not enabled'),
      'allow "other applications',
    ],
    ['another program answers', (_, response) => response.end('<html>'), 'no Zotero answers there'],
    ['it fails', (_, response) => response.writeHead(500).end(), 'with status 500'],
    [
      'it leads elsewhere',
      (_, response) => response.writeHead(302, { location: 'http://192.0.2.1/' }).end(),
      'no Zotero answers there',
    ],
    ['it never ends', (_, response) => response.setHeader('Total-Results', '1e999').end(), 'more than 100000 entries'],
    ['the library is empty', zoteroWith(0), 'it has no entries'],
  ])('are refused where %s', async (_, answer, problem) => {
    const refused = readReferences(await answering(answer))
    await expect(refused).rejects.toThrow(UsageError)
    await expect(refused).rejects.toThrow(problem)
  })

  it('are refused where Zotero does not run, and from any other machine', async () => {
    await expect(readReferences('http://127.0.0.1:1')).rejects.toThrow('no Zotero answers there; start it')
    for (const host of ['example.org', '127.0.0.1.example.org', '192.0.2.1', 'localhost.example.org']) {
      await expect(readReferences(`http://${host}:23119`)).rejects.toThrow('on this machine alone')
    }
  })
})
