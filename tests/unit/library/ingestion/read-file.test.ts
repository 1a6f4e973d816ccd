import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { loadConfig, type Settings } from '../../../../src/config.ts'
import { createFileReader, type FileReader, type FileToRead } from '../../../../src/library/ingestion/read-file.ts'
import type { DocumentBatch } from '../../../../src/library/port/document.ts'
import { docxParagraph, makeDocx } from '../../../fixtures/documents/make-docx.ts'
import { drawLines, makePdf } from '../../../fixtures/documents/make-pdf.ts'
import { bytesOf } from '../readers/read-options.ts'

const defaults = loadConfig({ env: {} }).settings.library
const onePage = makePdf([drawLines(['Ponds are small bodies of water.'], { x: 72, y: 700 })])
/** Takes many seconds: the parser moves its long stack of open elements at each tag. */
const slow = bytesOf('<div>'.repeat(24_000) + '<i></i>'.repeat(50_000))
const open: FileReader[] = []

/** Reads whole files with it. */
function fileReader(settings: Partial<Settings['library']> = {}) {
  const reader = createFileReader({ ...defaults, readers: 1, ...settings })
  open.push(reader)
  return {
    close: reader.close,
    read: (path: string, bytes: Uint8Array, options: Pick<FileToRead, 'passwords' | 'signal'> = {}) =>
      reader.read({ path, bytes, documentId: 'd1', ...options }, async ({ batches, ...head }) => {
        const all: DocumentBatch[] = []
        for await (const batch of batches) all.push(batch)
        return { ...head, pages: all.flatMap(({ pages }) => pages), passages: all.flatMap(({ passages }) => passages) }
      }),
  }
}

afterEach(() => {
  for (const reader of open.splice(0)) reader.close()
})

/** Process ids of this process's readers. */
function readerPids(): number[] {
  return execFileSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => parent === String(process.pid) && args.join(' ').includes('reader-process'))
    .map(([pid]) => Number(pid))
}

describe('a file reader', () => {
  it('reads every format in another process, and many files in the same one', async () => {
    const reader = fileReader()
    expect((await reader.read('a.pdf', onePage)).pages[0]?.text).toBe('Ponds are small bodies of water.')
    const [pid] = readerPids()
    expect((await reader.read('a.txt', bytesOf('Plain.'))).format).toBe('text')
    expect((await reader.read('a.md', bytesOf('# Ponds'))).title?.value).toBe('Ponds')
    expect((await reader.read('a.html', bytesOf('<p>Web.'))).format).toBe('html')
    expect((await reader.read('a.docx', makeDocx(docxParagraph('Word.')))).pages[0]?.text).toBe('Word.')
    expect(readerPids()).toEqual([pid])
  })

  it('runs no more processes than it may', async () => {
    const reader = fileReader({ readers: 2 })
    await Promise.all(Array.from({ length: 6 }, () => reader.read('a.pdf', onePage)))
    expect(readerPids()).toHaveLength(2)
  })

  it('gives its processes none of the environment', { tags: ['S8'] }, async () => {
    const reader = fileReader()
    await reader.read('a.txt', bytesOf('Plain.'))
    const [pid] = readerPids()
    if (process.platform !== 'linux') return
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
    expect(environment.map((line) => line.split('=')[0]).filter((name) => !name?.startsWith('NODE_CHANNEL'))).toEqual(
      [],
    )
  })

  it('reports why a file cannot be read, and reads the next', { tags: ['F71'] }, async () => {
    const reader = fileReader()
    await expect(reader.read('a.pdf', onePage.slice(0, 200))).rejects.toMatchObject({ code: 'malformed_file' })
    await expect(reader.read('b.pdf', new Uint8Array())).rejects.toMatchObject({ code: 'empty_file' })
    await expect(reader.read('c.pdf', onePage)).resolves.toMatchObject({ format: 'pdf' })
  })

  it('fails only the file whose process is killed', { tags: ['F71'] }, async () => {
    const reader = fileReader()
    const reading = expect(reader.read('slow.html', slow)).rejects.toMatchObject({
      code: 'reader_crashed',
      message: expect.stringContaining('SIGKILL'),
    })
    const [pid] = readerPids()
    process.kill(pid!, 'SIGKILL')
    await reading
    await expect(reader.read('a.pdf', onePage)).resolves.toMatchObject({ format: 'pdf' })
  })

  it('reads a file in a fresh process if the one it was given dies of the files before', {
    tags: ['F71'],
  }, async () => {
    const reader = fileReader()
    await reader.read('a.txt', bytesOf('Plain.'))
    const [pid] = readerPids()
    process.kill(pid!, 'SIGKILL')
    await expect(reader.read('a.txt', bytesOf('Plain.'))).resolves.toMatchObject({ format: 'text' })
    expect(readerPids()).not.toContain(pid)
  })

  it('stops a ZIP bomb', { tags: ['S8', 'F72'] }, async () => {
    const bomb = makeDocx('', { 'word/document.xml': Buffer.alloc(300_000_000, ' ') })
    const reading = fileReader({ memoryMegabytes: 250 }).read('a.docx', bomb)
    await expect(reading).rejects.toMatchObject({ code: 'over_budget' })
  })

  it('gives a small file a third of the time', { tags: ['S7'] }, async () => {
    await expect(fileReader({ secondsPerFile: 1.5 }).read('slow.html', slow)).rejects.toMatchObject({
      message: expect.stringContaining('longer than 0.59 s'),
    })
  })

  it('stops a file that takes too long, too much memory, or is too large', { tags: ['F72'] }, async () => {
    await expect(fileReader({ secondsPerFile: 1 }).read('slow.html', slow)).rejects.toMatchObject({
      code: 'over_budget',
      message: expect.stringContaining('library.secondsPerFile'),
    })
    await expect(fileReader({ memoryMegabytes: 60 }).read('a.pdf', onePage)).rejects.toMatchObject({
      code: 'over_budget',
      message: expect.stringContaining('library.memoryMegabytes'),
    })
    await expect(fileReader({ megabytesPerFile: 0.0001 }).read('a.pdf', onePage)).rejects.toMatchObject({
      code: 'over_budget',
      message: expect.stringContaining('library.megabytesPerFile'),
    })
    await expect.poll(readerPids).toEqual([])
  })

  it('stops reading when it is told to', async () => {
    const reader = fileReader()
    const stop = new AbortController()
    const reading = reader.read('slow.html', slow, { signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
    await expect(reader.read('a.txt', bytesOf('Plain.'))).resolves.toMatchObject({ format: 'text' })
  })

  it('ends with text or with a reason, however a PDF is cut off or changed', { tags: ['slow', 'F71'] }, async () => {
    const reader = fileReader({ readers: 2 })
    const damaged = Array.from({ length: 6 }, (_, at) => {
      const bytes = Uint8Array.from(onePage)
      for (let byte = 10 + at * 7; byte < bytes.length; byte += 61 + at)
        bytes[byte] = (bytes[byte] ?? 0) ^ (1 << (at % 8))
      return at % 2 === 0 ? bytes : onePage.slice(0, Math.floor((onePage.length * at) / 6))
    })
    const outcomes = await Promise.all(
      damaged.map((bytes) =>
        reader.read('damaged.pdf', bytes).then(
          (document) => document.format as string,
          (error: { code?: string }) => error.code,
        ),
      ),
    )
    for (const outcome of outcomes)
      expect(['pdf', 'malformed_file', 'no_text_layer', 'password_needed', 'not_a_pdf']).toContain(outcome)
  })
})

const data = process.env.QUAERO_DEV_DATA
if (!data) console.info('QUAERO_DEV_DATA is not set: the malformed PDFs and office files are not read')

describe('real files', () => {
  // What the folder's README expects; "text or error" where it allows both.
  const expected: Readonly<Record<string, RegExp>> = {
    'zero-bytes.pdf': /^empty_file$/,
    'not-a-pdf.pdf': /^not_a_pdf$/,
    'truncated-half.pdf': /^malformed_file$/,
    'malformed-xref.pdf': /^malformed_file$/,
    'user-password-is-user.pdf': /^password_needed$/,
    'owner-password-only.pdf': /^text 3\d\d\d$/,
    'http-prefix.pdf': /^text 3\d\d\d$/,
    'circular-pages.pdf': /./,
    'malformed-fuzzed.pdf': /./,
    'bomb-400MB-stream.pdf': /^(?:over_budget|no_text_layer|text \d+)$/,
    'nested-arrays.pdf': /^(?:over_budget|malformed_file|text \d+)$/,
  }

  it.skipIf(!data)(
    'end as expected, one by one, whatever is wrong with them',
    { tags: ['slow', 'F71', 'F72'] },
    async () => {
      const folder = join(data!, 'pdf-malformed')
      const reader = fileReader({ readers: 2, memoryMegabytes: 400, secondsPerFile: 60 })
      const outcome = async (name: string, passwords?: string[]): Promise<string> =>
        reader.read(name, readFileSync(join(folder, name)), { passwords }).then(
          (document) => `text ${document.pages.reduce((sum, page) => sum + page.text.length, 0)}`,
          (error: { code: string }) => error.code,
        )
      const names = readdirSync(folder)
      const outcomes = await Promise.all(names.map((name) => outcome(name)))
      names.forEach((name, at) => {
        expect(`${name}: ${outcomes[at]}`).toMatch(
          new RegExp(`^${name}: (?:${expected[name]!.source.replace(/^\^|\$$/g, '')})`),
        )
      })
      expect(await outcome('user-password-is-user.pdf', ['wrong', 'user'])).toMatch(/^text 3\d\d\d$/)
    },
  )

  it.skipIf(!data)('are read: Word files, web pages, and a scan as one without text', { tags: ['slow'] }, async () => {
    const reader = fileReader()
    for (const name of readdirSync(join(data!, 'docs'))) {
      const path = join(data!, 'docs', name)
      const { pages } = await reader.read(path, readFileSync(path))
      expect(pages[0]?.text.length, basename(path)).toBeGreaterThan(50)
    }
    const scan = readFileSync(join(data!, 'pdf', 'scan-no-text.pdf'))
    await expect(reader.read('scan.pdf', scan)).rejects.toMatchObject({ code: 'no_text_layer' })
  })
})
