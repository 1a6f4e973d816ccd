import { writeFile } from 'node:fs/promises'
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
})
