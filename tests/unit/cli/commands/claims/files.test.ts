import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { audit } from '../../../../../src/cli/commands/audit.ts'
import { report } from '../../../../../src/cli/commands/report.ts'
import { table } from '../../../../../src/cli/commands/table.ts'
import { verify } from '../../../../../src/cli/commands/verify.ts'
import { PathNotFound, UsageError } from '../../../../../src/errors.ts'
import { cellModel, quickCells } from '../../../../fixtures/cell-model.ts'
import { folderOf, openQuaero, temporaryFolder } from '../../../../fixtures/workflow.ts'
import { capturedOutput, type FlagsOf, runWith, typedInput } from '../../captured-terminal.ts'

const questions = 'How many pages? [number]\nHow many pages of the corpus? [number]\n'

/** An engine over two papers whose model answers, and a folder with a file of questions and a folder in it. */
async function opened(instead?: Parameters<typeof cellModel>[0]) {
  const model = cellModel(instead)
  const quaero = await openQuaero({ model, settings: quickCells, documents: [await folderOf()] })
  const folder = await temporaryFolder()
  const place = (name: string) => join(folder, name)
  writeFileSync(place('questions.txt'), questions)
  mkdirSync(place('folder.md'))
  const call = async <Flags extends object>(
    command: Parameters<typeof runWith<Flags>>[0],
    flags: Parameters<typeof runWith<Flags>>[4],
    signal = new AbortController().signal,
  ) => {
    const output = capturedOutput()
    const code = await runWith(command, quaero, typedInput('', { signal }), output, flags)
    return { code, out: output.out(), err: output.err() }
  }
  const tabled = (flags: Partial<FlagsOf<typeof table>> = {}, signal?: AbortSignal) =>
    call(table, { questions: place('questions.txt'), quiet: true, ...flags }, signal)
  return { quaero, model, place, call, tabled }
}

describe('a file that cannot be written', () => {
  it('is told in words before anything is asked, and nothing is left where it was tried', async () => {
    const { model, place, call, tabled } = await opened()
    const isFolder = `"${place('folder.md')}" is a folder, not a file.`
    const question = 'How many pages?'
    await expect(tabled({ output: place('folder.md') })).rejects.toThrow(new PathNotFound(isFolder))
    await expect(call(report, { question, output: place('folder.md') })).rejects.toThrow(new PathNotFound(isFolder))
    mkdirSync(place('cited.bib'))
    await expect(call(report, { question, references: place('cited.bib') })).rejects.toThrow('is a folder')
    await expect(call(report, { question, output: place('cited.tex') })).rejects.toThrow('is a folder')
    await expect(call(report, { question, outline: place('folder.md') })).rejects.toThrow(new PathNotFound(isFolder))
    const nowhere = place('none/outline.md')
    await expect(call(report, { question, outline: nowhere })).rejects.toThrow(
      `There is no folder "${place('none')}" to write "${nowhere}" into.`,
    )
    symlinkSync(place('none/there.md'), place('link.md'))
    await expect(tabled({ output: place('link.md') })).rejects.toThrow(
      `"${place('link.md')}" cannot be written: no such file or directory.`,
    )
    await tabled({ output: place('new.md'), dryRun: true })
    expect([model.heard, existsSync(place('new.md'))]).toEqual([[], false])
  })
})

describe('a file that cannot be read', () => {
  it('is told why', async () => {
    const { place, call, tabled } = await opened()
    const file = place('folder.md')
    await expect(tabled({ questions: file })).rejects.toThrow(`"${file}" is a folder, not a file. Write a question`)
    await expect(tabled({ questions: place('none') })).rejects.toThrow(`There is no file "${place('none')}". Write a`)
    await expect(call(audit, { file })).rejects.toThrow('is a folder')
    await expect(call(verify, { file })).rejects.toThrow('is a folder')
    writeFileSync(place('questions.bin'), Buffer.from([0, 1, 2, 3, 0, 9]))
    await expect(tabled({ questions: place('questions.bin') })).rejects.toThrow(UsageError)
    await expect(tabled({ questions: place('questions.bin') })).rejects.toThrow('it is not text, but binary data')
  })

  it.skipIf(process.getuid?.() === 0)('says that a person may not read it', async () => {
    const { place, tabled } = await opened()
    writeFileSync(place('secret.txt'), questions, { mode: 0 })
    await expect(tabled({ questions: place('secret.txt') })).rejects.toThrow('may not be read by you')
  })
})

describe('a file of questions', { tags: ['Q18'] }, () => {
  it('may be in UTF-16, as a document may', async () => {
    const { place, tabled } = await opened()
    writeFileSync(place('utf16.txt'), Buffer.from(`\ufeff${questions}`, 'utf16le'))
    const { columns } = JSON.parse((await tabled({ questions: place('utf16.txt'), dryRun: true, json: true })).out)
    expect(columns).toMatchObject([{ question: 'How many pages?', form: 'number' }, { form: 'number' }])
  })

  it('is refused with too many questions, or a longer one than is read, before a document is added', async () => {
    const { quaero, place, tabled } = await opened()
    const documents = [await folderOf({ 'other.md': 'Another text.' })]
    const refused = (text: string, flags: Partial<FlagsOf<typeof table>> = {}) => {
      writeFileSync(place('questions.txt'), text)
      return tabled({ documents, dryRun: true, ...flags })
    }
    const many = 'How many pages?\n'.repeat(300_000)
    await expect(refused(many)).rejects.toThrow('A table has at most 200 questions, and these are 300000.')
    await expect(refused('x'.repeat(20_001))).rejects.toThrow('"columns.0.question" must be at most 20000 characters')
    expect(await quaero.library.list()).toHaveLength(2)
    expect((await refused(many, { columns: ['7'] })).code).toBe(0)
  })
})

describe('a table that is stopped', { tags: ['Q18'] }, () => {
  /** Tables over the papers; `stopped` ones are stopped when they ask their first question. */
  async function stoppable() {
    let stop: AbortController | null = null
    const { place, tabled } = await opened(() => void stop?.abort())
    const stopped = (flags: Partial<FlagsOf<typeof table>>) => {
      stop = new AbortController()
      return tabled({ atOnce: 1, ...flags }, stop.signal)
    }
    return { output: place('big.md'), beside: place('big.unfinished.md'), tabled, stopped }
  }

  it('shows what was known of the cells that were to be asked afresh', async () => {
    const { output, tabled, stopped } = await stoppable()
    await tabled({ output })
    const complete = readFileSync(output, 'utf8')
    const { code, out } = await stopped({ output, afresh: true })
    expect([code, out]).toEqual([130, `${output}: 2 rows, 4 cells: 4 quoted\n`])
    expect(readFileSync(output, 'utf8')).toBe(complete)
  })

  it('is written beside a file that may have more', async () => {
    const { output, beside, tabled, stopped } = await stoppable()
    await tabled({ output, columns: ['1'] })
    const { code, out, err } = await stopped({ output })
    expect([code, out]).toEqual([130, `${beside}: 2 rows, 4 cells: 2 quoted, 2 open\n`])
    expect(err).toBe(`The table is not finished: ${output} was left as it is, since it may have more.\n`)
    expect(readFileSync(output, 'utf8')).not.toContain('open')
    expect(readFileSync(beside, 'utf8')).toContain('open')
  })

  it('is written over a file that has less', async () => {
    const { output, beside, tabled, stopped } = await stoppable()
    expect((await stopped({ output })).out).toBe(`${output}: 2 rows, 4 cells: 4 open\n`)
    await tabled({ columns: ['1'] })
    expect((await stopped({ output })).out).toBe(`${output}: 2 rows, 4 cells: 2 quoted, 2 open\n`)
    expect(existsSync(beside)).toBe(false)
  })

  it('of which cells have failed does not replace one without', async () => {
    let isDown = false
    const { place, tabled } = await opened(() => (isDown ? new Error('It is down.') : undefined))
    const output = place('big.xlsx')
    await tabled({ output })
    isDown = true
    const failed = await tabled({ output, afresh: true })
    expect(failed).toMatchObject({ code: 1, out: expect.stringContaining('big.unfinished.xlsx: ') })
    expect(failed.out).toContain('4 failed')
  })
})
