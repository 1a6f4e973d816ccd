import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../../src/config.ts'
import { PathNotFound } from '../../../../src/errors.ts'
import { type Event, silentContext } from '../../../../src/events/index.ts'
import { type AddDocumentsOptions, addDocuments, documentIdOf } from '../../../../src/library/ingestion/ingest.ts'
import type { AddReport } from '../../../../src/library/port/library.ts'
import { openSqliteStorage } from '../../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { bytesOf } from '../readers/read-options.ts'

const settings = { ...loadConfig({ env: {} }).settings.library, readers: 1 }
let folder: string
let storage: Storage

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quaero-ingest-'))
  storage = await openSqliteStorage({ path: join(folder, 'quaero.db') })
  mkdirSync(join(folder, 'papers'))
})

afterEach(async () => {
  await storage.close()
  rmSync(folder, { recursive: true, force: true })
})

function file(name: string, content: string): string {
  const path = join(folder, 'papers', name)
  writeFileSync(path, content)
  return path
}

function add(paths: readonly string[], options: Partial<AddDocumentsOptions> = {}): Promise<AddReport> {
  return addDocuments(paths, { index: storage.library, settings, ...options })
}

function statuses(report: AddReport): string[] {
  return report.documents.map(({ path, status }) => `${path.slice(folder.length + 8)} ${status}`)
}

describe('adding documents', () => {
  it('reads files and folders, by name and below each other, and says what became of each', {
    tags: ['R29'],
  }, async () => {
    file('b.md', '# Ponds\n\nPonds are small.')
    file('a.txt', 'Lakes are large.')
    file('image.gif', 'x')
    file('.hidden.txt', 'x')
    mkdirSync(join(folder, 'papers', 'more'))
    file('more/c.html', '<p>Rivers flow.')
    const report = await add([join(folder, 'papers')])
    expect(statuses(report)).toEqual(['a.txt added', 'b.md added', 'more/c.html added'])
    expect(report.totals).toEqual({
      added: 3,
      unchanged: 0,
      updated: 0,
      failed: 0,
      removed: 0,
      skipped: 1,
      pages: 3,
      passages: 3,
    })
    expect(report.skipped).toEqual([join(folder, 'papers', 'image.gif')])
    const [, ponds] = report.documents
    expect(await storage.library.document(ponds!.documentId!)).toMatchObject({
      documentId: await documentIdOf(bytesOf('# Ponds\n\nPonds are small.')),
      title: 'Ponds',
      source: join(folder, 'papers', 'b.md'),
      format: 'markdown',
    })
  })

  it('refuses a path that does not exist before it reads anything', { tags: ['R29'] }, async () => {
    const path = file('a.txt', 'Lakes are large.')
    await expect(add([path, join(folder, 'missing')])).rejects.toThrow(PathNotFound)
    await expect(add(['a\0b'])).rejects.toThrow(PathNotFound)
    expect(await storage.library.documents()).toEqual([])
  })

  it('finds nothing in an empty folder, which is no error', { tags: ['R29'] }, async () => {
    expect(await add([join(folder, 'papers')])).toMatchObject({ documents: [], skipped: [] })
  })

  it('reports a bad file with code and reason, and adds the others', { tags: ['R29', 'F71'] }, async () => {
    file('a.pdf', '')
    file('b.pdf', '<html>Log in')
    file('c.txt', 'Lakes are large.')
    const report = await add([join(folder, 'papers')])
    expect(report.documents.map(({ status, error }) => error?.code ?? status)).toEqual([
      'empty_file',
      'not_a_pdf',
      'added',
    ])
    expect(report.documents[0]?.error?.message).toMatch(/empty/)
    expect(report.totals).toMatchObject({ added: 1, failed: 2 })
  })

  it('changes nothing when the same file is added again, whether or not its time changed', {
    tags: ['R30'],
  }, async () => {
    const path = file('a.txt', 'Lakes are large.')
    const [first] = (await add([path])).documents
    expect((await add([path])).documents).toEqual([{ ...first, status: 'unchanged' }])
    utimesSync(path, new Date(0), new Date(0))
    expect((await add([path])).documents).toEqual([{ ...first, status: 'unchanged' }])
    expect(await storage.library.documents()).toHaveLength(1)
  })

  it('replaces the passages of a changed file', { tags: ['R30'] }, async () => {
    const path = file('a.txt', 'Lakes are large.')
    const [before] = (await add([path])).documents
    file('a.txt', 'Lakes are larger than ponds.')
    const [after] = (await add([path])).documents
    expect(after).toMatchObject({ status: 'updated', error: null })
    expect(await storage.library.document(before!.documentId!)).toBeNull()
    expect((await storage.library.passagesOf(after!.documentId!))[0]?.text).toBe('Lakes are larger than ponds.')
  })

  it('stores the same bytes under two paths once, even side by side', { tags: ['R30', 'F73'] }, async () => {
    const one = file('a.txt', 'Lakes are large.')
    const two = file('b.txt', 'Lakes are large.')
    const report = await add([one, two, one], { settings: { ...settings, readers: 2 } })
    expect(report.documents.map((document) => document.status).sort()).toEqual(['added', 'unchanged'])
    expect(await storage.library.documents()).toHaveLength(1)
    expect((await storage.library.source(two))?.documentId).toBe(report.documents[0]?.documentId)
  })

  it('goes on at the next file after an interruption', { tags: ['R30'] }, async () => {
    for (const name of ['a', 'b', 'c', 'd']) file(`${name}.txt`, `Text of ${name}.`)
    const stop = new AbortController()
    const interrupted = add([join(folder, 'papers')], {
      signal: stop.signal,
      onProgress: ({ done }) => (done === 2 ? stop.abort(new Error('stopped')) : undefined),
    })
    await expect(interrupted).rejects.toThrow('stopped')
    expect(statuses(await add([join(folder, 'papers')]))).toEqual([
      'a.txt unchanged',
      'b.txt unchanged',
      'c.txt added',
      'd.txt added',
    ])
  })

  it('reports a file that vanishes while others are read', { tags: ['F73'] }, async () => {
    file('a.txt', 'Text.')
    const second = file('b.txt', 'Text.')
    const report = await add([join(folder, 'papers')], {
      onProgress: () => rmSync(second, { force: true }),
    })
    expect(report.documents.map(({ status, error }) => error?.code ?? status)).toEqual(['added', 'unreadable'])
  })

  it('follows no link out of the folder, and none in a circle', { tags: ['S6'] }, async () => {
    mkdirSync(join(folder, 'outside'))
    writeFileSync(join(folder, 'outside', 'secret.txt'), 'Secret.')
    file('a.txt', 'Lakes are large.')
    symlinkSync(join(folder, 'outside'), join(folder, 'papers', 'link'))
    symlinkSync(join(folder, 'outside', 'secret.txt'), join(folder, 'papers', 'secret.txt'))
    symlinkSync(join(folder, 'papers'), join(folder, 'papers', 'round'))
    symlinkSync(join(folder, 'nowhere'), join(folder, 'papers', 'broken.txt'))
    const report = await add([join(folder, 'papers')])
    expect(statuses(report)).toEqual(['a.txt added', 'broken.txt failed'])
    expect(report.documents[1]?.error?.message).toMatch(/^The target of this link does not exist: /)
    await expect(add([join(folder, 'papers', 'broken.txt')])).rejects.toThrow('is a link whose target does not exist')
    expect(report.skipped).toHaveLength(2)
  })

  it('refuses more files than one call may add', { tags: ['S7'] }, async () => {
    file('a.txt', 'Text.')
    file('b.txt', 'Text.')
    await expect(add([join(folder, 'papers')], { settings: { ...settings, maxFiles: 1 } })).rejects.toThrow(
      'library.maxFiles',
    )
    expect(await storage.library.documents()).toEqual([])
  })

  it('reports its progress and an ingest span for each file that it reads', async () => {
    file('a.txt', 'Text.')
    file('b.pdf', '%PDF-1.4 broken')
    const events: Event[] = []
    const progress: string[] = []
    await add([join(folder, 'papers')], {
      context: { ...silentContext(), emit: async (event) => void events.push(event) },
      onProgress: ({ done, total, document }) => progress.push(`${done}/${total} ${document?.status}`),
    })
    expect(progress.map((line) => line.slice(0, 3))).toEqual(['1/2', '2/2'])
    expect(events.map((event) => event.type).sort()).toEqual([
      'ingest.completed',
      'ingest.failed',
      'ingest.started',
      'ingest.started',
    ])
  })

  it('never reads a file that the storage could not keep as if it were a bad file', async () => {
    const path = file('a.txt', 'Text.')
    const index = { ...storage.library, putInBatches: () => Promise.reject(new Error('disk full')) }
    await expect(add([path], { index })).rejects.toThrow('disk full')
  })
})
