import { renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type FileStamp, readAsSeen } from '../../../../src/library/ingestion/read-bytes.ts'
import { sourcesBelow } from '../../../../src/library/port/source-location.ts'
import { dueIn, type FolderLook, lookAt } from '../../../../src/library/watch/folder-look.ts'
import { libraryInFolder } from '../in-folder.ts'

/** A look at files of these sizes, each as old as it is large. */
function look(sizes: Readonly<Record<string, number>>): FolderLook {
  const files = Object.entries(sizes).map(([name, size]) => {
    const location = `/papers/${name}`
    return [location, { path: `papers/${name}`, location, size, mtimeMs: size }] as const
  })
  return { root: '/papers', files: new Map(files) }
}

/** The sources of a library that has read files of these sizes. */
function library(sizes: Readonly<Record<string, number>>, root = '/papers') {
  const sources = Object.entries(sizes).map(([name, size]) => {
    return { source: name, location: `${root}/${name}`, documentId: name, size, modifiedMs: size }
  })
  return { sources, failed: new Map<string, FileStamp>() }
}

function due(now: FolderLook, before: FolderLook | null, { sources, failed }: ReturnType<typeof library>) {
  const { read, gone, isSettled } = dueIn(now, before, sourcesBelow(now.root, sources), failed)
  return { read: [...read.keys()], gone: gone.map(({ source }) => source), isSettled }
}

describe('what two looks at a folder ask for', () => {
  it('reads a file that both have seen the same, and none that grows', () => {
    const before = look({ 'still.md': 5, 'growing.md': 5, 'known.md': 3 })
    const now = look({ 'still.md': 5, 'growing.md': 7, 'known.md': 3 })
    expect(due(now, before, library({ 'known.md': 3 }))).toEqual({
      read: ['papers/still.md'],
      gone: [],
      isSettled: false,
    })
    expect(due(now, null, library({})).read).toEqual([])
  })

  it('reads a changed file under every path that the library knows it by', () => {
    const { sources } = library({ 'a.md': 3 })
    const twice = {
      failed: new Map(),
      sources: [...sources, ...sources.map((each) => ({ ...each, source: '../a.md' }))],
    }
    expect(due(look({ 'a.md': 4 }), look({ 'a.md': 4 }), twice)).toMatchObject({ read: ['a.md', '../a.md'] })
  })

  it('takes a file for gone that both have missed, and only of this folder', () => {
    const known = library({ 'a.md': 3 })
    const elsewhere = library({ 'b.md': 3 }, '/papers-old')
    const all = { failed: new Map(), sources: [...known.sources, ...elsewhere.sources] }
    expect(due(look({}), look({}), all)).toEqual({ read: [], gone: ['a.md'], isSettled: true })
    expect(due(look({}), look({ 'a.md': 3 }), all)).toEqual({ read: [], gone: [], isSettled: false })
    expect(due(look({}), null, all)).toEqual({ read: [], gone: [], isSettled: false })
  })

  it('keeps a file that may be on its way to a new name, until that is settled', () => {
    const known = library({ 'a.md': 3 })
    expect(due(look({ 'b.md': 3 }), look({}), known)).toEqual({ read: [], gone: [], isSettled: false })
    expect(due(look({ 'b.md': 3 }), look({ 'b.md': 3 }), known)).toMatchObject({
      read: ['papers/b.md'],
      gone: ['a.md'],
    })
  })

  it('keeps a file that was seen under a new name, and then under none', () => {
    const known = library({ 'a.md': 3 })
    expect(due(look({}), look({ 'b.md': 3 }), known)).toEqual({ read: [], gone: [], isSettled: false })
    expect(due(look({}), look({}), known)).toMatchObject({ gone: ['a.md'], isSettled: true })
  })

  it('leaves a file alone that was read in vain, until it changes', () => {
    const failed = new Map([['/papers/a.pdf', { size: 3, mtimeMs: 3 }]])
    const unread = { sources: [], failed }
    expect(due(look({ 'a.pdf': 3 }), look({ 'a.pdf': 3 }), unread)).toEqual({ read: [], gone: [], isSettled: true })
    expect(due(look({ 'a.pdf': 4 }), look({ 'a.pdf': 4 }), unread).read).toEqual(['papers/a.pdf'])
  })
})

describe('reading a file as it was seen', () => {
  it('gives nothing of one that has other bytes, was written again or has moved since', async () => {
    const { file, papers } = await libraryInFolder()
    const path = file('a.md', 'Lakes are large.')
    const [seen] = (await lookAt(papers, { pictures: true })).files.values()
    if (!seen) throw new Error('The file is not there.')
    expect(Buffer.from((await readAsSeen(path, seen)) ?? []).toString()).toBe('Lakes are large.')
    writeFileSync(path, 'Lakes are larger.')
    expect(await readAsSeen(path, seen)).toBe(null)
    writeFileSync(path, 'Lakes are small.')
    utimesSync(path, 1, 1)
    expect(await readAsSeen(path, seen)).toBe(null)
    renameSync(path, join(papers, 'b.md'))
    expect(await readAsSeen(path, seen)).toBe(null)
  })
})
