import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { report } from '../../../../../src/cli/commands/report.ts'
import { verify } from '../../../../../src/cli/commands/verify.ts'
import { reportError } from '../../../../../src/cli/run-command.ts'
import { PathNotFound, UsageError } from '../../../../../src/errors.ts'
import { parseOutline, report as reportSchema } from '../../../../../src/index.ts'
import { KeyRejected } from '../../../../../src/models/port/errors.ts'
import { planned, quickReport, reportModel } from '../../../../fixtures/report-model.ts'
import { folderOf, openQuaero, temporaryFolder } from '../../../../fixtures/workflow.ts'
import { capturedOutput, type FlagsOf, runWith, typedInput } from '../../captured-terminal.ts'

const question = 'What is known of the pages?'

async function opened(instead?: Parameters<typeof reportModel>[0]) {
  const model = reportModel(instead)
  const [folder, papers] = [await temporaryFolder(), await folderOf()]
  const quaero = await openQuaero({ model, settings: quickReport, documents: [papers] })
  const call = async (flags: Partial<FlagsOf<typeof report>> = {}, input = typedInput()) => {
    const output = capturedOutput()
    const code = await runWith(report, quaero, input, output, { question, ...flags })
    return { code, out: output.out(), err: output.err() }
  }
  return { call, papers, calls: () => model.heard.length, place: (name: string) => join(folder, name) }
}

describe('quaero report', () => {
  it('prints Markdown, and on stderr what was done and what was known', async () => {
    const { call } = await opened()
    const first = await call()
    expect(first.code).toBe(0)
    expect(first.out).toMatch(/^# Pages\n\nWhat is known of the pages\?\n\n2 documents were searched\./)
    expect(first.out).toContain('\n\n## Size\n\nThe Marble corpus holds 81.1 million pages.[^1]\n\nThe Halden filter')
    expect(first.out).toContain('- the number of pages: ')
    expect(first.out).toContain('\n\n## What was not found\n\n- Who paid for the Halden filter? — ')
    expect(first.out).not.toContain('quaero-proof')
    expect(first.err).toContain('Outline: 2 sections, 4 questions.\n')
    expect(first.err).toContain('Questions: 4, of which 0 were known before.\n')
    const again = await call()
    expect(again.out).toBe(first.out)
    expect(again.err).toBe(
      'Outline: 2 sections, 4 questions.\nQuestions: 4, of which 4 were known before.\nSections: 2, of which 2 were known before.\n',
    )
    expect((await call({ quiet: true })).err).toBe('')
  })

  it('writes files whose quotes "quaero verify" finds, and the references', async () => {
    const { call, calls, papers, place } = await opened()
    for (const ending of ['docx', 'md', 'html', 'tex', 'json']) {
      const file = place(`my report.${ending}`)
      const { out, code } = await call({ output: file, references: place('cited.json') })
      expect(code).toBe(0)
      expect(out).toBe(
        `${file}: a report of 2 sections, 3 sentences, 3 quotes; 1 question not found; ${calls()} model calls in all\n`,
      )
      expect(existsSync(place('my-report.bib'))).toBe(ending === 'tex' || ending === 'json')
    }
    const output = capturedOutput()
    const file = place('my report.docx')
    expect(await runWith(verify, {}, typedInput(), output, { file, documents: [papers] })).toBe(0)
    expect(output.out()).toBe(`${file}: 5 claims with 5 quotes: all stand.\n`)
    expect(JSON.parse(readFileSync(place('cited.json'), 'utf8'))).toHaveLength(2)
  })

  it('writes the planned outline to be edited, and then uses it', async () => {
    const { call, calls, place } = await opened()
    const outline = place('outline.md')
    const { out } = await call({ outline })
    expect(out).toBe(
      `The outline is in ${outline}: 2 sections, 4 questions. Edit it, and call the same command again.\n`,
    )
    expect(parseOutline(readFileSync(outline, 'utf8'))).toEqual(planned)
    expect(calls()).toBe(1)
    writeFileSync(outline, '# Mine\n\n## Only\n- How many pages does the Marble corpus hold?\n')
    const made = reportSchema.parse(JSON.parse((await call({ outline, json: true })).out))
    expect(made).toMatchObject({ title: 'Mine', sections: [{ heading: 'Only', paragraphs: [[{}]] }] })
  })

  it('prints the outline with --dry-run, and asks none of its questions', async () => {
    const { call, calls, place } = await opened()
    const { out } = await call({ dryRun: true, outline: place('none.md') })
    expect(parseOutline(out)).toEqual(planned)
    expect(existsSync(place('none.md'))).toBe(false)
    expect(JSON.parse((await call({ dryRun: true, json: true })).out)).toEqual(planned)
    expect(calls()).toBe(1)
  })

  it('asks nothing where it could not write what it is asked for', async () => {
    const { call, calls, place } = await opened()
    await expect(call({ output: place('report.pdf') })).rejects.toThrow(UsageError)
    await expect(call({ output: place('no/report.md') })).rejects.toThrow(PathNotFound)
    await expect(call({ references: place('refs.ris') })).rejects.toThrow(UsageError)
    expect(calls()).toBe(0)
  })

  it('exits as for a question where the outline cannot be planned, for instance with 78 for a rejected key', async () => {
    const { call } = await opened(() => new KeyRejected('The key is rejected.'))
    const error = await call().catch((thrown: unknown) => thrown)
    const output = capturedOutput()
    expect(reportError(error, output, { json: true })).toBe(78)
    expect(JSON.parse(output.out())).toEqual({
      error: { code: 'run_unfinished', message: 'The outline was not written. The key is rejected.' },
    })
  })

  it('exits with 1 where something failed, and with 130 where it was stopped', async () => {
    const isWriting = (prompt: string) => prompt.includes('one section of a report')
    const { call } = await opened((prompt) => (isWriting(prompt) ? new Error('It is down.') : undefined))
    const failed = await call()
    expect(failed.code).toBe(1)
    expect(failed.out).toContain('\n\n## What was not finished\n\n- Pages: Origin.')
    const stopped = await call({ afresh: true }, typedInput('', { signal: stoppedSoon() }))
    expect(stopped).toMatchObject({ code: 130, out: '', err: expect.stringContaining('Stopped.') })
  })
})

function stoppedSoon(): AbortSignal {
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 30)
  return stop.signal
}
