import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { libraryInFolder, statuses } from '../in-folder.ts'

const isRoot = process.getuid?.() === 0

describe('keeping a library in step with its folder', () => {
  it('keeps what is gone from the folder, unless it is asked to sync', async () => {
    const { library, add, file, papers } = await libraryInFolder()
    const lakes = file('lakes.txt', 'Lakes are large.')
    file('ponds.txt', 'Ponds are small.')
    const [first] = (await add()).documents
    rmSync(lakes)
    expect(await add()).toMatchObject({ removed: [], totals: { removed: 0 } })
    expect(await library.list()).toHaveLength(2)
    const report = await add({ sync: true })
    expect(report).toMatchObject({ removed: [{ path: lakes, documentId: first!.documentId }], totals: { removed: 1 } })
    expect(statuses(report, papers)).toEqual(['ponds.txt unchanged'])
    expect((await library.list()).map(({ source }) => source)).toEqual([join(papers, 'ponds.txt')])
    expect(await library.search('lakes')).toEqual([])
  })

  it('replaces what changed and adds what is new', async () => {
    const { library, add, file, papers } = await libraryInFolder()
    file('lakes.txt', 'Lakes are large.')
    await add()
    file('lakes.txt', 'Lakes are larger than ponds.')
    file('rivers.txt', 'Rivers flow.')
    const report = await add({ sync: true })
    expect(statuses(report, papers)).toEqual(['lakes.txt updated', 'rivers.txt added'])
    expect(report.removed).toEqual([])
    expect(await library.list()).toHaveLength(2)
  })

  it('follows a file that was renamed, with all that was set for it, and reads nothing again', async () => {
    const { library, index, add, file, papers } = await libraryInFolder()
    const before = file('a.txt', 'Lakes are large.')
    const id = (await add()).documents[0]!.documentId!
    await library.set(id, { title: 'On lakes' })
    const after = join(papers, 'more', 'limnology.txt')
    mkdirSync(join(papers, 'more'))
    renameSync(before, after)
    const report = await add({ sync: true })
    expect(report.documents).toMatchObject([{ path: after, documentId: id, status: 'updated', renamedFrom: before }])
    expect(report.removed).toEqual([])
    const { document, sources } = await library.show(id)
    expect([document.source, document.title, sources]).toEqual([after, 'On lakes', [after]])
    // The name of the file is searched too.
    expect(await library.search('limnology')).toHaveLength(1)
    expect(await index.source(before)).toBeNull()
  })

  it('keeps a document as long as a copy of its file is left', async () => {
    const { library, add, file } = await libraryInFolder()
    const one = file('a.txt', 'Lakes are large.')
    const two = file('b.txt', 'Lakes are large.')
    await add()
    rmSync(one)
    expect((await add({ sync: true })).removed).toEqual([])
    expect((await library.list()).map(({ source }) => source)).toEqual([two])
  })

  it('takes a document out in whose place a folder stands', async () => {
    const { library, add, file } = await libraryInFolder()
    const path = file('a.txt', 'Lakes are large.')
    await add()
    rmSync(path)
    const inner = file('a.txt/inner.txt', 'Ponds are small.')
    expect((await add({ sync: true })).removed.map((gone) => gone.path)).toEqual([path])
    expect((await library.list()).map(({ source }) => source)).toEqual([inner])
  })

  it('takes nothing out that lies elsewhere, however alike the names are', async () => {
    const { library, add, file, papers } = await libraryInFolder()
    const outside = file('../papers-old/a.txt', 'Lakes are large.')
    const inside = file('b.txt', 'Ponds are small.')
    await add({}, [papers, outside])
    rmSync(outside)
    rmSync(inside)
    expect((await add({ sync: true })).removed.map(({ path }) => path)).toEqual([inside])
    expect(await library.list()).toHaveLength(1)
  })

  it('knows a folder by any of its names', async () => {
    const { library, add, file, papers } = await libraryInFolder()
    const path = file('a.txt', 'Lakes are large.')
    symlinkSync(papers, join(papers, '..', 'link'))
    await add({}, [relative(process.cwd(), papers)])
    rmSync(path)
    expect((await add({ sync: true }, [join(papers, '..', 'link')])).removed).toHaveLength(1)
    expect(await library.list()).toEqual([])
  })

  it.skipIf(isRoot)('takes nothing out that it may not look at', async () => {
    const { library, add, file, papers } = await libraryInFolder()
    file('closed/a.txt', 'Lakes are large.')
    await add()
    chmodSync(join(papers, 'closed'), 0o000)
    const report = await add({ sync: true })
    chmodSync(join(papers, 'closed'), 0o700)
    expect(report.removed).toEqual([])
    expect(await library.list()).toHaveLength(1)
  })

  it('keeps a document whose file became unreadable', async () => {
    const { library, add, file } = await libraryInFolder()
    file('a.md', 'Lakes are large.')
    await add()
    file('a.md', '')
    const report = await add({ sync: true })
    expect(report.documents[0]).toMatchObject({ status: 'failed', error: { code: 'empty_file' } })
    expect(report.removed).toEqual([])
    expect(await library.list()).toHaveLength(1)
  })

  it('takes nothing out when it is interrupted', async () => {
    const { library, add, file } = await libraryInFolder()
    const gone = file('a.txt', 'Lakes are large.')
    await add()
    rmSync(gone)
    file('b.txt', 'Ponds are small.')
    await expect(add({ sync: true, signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow('stopped')
    expect(await library.list()).toHaveLength(1)
  })

  it('gives back what was set when a file that was taken out returns', async () => {
    const { library, add, file } = await libraryInFolder()
    const path = file('a.txt', 'Lakes are large.')
    const id = (await add()).documents[0]!.documentId!
    await library.set(id, { title: 'On lakes' })
    rmSync(path)
    await add({ sync: true })
    file('a.txt', 'Lakes are large.')
    await add({ sync: true })
    expect((await library.show(id)).document.title).toBe('On lakes')
  })
})
