import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { runEval } from '../../../../../src/cli/commands/eval/eval.ts'
import { evalReport } from '../../../../../src/eval/index.ts'
import { loadConfig } from '../../../../../src/index.ts'
import { folderOf, openQuaero } from '../../../../fixtures/workflow.ts'
import { capturedOutput, typedInput } from '../../captured-terminal.ts'

describe('quaero eval', () => {
  it('looks through its documents once, however many questions there are, and searches no others', async () => {
    const folder = await folderOf()
    const questions = ['a', 'b', 'c'].map((id) =>
      JSON.stringify({ id, question: 'How many pages does the corpus hold?' }),
    )
    await writeFile(join(folder, 'q.jsonl'), questions.join('\n'))
    const quaero = await openQuaero({ model: 'extractive', documents: [join(folder, 'halden.md')] })
    const add = vi.spyOn(quaero.library, 'add')
    const output = capturedOutput()
    const workplace = { open: async () => quaero, config: () => loadConfig({ env: {} }) }
    const flags = { dataset: join(folder, 'q.jsonl'), documents: [join(folder, 'marble.md')], json: true, quiet: true }
    expect(await runEval(workplace, typedInput(), output, flags)).toBe(0)
    expect(add).toHaveBeenCalledTimes(1)
    const { rows } = evalReport.parse(JSON.parse(output.out()))
    const sources = rows.flatMap(({ citations }) => citations.map(({ source }) => source))
    expect(sources.length).toBeGreaterThan(0)
    expect(sources.every((source) => source.endsWith('marble.md'))).toBe(true)
  })

  it('T10: its page shows no credential, of a baseline either, nor one that is whole without control characters', async () => {
    const folder = await folderOf()
    const question = 'How many pages does the corpus hold? My key: sk-\u0007planted-9f8e7d6c5b'
    const [dataset, out, html] = ['q.jsonl', 'out.json', 'page.html'].map((name) => join(folder, name)) as [
      ...[string, string, string],
    ]
    await writeFile(dataset, JSON.stringify({ id: 'a', question, expect: { answers: ['never said'] } }))
    const quaero = await openQuaero({ model: 'extractive', documents: [join(folder, 'marble.md')] })
    const workplace = { open: async () => quaero, config: () => loadConfig({ env: {} }) }
    await runEval(workplace, typedInput(), capturedOutput(), { dataset, out, quiet: true })
    const report = evalReport.parse(JSON.parse(await readFile(out, 'utf8')))
    const rows = report.rows.map((row) => ({ ...row, passed: true, answer: 'It was sk-planted-0a0a0a0a0a.' }))
    const gone = rows.map((row) => ({ ...row, id: 'sk-planted-1b1b1b1b1b' }))
    await writeFile(out, JSON.stringify({ ...report, rows: [...rows, ...gone] }))
    await runEval(workplace, typedInput(), capturedOutput(), { dataset, baseline: out, html, quiet: true })
    const page = await readFile(html, 'utf8')
    expect(page).toContain('It was [redacted].')
    expect(page).toContain('My key: [redacted]')
    expect(page).not.toContain('planted')
  })
})
