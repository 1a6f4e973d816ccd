import { appendFileSync, chmodSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { FolderChanges, Quaero, StreamEvent, WatchOptions } from '../../../../src/index.ts'
import { folderOf, openQuaero, papers, temporaryFolder } from '../../../fixtures/workflow.ts'

const isRoot = process.getuid?.() === 0
/** Long enough for a file of these tests to be written. */
const settleMs = 60

interface Kept {
  /** The next batch. */
  next(): Promise<FolderChanges>
  /** The next batches in short, until all of these have come: `added lakes.md`. */
  until(...wanted: readonly string[]): Promise<readonly string[]>
  stop(): void
}

/** Keeps a folder current until the test has ended. */
function keeping(quaero: Quaero, folder: string, options: WatchOptions = {}): Kept {
  const stopping = new AbortController()
  const batches = quaero.library
    .watch([folder], { settleMs, signal: stopping.signal, ...options })
    [Symbol.asyncIterator]()
  onTestFinished(() => stopping.abort())
  const next = async () => {
    const { value } = await batches.next()
    return value
  }
  return {
    next,
    stop: () => stopping.abort(),
    async until(...wanted) {
      const told: string[] = []
      while (!wanted.every((each) => told.includes(each))) told.push(...inShort(await next()))
      return told.toSorted()
    },
  }
}

function inShort({ documents, removed, problem }: FolderChanges): readonly string[] {
  return [
    ...documents.map(({ status, path, renamedFrom }) =>
      renamedFrom ? `renamed ${basename(renamedFrom)} ${basename(path)}` : `${status} ${basename(path)}`,
    ),
    ...removed.map(({ path }) => `removed ${basename(path)}`),
    ...(problem ? [problem.code] : []),
  ]
}

/** An engine over a folder of two papers, and the events of the engine itself. */
async function opened(options: Parameters<typeof openQuaero>[0] = {}) {
  const folder = await folderOf()
  const events: StreamEvent[] = []
  const quaero = await openQuaero({
    model: 'extractive',
    // With nothing in it.
    dataDir: await temporaryFolder(),
    subscribers: [(event) => void events.push(event)],
    ...options,
  })
  const of = (type: string) => events.filter((event) => event.type === type)
  return { folder, quaero, of }
}

async function names({ library }: Quaero): Promise<readonly string[]> {
  return (await library.list()).map(({ source }) => basename(source)).toSorted()
}

describe('a folder that is kept current', () => {
  it.each([
    ['by what the system tells', {}],
    ['by the clock', { everyMs: 40 }],
  ])('follows what is written, renamed and removed, %s', async (_, options) => {
    const { folder, quaero } = await opened()
    const kept = keeping(quaero, folder, options)
    await kept.until('added halden.md', 'added marble.md')
    mkdirSync(join(folder, 'more'))
    writeFileSync(join(folder, 'more', 'lakes.md'), 'Lakes are large.')
    await kept.until('added lakes.md')
    renameSync(join(folder, 'more'), join(folder, 'others'))
    appendFileSync(join(folder, 'halden.md'), '\nMore.\n')
    rmSync(join(folder, 'marble.md'))
    expect(await kept.until('renamed lakes.md lakes.md', 'updated halden.md', 'removed marble.md')).toHaveLength(3)
    expect(await names(quaero)).toEqual(['halden.md', 'lakes.md'])
    expect(quaero.library.watched()).toMatchObject([
      { folder, counts: { added: 3, changed: 1, renamed: 1, removed: 1, failed: 0 }, problem: null },
    ])
  })

  it('reads a renamed file not again, and keeps what was stated of it', async () => {
    const { folder, quaero, of } = await opened()
    const kept = keeping(quaero, folder)
    await kept.until('added halden.md', 'added marble.md')
    await quaero.library.set('marble.md', { title: 'On marble' })
    const { length: read } = of('ingest.started')
    renameSync(join(folder, 'marble.md'), join(folder, 'stone.md'))
    await kept.until('renamed marble.md stone.md')
    expect(of('ingest.started')).toHaveLength(read)
    expect(await quaero.library.document('stone.md')).toMatchObject({ title: 'On marble' })
  })

  it('tells of a file that cannot be read once, and again when it has changed', async () => {
    const { folder, quaero } = await opened()
    writeFileSync(join(folder, 'empty.md'), '')
    const kept = keeping(quaero, folder)
    const first = await kept.next()
    expect(first).toMatchObject({ totals: { added: 2, failed: 1 }, counts: { failed: 1 } })
    writeFileSync(join(folder, 'lakes.md'), 'Lakes are large.')
    expect(await kept.until('added lakes.md')).toEqual(['added lakes.md'])
    writeFileSync(join(folder, 'empty.md'), 'Ponds are small.')
    expect(await kept.until('added empty.md')).toEqual(['added empty.md'])
  })

  it('picks up what has changed while nobody looked, with one report', async () => {
    const { folder, quaero } = await opened()
    await quaero.library.add([folder])
    rmSync(join(folder, 'marble.md'))
    renameSync(join(folder, 'halden.md'), join(folder, 'filter.md'))
    writeFileSync(join(folder, 'lakes.md'), 'Lakes are large.')
    expect(inShort(await keeping(quaero, folder).next()).toSorted()).toEqual([
      'added lakes.md',
      'removed marble.md',
      'renamed halden.md filter.md',
    ])
  })

  it('knows files that were added under another spelling of their path', async () => {
    const { folder, quaero } = await opened()
    await quaero.library.add([relative(process.cwd(), folder)])
    const kept = keeping(quaero, folder)
    appendFileSync(join(folder, 'halden.md'), '\nMore.\n')
    expect(await kept.until('updated halden.md')).toEqual(['updated halden.md'])
    expect(await names(quaero)).toEqual(['halden.md', 'marble.md'])
  })

  it('lets sentences fall with the document that they quote, and tells an event', { tags: ['Q20'] }, async () => {
    const { folder, quaero, of } = await opened()
    const kept = keeping(quaero, folder)
    await kept.until('added halden.md', 'added marble.md')
    await quaero.ask('How many pages does the Marble corpus hold?')
    writeFileSync(join(folder, 'marble.md'), papers['marble.md'].replace('81.1', '81.7'))
    const changes = await kept.next()
    expect(changes.fallen?.[0]?.quotes).toMatchObject([{ stands: false, change: 'document changed' }])
    expect(changes.counts).toMatchObject({ changed: 1, fallen: changes.fallen?.length })
    expect(of('folder.changed').at(-1)?.payload).toEqual({ folder, counts: changes.counts, problem: null })
  })
})

describe('pictures of a folder that is kept current', () => {
  it.each([
    ['are left out where the settings say so', false],
    ['are no failure where no text is found', true],
  ])('%s', async (_, pictures) => {
    // Without a program that reads pictures.
    vi.stubEnv('PATH', await temporaryFolder())
    onTestFinished(() => void vi.unstubAllEnvs())
    const { folder, quaero } = await opened({ settings: { library: { pictures, scanLanguages: ['tlh'] } } })
    writeFileSync(join(folder, 'photo.png'), Buffer.from('89504e470d0a1a0a', 'hex'))
    const kept = keeping(quaero, folder)
    expect(inShort(await kept.next()).toSorted()).toEqual(['added halden.md', 'added marble.md'])
    writeFileSync(join(folder, 'lakes.md'), 'Lakes are large.')
    expect(await kept.until('added lakes.md')).toEqual(['added lakes.md'])
  })
})

describe('a folder that goes away', () => {
  it.each(['is not there', 'has no file in it'])('loses no document while it %s, and is told', async (how) => {
    const { folder, quaero } = await opened()
    const kept = keeping(quaero, folder)
    await kept.until('added halden.md', 'added marble.md')
    const away = join(await temporaryFolder(), 'away')
    renameSync(folder, away)
    if (how === 'has no file in it') mkdirSync(folder)
    const lost = await kept.next()
    expect(lost).toMatchObject({ documents: [], removed: [], problem: { code: 'path_not_found' } })
    expect(quaero.library.watched()).toMatchObject([{ problem: lost.problem }])
    expect(await names(quaero)).toEqual(['halden.md', 'marble.md'])
    rmSync(folder, { recursive: true, force: true })
    renameSync(away, folder)
    expect(await kept.next()).toMatchObject({ documents: [], removed: [], problem: null })
    rmSync(join(folder, 'halden.md'))
    expect(await kept.until('removed halden.md')).toEqual(['removed halden.md'])
  })

  it('is waited for at the start, if the library knows it', async () => {
    const { folder, quaero } = await opened()
    await quaero.library.add([folder])
    rmSync(folder, { recursive: true })
    expect(await keeping(quaero, folder).next()).toMatchObject({ removed: [], problem: { code: 'path_not_found' } })
    expect(await names(quaero)).toEqual(['halden.md', 'marble.md'])
  })

  it.skipIf(isRoot)('keeps the documents of a part that may not be read', async () => {
    const { folder, quaero } = await opened()
    mkdirSync(join(folder, 'closed'))
    writeFileSync(join(folder, 'closed', 'lakes.md'), 'Lakes are large.')
    const kept = keeping(quaero, folder)
    await kept.until('added lakes.md')
    chmodSync(join(folder, 'closed'), 0)
    rmSync(join(folder, 'halden.md'))
    expect(await kept.until('removed halden.md')).toEqual(['removed halden.md'])
    chmodSync(join(folder, 'closed'), 0o700)
    expect(await names(quaero)).toEqual(['lakes.md', 'marble.md'])
  })
})

describe('two engines that keep the same folder current', () => {
  it('read each file once, and tell of it once', async () => {
    const dataDir = await temporaryFolder()
    const [one, other] = [await opened({ dataDir }), await opened({ dataDir })]
    const { folder } = one
    for (let at = 0; at < 30; at += 1) writeFileSync(join(folder, `${at}.md`), `Lake ${at} is ${at} km long.`)
    const told: string[] = []
    const stopping = new AbortController()
    const read = async ({ quaero }: typeof one) => {
      for await (const changes of quaero.library.watch([folder], { settleMs, signal: stopping.signal })) {
        told.push(...inShort(changes))
        if (told.includes('removed 0.md') || told.length > 40) stopping.abort()
        else if (told.length === 32) rmSync(join(folder, '0.md'))
      }
    }
    await Promise.all([read(one), read(other)])
    expect(told.toSorted()).toEqual(
      [...readdirSync(folder), '0.md']
        .map((name) => `added ${name}`)
        .concat('removed 0.md')
        .toSorted(),
    )
    expect([...one.of('ingest.completed'), ...other.of('ingest.completed')]).toHaveLength(32)
  })
})

describe('what cannot be kept current', () => {
  it('is refused in words', async () => {
    const { folder, quaero } = await opened()
    const first = (paths: readonly string[]) => quaero.library.watch(paths)[Symbol.asyncIterator]().next()
    await expect(first([])).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('Name the folders'),
    })
    await expect(first([join(folder, 'marble.md')])).rejects.toMatchObject({ code: 'usage' })
    await expect(first([join(folder, 'nowhere')])).rejects.toMatchObject({ code: 'path_not_found' })
    expect(() => quaero.library.watch([folder], { everyMs: 0 })).toThrow('"everyMs" must be at least 1')
    expect(() => quaero.library.watch([folder], { everyMs: 2 ** 31 })).toThrow('"everyMs" must be at most')
  })

  it('ends with the engine', async () => {
    const { folder, quaero } = await opened()
    const batches = quaero.library.watch([folder], { settleMs })[Symbol.asyncIterator]()
    await batches.next()
    const last = batches.next()
    await quaero.close()
    expect(await last).toEqual({ done: true, value: undefined })
  })
})
