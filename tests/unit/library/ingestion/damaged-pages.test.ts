import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderOf, openQuaero, temporaryFolder } from '../../../fixtures/workflow.ts'

/** Changes bytes of the closed database, as a failing disk does. */
async function flip(path: string, from: string, to: string): Promise<void> {
  const bytes = await readFile(path)
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from)) bytes.write(to, at)
  await writeFile(path, bytes)
}

describe('a stored page whose bytes have changed', () => {
  it('is found by its checksum, and read again with "repair"', { tags: ['F63'] }, async () => {
    const [dataDir, folder] = [await temporaryFolder(), await folderOf()]
    const first = await openQuaero({ dataDir })
    await first.library.add([folder])
    const [{ documentId } = { documentId: '' }] = await first.library.search('Marble corpus pages', { limit: 1 })
    await first.library.set(documentId, { title: 'My title' })
    expect((await first.report()).damagedPages).toEqual([])
    await first.close()
    await flip(join(dataDir, 'quaero.db'), '81.1 million', '99.9 million')
    const second = await openQuaero({ dataDir })
    expect(await second.report()).toMatchObject({ integrity: 'ok', damagedPages: [{ documentId, page: 1 }] })
    const unchanged = await second.library.add([folder])
    expect(unchanged.totals).toMatchObject({ unchanged: 2 })
    const { documents, totals } = await second.library.add([folder], { repair: true })
    expect(totals).toMatchObject({ updated: 1, unchanged: 1 })
    expect(documents.find((each) => each.status === 'updated')?.documentId).toBe(documentId)
    expect((await second.report()).damagedPages).toEqual([])
    expect(await second.library.show(documentId)).toMatchObject({ document: { title: 'My title' } })
    expect((await second.library.text(documentId, 1)).text).toContain('81.1 million')
  })
})

describe('a file whose name is not UTF-8', () => {
  it('is reported with its reason', { tags: ['F71'] }, async () => {
    const folder = await temporaryFolder()
    await writeFile(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from('.txt')]), 'Text.')
    const quaero = await openQuaero({ dataDir: await temporaryFolder() })
    const { documents } = await quaero.library.add([folder])
    expect(documents.map(({ error }) => error?.message)).toEqual([
      expect.stringContaining('Its name is not UTF-8, so that it cannot be opened: rename it'),
    ])
  })
})
