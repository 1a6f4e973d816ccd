import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import type { Citation, RunResult } from '../../src/index.ts'
import { type Ended, quaero } from '../fixtures/command-line.ts'

const data = process.env.QUAERO_DEV_DATA
const hasPdftotext = canRun('pdftotext')
if (!data) console.info('Set QUAERO_DEV_DATA to the folder with the papers to run tests/scenarios/papers.test.ts.')
else if (!hasPdftotext) console.info('pdftotext is not installed: quotes are not compared with its text.')

const questions = data ? answerable(join(data, 'pdf-qa.jsonl')).slice(0, 12) : []

describe.skipIf(!data)('real papers, with no key', { tags: ['slow'] }, () => {
  const cwd = mkdtempSync(join(tmpdir(), 'quaero-'))
  const papers = join(data ?? '', 'pdf')
  const citations: Citation[] = []
  let added: Ended

  beforeAll(async () => {
    added = await quaero(['add', papers, '--json'], { cwd })
  })

  afterAll(() => rmSync(cwd, { recursive: true, force: true }))

  it('are added in one go; a scan and a locked file fail with their codes and stop nothing', { tags: ['R29'] }, () => {
    const { documents, totals } = jsonOutputs.add.parse(JSON.parse(added.out))
    const failed = documents.filter(({ status }) => status === 'failed')
    expect(added.code).toBe(1)
    expect(failed.map(({ path, error }) => [path.split('/').at(-1), error?.code])).toEqual([
      ['password-openpassword.pdf', 'password_needed'],
      ['scan-no-text.pdf', 'no_text_layer'],
    ])
    expect(totals).toMatchObject({ added: documents.length - 2, failed: 2 })
    expect(added.err).toMatch(/password-openpassword\.pdf could not be read: .+--password/)
  })

  it('are not read again; a locked one opens with its password', async () => {
    const again = await quaero(['add', papers, '--password', 'openpassword', '--allow-errors', '--json'], { cwd })
    const { totals } = jsonOutputs.add.parse(JSON.parse(again.out))
    expect([again.code, totals]).toMatchObject([0, { added: 1, failed: 1, updated: 0 }])
  })

  it.each(questions)(
    'every quote is on the page it names, to the character: $question',
    { tags: ['Q1'] },
    async ({ question }) => {
      const { code, out } = await quaero(['ask', question, '--json', '-q'], { cwd })
      expect(code).toBe(0)
      const result: RunResult = jsonOutputs.ask.parse(JSON.parse(out))
      expect(result).toMatchObject({ status: 'completed', error: null })
      for (const citation of result.citations) {
        const { documentId, page, start, end, quote } = citation
        const text = (await quaero(['library', 'text', documentId, '--page', String(page)], { cwd })).out
        expect(text.slice(start, end)).toBe(quote)
        if (!hasPdftotext) continue
        // Two readers of a page may see what stands between two sentences in another order: a table, a footnote.
        const readings = readingsOf(citation)
        const parts = quote.split(/(?<=[.!?])\s+|\n/).map(plain)
        const found = parts.filter((part) => readings.some((each) => each.includes(part)))
        expect(found.join('').length).toBeGreaterThanOrEqual(0.4 * parts.join('').length)
      }
      citations.push(...result.citations)
    },
  )

  it('are cited in most answers', () => {
    expect(citations.length).toBeGreaterThan(questions.length / 2)
  })
})

/** The questions whose answer stands on one page, in the order of the file. */
function answerable(path: string): readonly { readonly question: string }[] {
  const rows = readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { readonly type: string; readonly question: string })
  return rows.filter(({ type }) => type === 'text' || type === 'table')
}

/** The page as pdftotext reads it: in reading order, and line by line as printed, which keeps the rows of tables. */
function readingsOf({ source, page }: Citation): readonly string[] {
  const only = ['-f', String(page), '-l', String(page)]
  return [[], ['-layout']].map((mode) =>
    plain(execFileSync('pdftotext', [...only, ...mode, source, '-'], { encoding: 'utf8' })),
  )
}

/** Without what two readers of a page may well see differently: white space, hyphens, ligatures, bars of tables. */
function plain(text: string): string {
  return text.normalize('NFKC').replace(/[\s|\p{Pd}\u00ad]/gu, '')
}

function canRun(program: string): boolean {
  try {
    execFileSync(program, ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
