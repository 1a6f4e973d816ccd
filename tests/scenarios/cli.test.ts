import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import {
  type CommandOptions,
  quaero as command,
  type Ended,
  type Running,
  startQuaero,
} from '../fixtures/command-line.ts'

const root = join(import.meta.dirname, '..', '..')
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quaero-cli-'))
  mkdirSync(join(folder, 'papers'))
  writeFileSync(
    join(folder, 'papers', 'lanterns.md'),
    '# Lantern fish\n\nThe lantern fish of Lake Orrin grow to 14 centimetres. They feed on copepods at night.\n',
  )
  writeFileSync(join(folder, 'papers', 'broken.pdf'), 'This is no PDF.')
  writeFileSync(join(folder, 'strict.yaml'), 'tools: { trust: strict }\n')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the command line without work to do', () => {
  it.each(['--help', '--version', 'runs resume -h'])(
    'loads neither LangGraph nor the OpenAI client for %s',
    { tags: ['TRAP37'] },
    async (words) => {
      const coverage = mkdtempSync(join(folder, 'coverage-'))
      const { code, out, err } = await quaero(words, { env: { NODE_V8_COVERAGE: coverage } })
      expect([code, err]).toEqual([0, ''])
      expect(out).not.toBe('')
      const loaded = readdirSync(coverage)
        .map((file) => readFileSync(join(coverage, file), 'utf8'))
        .join('')
      expect(loaded).toContain('dist/cli/main.js')
      expect(loaded).not.toMatch(/langgraph|@langchain|node_modules\/(openai|zod|better-sqlite3)\//)
    },
  )

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect((await quaero('--version')).out).toBe(`${version}\n`)
  })

  it.each([
    ['no command', ''],
    ['an unknown command', 'frobnicate'],
    ['a group without its command', 'threads show'],
    ['an unknown option', 'ask why --frobnicate'],
    ['a wrong number', 'ask why --max-steps many'],
    ['nothing on stdin', 'ask'],
  ])('exits with 2 on %s, and keeps stdout empty', async (_, words) => {
    const { code, out, err } = await quaero(words)
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/^Usage: quaero|There is no question|^error: .+\nTry: quaero [\w ]*--help\n$/)
  })

  it('exits with 2 and prints an object with --json', async () => {
    const { code, out } = await start('ask why --frobnicate --json').ended
    expect(code).toBe(2)
    expect(JSON.parse(out)).toEqual({ error: { code: 'usage', message: "unknown option '--frobnicate'" } })
  })

  it('exits with 78 where the configuration cannot be read', async () => {
    const { code, out, err } = await start('config show --config nowhere.yaml --json').ended
    expect(code).toBe(78)
    expect(JSON.parse(out).error.code).toBe('config_invalid')
    expect(err).toContain('nowhere.yaml')
  })

  it('is quiet about a reader that goes away', async () => {
    const running = start('--help')
    running.child.stdout?.destroy()
    expect(await running.ended).toMatchObject({ code: 0, err: '' })
  })
})

describe('the command line at work', () => {
  it('answers a question from a folder, with no key and no terminal', async () => {
    const words = ['ask', 'How long do lantern fish grow?', '-d', 'papers']
    const { code, out, err } = await start(words, inFolder('ask')).ended
    expect(code).toBe(0)
    expect(out).toContain('14 centimetres')
    expect(out).toContain('[1]')
    expect(out).not.toContain('\u001b')
    expect(err).toMatch(/^1\/2 papers\//m)
    expect(err).toMatch(/^papers\/broken\.pdf could not be read: /m)
  })

  it('goes on with the latest thread, and prints one object with --json', async () => {
    const { code, out } = await quaero(['ask', '-c', 'What do lantern fish feed on?', '--json'], inFolder('ask'))
    expect(code).toBe(0)
    expect(jsonOutputs.ask.parse(JSON.parse(out))).toMatchObject({ status: 'completed', turn: 2 })
  })

  it('prints the event stream with --jsonl, each line with run and thread', { tags: ['U1'] }, async () => {
    const { out } = await quaero(['ask', 'What do lantern fish feed on?', '--jsonl', '-t', 'lines'], inFolder('ask'))
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => jsonOutputs['ask.jsonl-line'].parse(JSON.parse(line)))
    expect(lines[0]?.type).toBe('run.created')
    expect(lines.at(-1)?.type).toBe('run.completed')
    expect(new Set(lines.map(({ runId, threadId }) => `${runId} ${threadId}`))).toEqual(
      new Set([`${lines[0]?.runId} lines`]),
    )
  })

  it('prints a page whose text a citation points into', async () => {
    const asked = await quaero(['ask', 'What do lantern fish feed on?', '--json', '-q'], inFolder('ask'))
    const { citations } = jsonOutputs.ask.parse(JSON.parse(asked.out))
    const { documentId, page, start: from, end, quote } = citations[0]!
    const { out } = await quaero(`library text ${documentId} --page ${page}`, inFolder('ask'))
    expect(out.slice(from, end)).toBe(quote)
  })

  it('exits with 2 where there is nothing to search, and says what to add', async () => {
    const { code, out, err } = await quaero(['ask', 'Why?', '--json'], inFolder('empty'))
    expect(code).toBe(2)
    expect(jsonOutputs.error.parse(JSON.parse(out)).error.code).toBe('no_documents')
    expect(err).toContain('quaero add')
  })

  it('exits with 2 on a path that does not exist', { tags: ['R29'] }, async () => {
    const { code, err } = await quaero('add nowhere', inFolder('empty'))
    expect(code).toBe(2)
    expect(err).toContain('nowhere')
  })

  it('waits for approval with 4, and goes on when it is given', { tags: ['L8'] }, async () => {
    const where = { ...inFolder('approval'), config: 'strict.yaml' }
    const asked = await quaero(['ask', 'How long do lantern fish grow?', '-d', 'papers', '--json'], where)
    expect(asked.code).toBe(4)
    const { runId, approvals } = jsonOutputs.ask.parse(JSON.parse(asked.out))
    expect(asked.err).toContain(`quaero runs resume ${runId.slice(0, 8)}`)
    // What was found asks for what stands around it, which is another call.
    expect((await quaero(['runs', 'resume', runId, '--approve', approvals[0]!.id, '--json'], where)).code).toBe(4)
    const resumed = await quaero(['runs', 'resume', runId, '--approve', 'all', '--json'], where)
    expect(resumed.code).toBe(0)
    expect(jsonOutputs.ask.parse(JSON.parse(resumed.out))).toMatchObject({ runId, status: 'completed' })
  })

  it('holds a conversation with a pipe', async () => {
    const lines = 'How long do lantern fish grow?\nWhat do lantern fish feed on?\n/exit\n'
    const { code, out } = await quaero('chat -d papers/lanterns.md', { ...inFolder('chat'), stdin: lines })
    expect(code).toBe(0)
    expect(out.split('[1] Lantern fish')).toHaveLength(3)
    const listed = await quaero('threads list --json', inFolder('chat'))
    expect(jsonOutputs['threads-list'].parse(JSON.parse(listed.out)).threads).toMatchObject([
      { title: 'How long do lantern fish grow?', turns: 2 },
    ])
  })
})

interface Surroundings {
  readonly dataDir?: string
  readonly config?: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

function inFolder(name: string): Surroundings {
  return { dataDir: join(folder, name) }
}

function quaero(words: string | readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  return command(...placed(words, surroundings))
}

/** In a process of its own. */
function start(words: string | readonly string[], surroundings: Surroundings = {}): Running {
  return startQuaero(...placed(words, surroundings))
}

function placed(
  words: string | readonly string[],
  { dataDir, config, ...options }: Surroundings,
): [words: readonly string[], options: CommandOptions] {
  const given = typeof words === 'string' ? words.split(' ').filter(Boolean) : words
  const place = [...(dataDir ? ['--data-dir', dataDir] : []), ...(config ? ['--config', config] : [])]
  return [[...given, ...place], { cwd: folder, ...options }]
}
