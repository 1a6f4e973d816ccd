import { describe, expect, it } from 'vitest'
import { add as addCommand } from '../../../../../src/cli/commands/add.ts'
import type { AddReport, EmbedReport } from '../../../../../src/index.ts'
import { capturedOutput, type FlagsOf, runWith, typedInput } from '../../captured-terminal.ts'
import { addedPaper, addReport, failedPaper, fakeQuaero } from '../../fake-quaero.ts'

describe('quaero add', () => {
  it('lists each file with what became of it, and the totals', { tags: ['R29'] }, async () => {
    const { code, out } = await add({ paths: ['papers'] }, addReport([addedPaper]))
    expect(code).toBe(0)
    expect(out).toMatch(/^added +0123456789abcdef +12 +80 +papers\/zhang\.pdf$/m)
    expect(out).toContain('1 added, 0 updated, 0 unchanged, 0 failed: 12 pages, 80 passages\n')
  })

  it('exits with 1 if a file failed, and says why on stderr', { tags: ['F71'] }, async () => {
    const { code, err } = await add({ paths: ['papers'] }, addReport([addedPaper, failedPaper]))
    expect(code).toBe(1)
    expect(err).toContain('papers/broken.pdf could not be read: it is not a PDF\n')
  })

  it('exits with 0 where errors are allowed', { tags: ['F71'] }, async () => {
    expect((await add({ paths: ['papers'], allowErrors: true }, addReport([failedPaper]))).code).toBe(0)
  })

  it('says once which files are of a type that is not read', async () => {
    const skipped = Array.from({ length: 7 }, (_, index) => `data-${index}.xyz`)
    const { err } = await add({ paths: ['papers'] }, addReport([addedPaper], skipped))
    expect(err.match(/Skipped/g)).toHaveLength(1)
    expect(err).toContain('Skipped 7 files (of another type, or a link out of its folder): data-0.xyz, data-1.xyz,')
    expect(err).toContain('and 2 more\n')
  })

  it('prints documents and totals, and nothing else, with --json', { tags: ['R29'] }, async () => {
    const report = addReport([addedPaper, failedPaper])
    const { out } = await add({ paths: ['papers'], json: true }, report)
    expect(JSON.parse(out)).toEqual({ documents: report.documents, removed: [], totals: report.totals })
  })

  it('says what embedding the passages took, and what keeps it from going on', async () => {
    const embeddings: EmbedReport = {
      ...{ model: 'm', dimensions: 8, embedded: 80, sent: 70, tokens: 900, costUsd: 0.00009, missing: 0 },
      error: null,
    }
    const { out, err } = await add({ paths: ['papers'] }, { ...addReport([addedPaper]), embeddings })
    expect(out).toContain(
      '80 passages embedded with m, 8 dimensions; 70 texts sent, 900 tokens (0.0001 USD); 0 without',
    )
    expect(err).not.toContain('Not all was embedded')
    const failed = { ...embeddings, missing: 80, error: { code: 'endpoint_timeout', message: 'It is silent' } }
    const report = { ...addReport([addedPaper]), embeddings: failed }
    expect((await add({ paths: ['papers'] }, report)).err).toContain(
      'Not all was embedded: It is silent. Finished vectors are kept; 80 passages found by words alone until "quaero library embed"',
    )
    expect(JSON.parse((await add({ paths: ['papers'], json: true }, report)).out).embeddings).toEqual(failed)
  })

  it('calls an empty folder empty, which is no error', { tags: ['R29'] }, async () => {
    const { code, out } = await add({ paths: ['empty'] }, addReport([]))
    expect(code).toBe(0)
    expect(out).toMatch(/^Nothing to add/)
  })

  it('passes on every password', async () => {
    const { calls } = await add({ paths: ['a'], password: ['x', 'y'] }, addReport([addedPaper]))
    expect(calls).toEqual([{ name: 'add', paths: ['a'], passwords: ['x', 'y'] }])
  })

  it('says what left the library and what was renamed, with --sync', async () => {
    const moved = { ...addedPaper, status: 'updated' as const, renamedFrom: 'papers/old.pdf' }
    const base = addReport([moved])
    const removed = [{ path: 'papers/gone.pdf', documentId: 'feedfeedfeedfeed' }]
    const { calls, out } = await add(
      { paths: ['papers'], sync: true },
      { ...base, removed, totals: { ...base.totals, removed: 1 } },
    )
    expect(calls).toEqual([{ name: 'add', paths: ['papers'], passwords: undefined, sync: true }])
    expect(out).toMatch(/^updated +0123456789abcdef +12 +80 +papers\/zhang\.pdf \(was papers\/old\.pdf\)$/m)
    expect(out).toMatch(/^removed +feedfeedfeedfeed +- +- +papers\/gone\.pdf$/m)
    expect(out).toContain('0 added, 1 updated, 0 unchanged, 0 failed, 1 removed: 12 pages')
  })

  it('says nothing on stderr when quiet, except what failed', async () => {
    const { err } = await add({ paths: ['a'], quiet: true }, addReport([addedPaper, failedPaper], ['x.xyz']))
    expect(err).toBe('papers/broken.pdf could not be read: it is not a PDF\n')
  })

  it('exits with 130 after Ctrl-C', { tags: ['L8'] }, async () => {
    const { quaero } = fakeQuaero({ report: addReport([addedPaper]) })
    const input = typedInput('', { signal: AbortSignal.abort() })
    expect(await runWith(addCommand, quaero, input, capturedOutput(), { paths: ['a'] })).toBe(130)
  })
})

async function add(flags: FlagsOf<typeof addCommand>, report: AddReport) {
  const { quaero, calls } = fakeQuaero({ report })
  const output = capturedOutput()
  const code = await runWith(addCommand, quaero, typedInput(), output, flags)
  return { code, calls, out: output.out(), err: output.err() }
}
