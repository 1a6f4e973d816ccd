import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { jsonOutputs } from '../../../../../scripts/json-outputs.ts'
import { jsonWith } from '../../../../../src/claims/proof/carriers.ts'
import { claimsCheck, claimsList } from '../../../../../src/cli/commands/claims.ts'
import { table as tableCommand } from '../../../../../src/cli/commands/table.ts'
import { verify as verifyCommand } from '../../../../../src/cli/commands/verify.ts'
import { DocumentNotFound, PathNotFound, RunNotFound, ThreadNotFound, UsageError } from '../../../../../src/errors.ts'
import { loadConfig, type Quaero } from '../../../../../src/index.ts'
import { cellModel, quickCells } from '../../../../fixtures/cell-model.ts'
import { folderOf, openQuaero, papers } from '../../../../fixtures/workflow.ts'
import { capturedOutput, type FlagsOf, runWith, typedInput } from '../../captured-terminal.ts'

const questions = '# Sizes\nHow many pages? [number]\nHow many pages of the corpus? [number]\n'

/** An engine over two papers in a folder with a file of questions, whose model answers from them. */
async function opened(instead?: Parameters<typeof cellModel>[0]) {
  const folder = await folderOf()
  const list = join(await folderOf({ 'questions.txt': questions }), 'questions.txt')
  const model = cellModel(instead)
  const quaero = await openQuaero({ model, settings: quickCells, documents: [folder] })
  const printed = async <Flags extends object>(
    command: Parameters<typeof runWith<Flags>>[0],
    flags: Parameters<typeof runWith<Flags>>[4],
    input = typedInput(),
  ) => {
    const output = capturedOutput()
    const code = await runWith(command, quaero, input, output, flags)
    return { code, out: output.out(), err: output.err() }
  }
  return {
    folder,
    quaero,
    model,
    out: join(list, '..', 'out'),
    table: (flags: Partial<FlagsOf<typeof tableCommand>> = {}, input = typedInput()) =>
      printed(tableCommand, { questions: list, ...flags }, input),
    verify: (flags: FlagsOf<typeof verifyCommand>, input = typedInput()) => printed(verifyCommand, flags, input),
    check: (flags: FlagsOf<typeof claimsCheck> = {}) => printed(claimsCheck, flags),
    list: (flags: FlagsOf<typeof claimsList> = {}) => printed(claimsList, flags),
  }
}

/** What was printed, which must fit its schema. */
function fitting<Name extends keyof typeof jsonOutputs>(name: Name, out: string): z.output<(typeof jsonOutputs)[Name]> {
  const { data, error } = jsonOutputs[name].safeParse(JSON.parse(out))
  expect(error?.message ?? '').toBe('')
  return data as z.output<(typeof jsonOutputs)[Name]>
}

describe('quaero table', { tags: ['Q18'] }, () => {
  it('prints a row for each document, what it would cost before, and nothing but the table with --json', async () => {
    const { table } = await opened()
    const { code, out, err } = await table()
    expect(code).toBe(0)
    expect(err).toContain('2 documents, 2 questions: 4 cells to ask for.\n')
    expect(out).toMatch(/The Marble corpus +81\.1 million pages/)
    const again = await table({ json: true })
    expect(again.err).toContain('4 cells are known, 0 to ask for.\n')
    const { columns, rows } = fitting('table', again.out)
    expect(columns.map(({ form }) => form)).toEqual(['number', 'number'])
    expect(rows.flatMap(({ cells }) => cells.map(({ state }) => state))).toEqual(Array(4).fill('quoted'))
  })

  it('asks nothing with --dry-run, and says what known cells took', async () => {
    const { table, model } = await opened()
    expect((await table({ dryRun: true })).out).toBe('2 documents, 2 questions: 4 cells to ask for.\n')
    expect(model.heard).toEqual([])
    await table({ columns: ['1'] })
    expect(fitting('table.dry-run', (await table({ dryRun: true, json: true })).out)).toMatchObject({
      known: 2,
      open: 2,
    })
    expect(model.heard).toHaveLength(2)
  })

  it('writes a file that verify proves, and finds a changed digit of', { tags: ['Q19'] }, async () => {
    const { table, verify, out, folder } = await opened()
    for (const ending of ['md', 'xlsx', 'html', 'json']) {
      const output = `${out}.${ending}`
      expect((await table({ output, quiet: true })).out).toContain('2 rows, 4 cells: 4 quoted\n')
      expect(await verify({ file: output, documents: [folder], quiet: true })).toEqual({
        code: 0,
        out: `${output}: 4 claims with 4 quotes: all stand.\n`,
        err: '',
      })
    }
    const file = `${out}.md`
    writeFileSync(file, readFileSync(file, 'utf8').replace('| 81.1 million', '| 81.7 million'))
    const changed = await verify({ file, quiet: true })
    expect(changed.code).toBe(1)
    expect(changed.out).toContain('its claims stand, but the file was changed.')
    expect(fitting('verify', (await verify({ file, json: true, quiet: true })).out).stands).toBe(false)
  })

  it('exits with 1 if a cell failed, with 4 if one is open, and with 130 if it was stopped, keeping what was filled', async () => {
    const failing = await opened((question) => (question === 'How many pages?' ? undefined : new Error('down')))
    const { code, out } = await failing.table()
    expect([code, out]).toEqual([1, expect.stringMatching(/81\.1 million.*failed/)])
    const stop = new AbortController()
    const stopped = await opened((question) => {
      if (question !== 'How many pages?') stop.abort()
      return undefined
    })
    const table = await stopped.table({ atOnce: 1, json: true }, typedInput('', { signal: stop.signal }))
    expect(table.code).toBe(130)
    const cells = fitting('table', table.out).rows.flatMap((row) => row.cells)
    expect(cells.map(({ state }) => state)).toEqual(['quoted', 'open', 'open', 'open'])
    expect((await stopped.table({ quiet: true })).code).toBe(0)
  })

  it('reads its questions from stdin', async () => {
    const { table } = await opened()
    const stdin = Readable.from(['How many pages? [number]'])
    expect((await table({ questions: '-' }, typedInput('', { stdin }))).err).toContain('2 documents, 1 question:')
  })

  it('asks nothing where the file could not be written, or a question is not there', async () => {
    const { table, model, out } = await opened()
    await expect(table({ output: 'table.docx' })).rejects.toThrow(UsageError)
    await expect(table({ output: join(out, 'none', 'table.md') })).rejects.toThrow(PathNotFound)
    await expect(table({ questions: 'none.txt' })).rejects.toThrow(PathNotFound)
    await expect(table({ form: 'colour' })).rejects.toThrow('--form must be text, number')
    await expect(table({ columns: ['3'] })).rejects.toThrow('There is no question "3"; there are 2.')
    expect(model.heard).toEqual([])
  })
})

describe('quaero verify', { tags: ['Q19'] }, () => {
  it('names what does not stand where a document was changed or is gone', async () => {
    const { table, verify, out, folder } = await opened()
    const file = `${out}.html`
    await table({ output: file, quiet: true, columns: ['1'] })
    writeFileSync(join(folder, 'marble.md'), papers['marble.md'].replace('81.1', '81.7'))
    const changed = await verify({ file, documents: [folder], quiet: true })
    expect(changed).toMatchObject({ code: 1, out: expect.stringContaining('1 of 2 claims does not stand.') })
    expect(changed.out).toMatch(
      /was: .*81\.1 million pages”\n {2}now: the document was changed; nearest .*81\.7 million/,
    )
    const { code, out: told } = await verify({ file, documents: [join(folder, 'halden.md')], quiet: true })
    expect([code, told]).toEqual([1, expect.stringContaining('the document is not there')])
  })

  it('looks for documents beside the file first, and says so if there is none', async () => {
    const { table, verify, out, quaero } = await opened()
    await table({ output: `${out}.json`, quiet: true })
    const sources = (await quaero.library.list()).map(({ source }) => source)
    // As a file says where its documents were that lay in a folder of the one that it was written from.
    const [made = '', folder = ''] = [readFileSync(`${out}.json`, 'utf8'), dirname(sources[0] ?? '')]
    const { proof, ...asked } = JSON.parse(made.replaceAll(folder, 'papers'))
    writeFileSync(`${out}.json`, jsonWith(asked, proof.claims))
    const lost = verify({ file: `${out}.json`, quiet: true })
    await expect(lost).rejects.toThrow(/^None of the documents that .* quotes was found: papers\/.*: -d <path>$/)
    await expect(lost).rejects.toThrow(PathNotFound)
    cpSync(folder, join(dirname(out), 'papers'), { recursive: true })
    expect((await verify({ file: `${out}.json`, quiet: true })).code).toBe(0)
    rmSync(join(dirname(out), 'papers'), { recursive: true })
    mkdirSync(join(dirname(out), 'papers', 'marble.md'), { recursive: true })
    await expect(verify({ file: `${out}.json`, quiet: true })).rejects.toThrow(PathNotFound)
    writeFileSync(`${out}.json`, made.replace('How many', 'How few'))
    for (const source of sources) rmSync(source)
    const changed = await verify({ file: `${out}.json`, quiet: true })
    expect([changed.code, changed.out]).toEqual([
      1,
      expect.stringMatching(/cannot be looked up.*but the file was changed/),
    ])
    await expect(verify({ file: `${out}.md` })).rejects.toThrow(PathNotFound)
  })

  it('finds what stands there now of documents whose words are gone', async () => {
    const { table, verify, out, quaero } = await opened()
    await table({ output: `${out}.json`, quiet: true })
    for (const { source } of await quaero.library.list()) writeFileSync(source, 'Other words.')
    expect((await verify({ file: `${out}.json`, quiet: true })).code).toBe(1)
  })

  it('calls a file that claims nothing no proof, and ends when it is stopped', async () => {
    const { table, verify, out } = await opened((_) => new Error('down'))
    await table({ output: `${out}.md`, quiet: true })
    const { code, out: told } = await verify({ file: `${out}.md`, quiet: true })
    expect([code, told]).toEqual([1, expect.stringContaining('nothing to prove')])
    const filled = await opened()
    await filled.table({ output: `${filled.out}.md`, quiet: true })
    const stopped = typedInput('', { signal: AbortSignal.abort() })
    await expect(filled.verify({ file: `${filled.out}.md`, quiet: true }, stopped)).rejects.toThrow(/abort/i)
  })

  it('connects to nothing that the settings name', async () => {
    const { table, out, folder } = await opened()
    const file = `${out}.md`
    await table({ output: file, quiet: true })
    const settings = {
      search: { embeddings: { model: 'm', baseUrl: 'http://127.0.0.1:9/v1' } },
      storage: 'postgres://127.0.0.1:9/x',
    }
    const config = () =>
      loadConfig({
        env: { LANGFUSE_PUBLIC_KEY: 'pk', LANGFUSE_SECRET_KEY: 'sk', LANGFUSE_BASE_URL: 'http://127.0.0.1:9' },
        overrides: settings,
      })
    const output = capturedOutput()
    const flags = { file, documents: [folder], quiet: true }
    expect(await runWith(verifyCommand, { config }, typedInput(), output, flags)).toBe(0)
    expect(output.err()).toBe('')
  })
})

describe('quaero claims', { tags: ['Q20'] }, () => {
  it('lists sentences with their quotes', async () => {
    const { quaero, list, check } = await opened()
    expect((await list()).out).toBe('There are no claims.\n')
    await quaero.ask('How many pages does the Marble corpus hold?')
    expect((await list()).out).toMatch(
      /^quoted: 81\.1 million pages: .*\n {2}The Marble corpus \(marble\.md\), .*“holds 81\.1 million pages”\n$/,
    )
    expect(fitting('claims-list', (await list({ json: true })).out)).toHaveLength(1)
    const [{ quotes, runId, threadId } = { quotes: [], runId: '', threadId: '' }] = await quaero.claims.list()
    const named = [
      { document: quotes[0]?.documentId.slice(0, 4) },
      { document: 'marble.md' },
      { runId: runId.slice(0, 8) },
      { threadId: threadId.slice(0, 8) },
    ]
    for (const flags of named) {
      expect(fitting('claims-list', (await list({ ...flags, json: true })).out)).toHaveLength(1)
      expect(fitting('claims-check', (await check({ ...flags, json: true })).out)).toHaveLength(1)
    }
    for (const command of [list, check]) {
      await expect(command({ document: 'none' })).rejects.toThrow(DocumentNotFound)
      await expect(command({ runId: 'none' })).rejects.toThrow(RunNotFound)
      await expect(command({ threadId: 'none' })).rejects.toThrow(ThreadNotFound)
    }
    await quaero.ask('How many pages does the Marble corpus hold in all?')
    const newest = await list({ limit: 1, json: true })
    expect(fitting('claims-list', newest.out)).toMatchObject([{ question: expect.stringContaining('in all') }])
    expect((await list({ limit: 1 })).err).toBe('There are older ones: --limit lists more.\n')
  })

  it('are looked up again, and exit with 1 if one does not stand any more', async () => {
    const { quaero, check, folder } = await opened()
    expect(await check()).toMatchObject({ code: 0, out: 'There are no claims.\n' })
    await ask(quaero)
    expect(await check()).toMatchObject({ code: 0, out: '1 sentence looked up again: it stands.\n' })
    writeFileSync(join(folder, 'marble.md'), papers['marble.md'].replace('81.1', '81.7'))
    await quaero.library.add([folder], { sync: true })
    const fallen = await check()
    expect(fallen.code).toBe(1)
    expect(fallen.out).toMatch(/^1 sentence you relied on no longer stands:\n/)
    expect(fallen.out).toMatch(/was: .*81\.1 million pages”\n {2}now: .*81\.7 million pages/)
    expect(fitting('claims-check', (await check({ json: true })).out)).toMatchObject([{ stands: false }])
  })
})

function ask(quaero: Quaero) {
  return quaero.ask('How many pages does the Marble corpus hold?')
}
