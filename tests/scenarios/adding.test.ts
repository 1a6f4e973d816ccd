import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { quaero, startQuaero } from '../fixtures/command-line.ts'

const data = process.env.QUAERO_DEV_DATA
if (!data) console.info('QUAERO_DEV_DATA is not set: the malformed PDFs are not added.')

const paper = readFileSync(join(import.meta.dirname, '..', '..', 'examples', 'papers', 'event-log.pdf'))
let cwd: string

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'quaero-'))
  mkdirSync(join(cwd, 'papers'))
})

afterEach(() => rmSync(cwd, { recursive: true, force: true }))

/** Papers that differ in their last line, so that each is read. */
function writePapers(count: number): void {
  for (let at = 0; at < count; at += 1) {
    writeFileSync(join(cwd, 'papers', `paper-${at}.pdf`), Buffer.concat([paper, Buffer.from(`\n% ${at}\n`)]))
  }
}

async function add(...words: string[]) {
  const { code, out, err } = await quaero(['add', 'papers', '--json', ...words], { cwd })
  return { code, err, ...jsonOutputs.add.parse(JSON.parse(out)) }
}

describe('adding a folder', () => {
  it('goes on where kill -9 stopped it: nothing is lost, and nothing that was finished is read again', {
    tags: ['slow', 'R30', 'F73'],
  }, async () => {
    writePapers(16)
    const first = startQuaero(['add', 'papers', '--json'], { cwd })
    await first.says('1/16')
    first.child.kill('SIGKILL')
    expect((await first.ended).code).toBeNull()
    const kept = JSON.parse((await quaero(['library', 'list', '--json'], { cwd })).out).documents.length
    expect(kept).toBeGreaterThan(0)
    expect(kept).toBeLessThan(16)

    const second = await add()
    expect([second.code, second.totals]).toMatchObject([0, { added: 16 - kept, unchanged: kept, failed: 0, pages: 48 }])
    expect((await add()).totals).toMatchObject({ added: 0, updated: 0, unchanged: 16, failed: 0 })
  })

  it('thrice at the same time fails nowhere, and each document is added by one', { tags: ['F73'] }, async () => {
    writePapers(3)
    const reports = await Promise.all([add('-q'), add('-q'), add('-q')])
    expect(reports.map(({ code, totals }) => [code, totals.failed, totals.updated])).toEqual(Array(3).fill([0, 0, 0]))
    expect(reports.reduce((sum, { totals }) => sum + totals.added, 0)).toBe(3)
    expect(reports.every(({ documents }) => documents.every(({ pages }) => pages === 3))).toBe(true)
  })

  it.skipIf(!data)(
    'says of each malformed PDF what is wrong with it, and reads the others',
    { tags: ['slow', 'F71', 'F72'] },
    async () => {
      const folder = join(data ?? '', 'pdf-malformed')
      for (const name of readdirSync(folder)) writeFileSync(join(cwd, 'papers', name), readFileSync(join(folder, name)))
      const { code, err, documents } = await add()
      const ended = new Map(documents.map(({ path, status, error }) => [path.split('/').at(-1), error?.code ?? status]))
      expect(code).toBe(1)
      expect(ended.size).toBe(11)
      expect(Object.fromEntries(ended)).toMatchObject({
        'zero-bytes.pdf': 'empty_file',
        'not-a-pdf.pdf': 'not_a_pdf',
        'truncated-half.pdf': 'malformed_file',
        'malformed-xref.pdf': 'malformed_file',
        'user-password-is-user.pdf': 'password_needed',
        'owner-password-only.pdf': 'added',
        'http-prefix.pdf': 'added',
      })
      for (const { path, error } of documents)
        if (error) expect(err).toContain(`${path} could not be read: ${error.message}`)

      const again = await add('--password', 'user', '--allow-errors')
      const opened = again.documents.find(({ path }) => path.endsWith('user-password-is-user.pdf'))
      expect([again.code, opened?.status]).toEqual([0, 'added'])
    },
  )
})
