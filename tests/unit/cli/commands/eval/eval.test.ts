import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { evaluation } from '../../../../../src/cli/commands/eval.ts'
import { journalOf } from '../../../../../src/cli/eval/run-eval.ts'
import { evalReport, evaluate, readDataset } from '../../../../../src/eval/index.ts'
import { type Config, loadConfig, type SettingsOverrides } from '../../../../../src/index.ts'
import { folderOf, openQuaero } from '../../../../fixtures/workflow.ts'
import { capturedOutput, runWith, typedInput } from '../../captured-terminal.ts'

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
    expect(await runWith(evaluation, workplace, typedInput(), output, flags)).toBe(0)
    expect(add).toHaveBeenCalledTimes(1)
    const { rows } = evalReport.parse(JSON.parse(output.out()))
    const sources = rows.flatMap(({ citations }) => citations.map(({ source }) => source))
    expect(sources.length).toBeGreaterThan(0)
    expect(sources.every((source) => source.endsWith('marble.md'))).toBe(true)
  })

  it('its report shows no credential, of a baseline either', {
    tags: ['T10'],
  }, async () => {
    const folder = await folderOf()
    const question = 'How many pages does the corpus hold? My key: sk-planted-9f8e7d6c5b'
    const [dataset, out, next] = ['q.jsonl', 'out.json', 'next.json'].map((name) => join(folder, name)) as [
      ...[string, string, string],
    ]
    await writeFile(dataset, JSON.stringify({ id: 'a', question, expect: { answers: ['never said'] } }))
    const quaero = await openQuaero({ model: 'extractive', documents: [join(folder, 'marble.md')] })
    const workplace = { open: async () => quaero, config: () => loadConfig({ env: {} }) }
    await runWith(evaluation, workplace, typedInput(), capturedOutput(), { dataset, out, quiet: true })
    const report = evalReport.parse(JSON.parse(await readFile(out, 'utf8')))
    const rows = report.rows.map((row) => ({ ...row, passed: true, answer: 'It was sk-planted-0a0a0a0a0a.' }))
    const gone = rows.map((row) => ({ ...row, id: 'sk-planted-1b1b1b1b1b' }))
    await writeFile(out, JSON.stringify({ ...report, rows: [...rows, ...gone] }))
    await runWith(evaluation, workplace, typedInput(), capturedOutput(), {
      dataset,
      baseline: out,
      out: next,
      quiet: true,
    })
    const page = await readFile(next, 'utf8')
    expect(page).toContain('It was [redacted].')
    expect(page).toContain('My key: [redacted]')
    expect(page).not.toContain('planted')
  })

  it('a report that cannot be written at the end is printed all the same, and written by the same command again', async () => {
    const { flags, folder, quaero, config } = await oneQuestion()
    const out = join(folder, 'reports', 'now.json')
    await mkdir(join(folder, 'reports'))
    const goneMeanwhile = async () => {
      await rm(join(folder, 'reports'), { recursive: true })
      return quaero
    }
    const first = capturedOutput()
    expect(await runWith(evaluation, { open: goneMeanwhile, config }, typedInput(), first, { ...flags, out })).toBe(1)
    expect(evalReport.parse(JSON.parse(first.out())).summary.rows).toBe(1)
    expect(first.err()).toContain(`The report could not be written to ${out} (no such file or directory)`)
    await mkdir(join(folder, 'reports'))
    const ask = vi.spyOn(quaero, 'ask')
    expect(
      await runWith(evaluation, { open: async () => quaero, config }, typedInput(), capturedOutput(), {
        ...flags,
        out,
      }),
    ).toBe(0)
    expect(ask).not.toHaveBeenCalled()
    expect(evalReport.parse(JSON.parse(await readFile(out, 'utf8'))).resumed).toBe(1)
    expect(await readdir(join(folder, 'reports'))).toEqual(['now.json'])
  })

  it.each([
    [
      'another model in the environment',
      { env: { QUAERO_MODEL: 'openai:other', OPENAI_BASE_URL: 'http://127.0.0.1:9' } },
    ],
    ['another base URL', { env: { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } }],
    ['another setting', { overrides: { answer: { noteBelow: 0.123 } } }],
    ['another document', { document: '# The Lund group\n\nIt has nine members.\n' }],
    ['another prompt', { prompt: 'Answer in one sentence.' }],
  ])('what was judged by %s is not taken over', async (_, { env = {}, overrides = {}, document, prompt }: Change) => {
    const { flags, folder, quaero } = await oneQuestion()
    const keptFor = async (config: Config) => {
      const rows = await readDataset(flags.dataset)
      const journal = await journalOf({ quaero, config, rows, documentIds: undefined, flags })
      return { journal, judged: journal.judged.length }
    }
    const promptsDir = join(folder, 'prompts')
    await mkdir(promptsDir)
    const plain = (): Config => loadConfig({ env: {}, overrides: { promptsDir } })
    const { journal } = await keptFor(plain())
    const [score] = await evaluate({ quaero, rows: await readDataset(flags.dataset), concurrency: 1 })
    if (score) await journal.keep(score)
    expect((await keptFor(plain())).judged).toBe(1)
    if (document) {
      await writeFile(join(folder, 'lund.md'), document)
      await quaero.library.add([join(folder, 'lund.md')])
    }
    if (prompt) {
      const text = await readFile('prompts/synthesis.md', 'utf8')
      await writeFile(join(promptsDir, 'synthesis.md'), text.replace('# System\n', `# System\n${prompt}\n`))
    }
    expect((await keptFor(loadConfig({ env, overrides: { promptsDir, ...overrides } }))).judged).toBe(0)
  })

  it('a journal is the same whatever the key', async () => {
    const { flags, quaero } = await oneQuestion()
    const rows = await readDataset(flags.dataset)
    const keyed = async (key: string) => {
      const env = { OPENAI_API_KEY: key, OPENAI_BASE_URL: `http://user:${key}@127.0.0.1:9/v1` }
      return journalOf({ quaero, config: loadConfig({ env }), rows, documentIds: undefined, flags })
    }
    const [score] = await evaluate({ quaero, rows, concurrency: 1 })
    if (score) await (await keyed('sk-first-key-0123456789')).keep(score)
    expect((await keyed('sk-second-key-9876543210')).judged).toHaveLength(1)
  })
})

interface Change {
  readonly env?: Readonly<Record<string, string>>
  readonly overrides?: SettingsOverrides
  readonly document?: string
  readonly prompt?: string
}

async function oneQuestion() {
  const folder = await folderOf()
  const dataset = join(folder, 'q.jsonl')
  await writeFile(dataset, JSON.stringify({ id: 'a', question: 'How many pages does the Marble corpus hold?' }))
  const quaero = await openQuaero({ model: 'extractive' })
  return { folder, quaero, config: () => loadConfig({ env: {} }), flags: { dataset, json: true, quiet: true } }
}
