import { readdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { evalReport } from '../../src/eval/index.ts'
import { quaero, startQuaero } from '../fixtures/command-line.ts'
import { startEndpoint } from '../fixtures/openai-endpoint.ts'
import { folderOf, papers as shortPapers, temporaryFolder } from '../fixtures/workflow.ts'

const root = resolve(import.meta.dirname, '..', '..')
const papers = join(root, 'examples', 'papers')
const behaviours = join(root, 'examples', 'behaviours.jsonl')

describe('quaero eval', () => {
  it('the agents and tools that must run do, and those that must not do not', {
    tags: ['slow', 'R4', 'R13', 'R17'],
  }, async () => {
    const cwd = await temporaryFolder()
    const { code, out, err } = await quaero(['eval', behaviours, '-d', papers, '--json', '-q'], { cwd })
    const { summary, rows, model } = evalReport.parse(JSON.parse(out))
    expect(rows.filter(({ passed }) => !passed).map(({ id, problems }) => [id, ...problems])).toEqual([])
    expect(summary).toMatchObject({ rows: 13, failures: 0, passed: { hits: 13, of: 13 } })
    expect({ code, err, model }).toEqual({ code: 0, err: '', model: 'extractive' })
  })

  it('prints figures and what did not pass, writes the report, and compares with an earlier one', async () => {
    const cwd = await folderOf()
    await writeFile(join(cwd, 'q.jsonl'), row('a', '81.1 million'))
    const first = await quaero(['eval', 'q.jsonl', '-d', 'marble.md', '--out', 'before.json'], { cwd })
    expect(first.code).toBe(0)
    expect(first.out).toMatch(/passed +100\.0 % +1 of 1/)
    await writeFile(join(cwd, 'q.jsonl'), row('a', '99 million'))
    const second = await quaero(['eval', 'q.jsonl', '-d', 'marble.md', '--baseline', 'before.json'], { cwd })
    expect(second.out).toContain('a: the answer holds none of 99 million')
    expect(second.out).toMatch(/Passed before, and no longer \(1\)\n {2}a: /)
    expect(second.out).toMatch(/^Figure +Now +Before/)
    await writeFile(join(cwd, 'q.jsonl'), row('b', '81.1 million'))
    const third = await quaero(['eval', 'q.jsonl', '-d', 'marble.md', '--baseline', 'before.json'], { cwd })
    expect(third.out).toContain(
      'Compared over the 0 questions that both have: 1 of the earlier report are missing here',
    )
    const words = ['eval', 'q.jsonl', '-d', 'marble.md', '--baseline', 'before.json', '--json']
    const { comparison } = evalReport.parse(JSON.parse((await quaero(words, { cwd })).out))
    expect(comparison).toMatchObject({ onlyBefore: ['a'], onlyAfter: ['b'] })
  })

  it.each([
    ['50', [row('a', '81.1 million'), row('b', '99 million')], 0, ''],
    [
      '50.1',
      [row('a', '81.1 million'), row('b', '99 million')],
      1,
      'Fewer than 50.1 % passed: 1 of 2 that were judged.\n',
    ],
  ])(
    'with --fail-under %s exits with 1 where fewer passed, its report printed all the same',
    async (least, rows, code, err) => {
      const cwd = await folderOf()
      await writeFile(join(cwd, 'q.jsonl'), rows.join(''))
      const ended = await quaero(['eval', 'q.jsonl', '-d', 'marble.md', '-q', '--fail-under', least], { cwd })
      expect(ended).toMatchObject({ code, err, out: expect.stringMatching(/^Figure +Value/) })
    },
  )

  it('goes on where it was killed', { tags: ['slow'] }, async () => {
    const cwd = await folderOf()
    const ids = Array.from({ length: 40 }, (_, i) => `q${i}`)
    await writeFile(join(cwd, 'q.jsonl'), ids.map((id) => row(id, '81.1 million')).join(''))
    const words = ['eval', 'q.jsonl', '-d', 'marble.md', '--concurrency', '1']
    const { child, says, ended } = startQuaero(words, { cwd })
    await says(/^1\/40/m)
    child.kill('SIGKILL')
    await ended
    const { code, out, err } = await quaero(words, { cwd })
    expect(err).toMatch(/Continues after [1-9]\d? of 40 questions/)
    expect(out).toMatch(/passed +100\.0 % +40 of 40/)
    expect(code).toBe(0)
  })

  it.each([
    ['a dataset that is not there', ['eval', 'none.jsonl'], 'none.jsonl cannot be read'],
    ['a dataset that is none', ['eval', 'marble.md'], 'marble.md:1'],
    ['a baseline that is none', ['eval', 'q.jsonl', '--baseline', 'marble.md'], 'is no report of an evaluation'],
    ['a share above all', ['eval', 'q.jsonl', '--fail-under', '101'], 'a number from 0 to 100'],
    ['nothing to judge', ['eval', 'open.jsonl', '--fail-under', '0'], '--fail-under has nothing to go by'],
    ['a line that is no JSON', ['eval', 'halden.md'], 'halden.md:1: this is not JSON: # The Halden filter'],
    ['a tool that is none', ['eval', 'tool.jsonl'], 'a: there is no "serch" among the tools: pdf_retrieval, '],
    ['an agent that is none', ['eval', 'agent.jsonl'], 'a: there is no "writer" among the agents: orchestrator, '],
    ['a report in no folder', ['eval', 'q.jsonl', '--out', 'none/now.json'], 'There is no folder "none" to write'],
    ['a report below a file', ['eval', 'q.jsonl', '--out', 'q.jsonl/r.json'], 'not a directory'],
    ['a report that is a folder', ['eval', 'q.jsonl', '--out', '.'], 'is a folder, not a file'],
    ['a report in the place of its dataset', ['eval', 'q.jsonl', '--out', './q.jsonl'], 'is the dataset'],
    ['a library without documents', ['eval', 'q.jsonl', '--out', 'now.json'], 'There is nothing to search'],
    ['a concurrency of nothing', ['eval', 'q.jsonl', '--concurrency', '0'], 'whole number'],
  ])('refuses %s with exit 2', async (_, words, said) => {
    const cwd = await folderOf()
    await writeFile(join(cwd, 'q.jsonl'), row('a', 'x'))
    const expecting = (expect: unknown) => JSON.stringify({ id: 'a', question: 'Why?', expect })
    await writeFile(join(cwd, 'open.jsonl'), expecting({}))
    await writeFile(join(cwd, 'tool.jsonl'), expecting({ tools: { include: ['serch'] } }))
    await writeFile(join(cwd, 'agent.jsonl'), expecting({ agents: { exclude: ['writer'] } }))
    const { code, out, err } = await quaero(words, { cwd })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(said)
    expect(err).not.toMatch(/^\s+at /m)
    expect(await readdir(cwd)).not.toContain('now.json')
  })

  it.each([
    [401, 78],
    [404, 78],
    [503, 0],
  ])('a model whose endpoint answers %s has no good score, and ends with %s', async (status, exit) => {
    const cwd = await folderOf({ ...shortPapers, 'once.yaml': 'endpoint: { retries: 0 }\n' })
    await writeFile(join(cwd, 'q.jsonl'), ['a', 'b', 'c', 'd'].map((id) => row(id, '81.1 million')).join(''))
    const endpoint = await startEndpoint(() => ({ status, body: { error: { message: 'no' } } }))
    onTestFinished(() => endpoint.close())
    const env = { OPENAI_API_KEY: 'sk-test-0123456789abcdef', OPENAI_BASE_URL: endpoint.url }
    const words = [
      'eval',
      'q.jsonl',
      '-d',
      'marble.md',
      '-m',
      'openai:m',
      '--concurrency',
      '1',
      '--config',
      'once.yaml',
    ]
    const { code, out, err } = await quaero([...words, '-q'], { cwd, env })
    expect(code, err).toBe(exit)
    if (exit !== 0) {
      expect(endpoint.journal.length).toBeLessThan(4)
      expect(err).toContain('Stopped after 0 of 4; the same command continues.')
      return
    }
    expect(out).toMatch(/passed +0\.0 % +0 of 4/)
    expect(out).toMatch(/failures +4 /)
    expect(out).toContain('cost unknown')
    expect(err).toContain('4 runs failed or had a model that failed, counted as wrong. The first of them, a: ')
  })
})

function row(id: string, answer: string): string {
  const question = 'How many pages does the Marble corpus hold?'
  return `${JSON.stringify({ id, question, expect: { answers: [answer], documents: ['marble.md'] } })}\n`
}
