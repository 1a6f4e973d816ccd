import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { payloads } from '../../src/events/catalogue.ts'
import { type CommandOptions, type Ended, quaero, startQuaero } from '../fixtures/command-line.ts'
import { type Lines, speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { libraryFolder, papers } from '../fixtures/workflow.ts'

type Outputs = typeof jsonOutputs
type OutputName = keyof Outputs

const question = 'How many pages does the Marble corpus hold?'

describe('what --json prints fits its schema', () => {
  let folder: string
  let documentId: string
  let runId: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quaero-'))
    for (const [name, text] of Object.entries(papers)) await writeFile(join(folder, name), text)
    await writeFile(join(folder, 'torn.pdf'), 'This is no PDF.')
    const [added] = (await printed('add', ['add', 'torn.pdf', 'marble.md', 'halden.md'])).documents.slice(1)
    documentId = added?.documentId ?? ''
    runId = (await printed('ask', ['ask', question, '-t', 'talk'])).runId
    await printed('ask', ['ask', 'What did the Halden filter remove?', '-t', 'talk'])
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('add', async () => {
    const { documents, totals } = await printed('add', ['add', 'torn.pdf', 'marble.md'])
    expect(documents.map(({ status }) => status)).toEqual(['failed', 'unchanged'])
    expect(totals).toMatchObject({ failed: 1, unchanged: 1 })
  })

  it('search, with hits and without', async () => {
    const hits = await printed('search', ['search', 'Marble corpus Halden', '-k', '2'])
    expect(hits.map(({ rank }) => rank)).toEqual([1, 2])
    expect(await printed('search', ['search', 'zzyzx'])).toEqual([])
  })

  it('library list and text', async () => {
    const { documents } = await printed('library-list', ['library', 'list'])
    expect(documents.map(({ title }) => title).sort()).toEqual(['The Halden filter', 'The Marble corpus'])
    const { text, page } = await printed('library-text', ['library', 'text', documentId])
    expect([page, text]).toEqual([1, expect.stringContaining('81.1 million pages')])
  })

  it('threads list, show and export', async () => {
    const { threads } = await printed('threads-list', ['threads', 'list'])
    expect(threads).toMatchObject([{ threadId: 'talk', turns: 2, title: question }])
    const { messages } = await printed('threads-show', ['threads', 'show', 'talk'])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    const exported = await quaero(['threads', 'export', 'talk', '--format', 'json'], { cwd: folder })
    expect(fitting('threads-export', exported)).toMatchObject({ threadId: 'talk', runs: [{ runId }, {}] })
  })

  it('runs list, show and events, the last as one object and as lines', async () => {
    const { runs } = await printed('runs-list', ['runs', 'list', '--thread', 'talk'])
    expect(runs).toMatchObject([{ status: 'completed' }, { runId, status: 'completed' }])
    expect(await printed('runs-show', ['runs', 'show', runId])).toMatchObject({ runId, question })
    const { events } = await printed('runs-events', ['runs', 'events', runId])
    const lines = linesOf(await quaero(['runs', 'events', runId, '--jsonl'], { cwd: folder }))
    expect(lines).toEqual(events)
    expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1))
  })

  it('runs note, which runs show and threads show have too', async () => {
    const { note } = await printed('runs-note', ['runs', 'note', runId, 'Seen in print', '--user', 'ada'])
    expect(note).toMatchObject({ text: 'Seen in print', userId: 'ada' })
    expect((await printed('runs-show', ['runs', 'show', runId])).note).toEqual(note)
    const { messages } = await printed('threads-show', ['threads', 'show', 'talk'])
    expect(messages[1]?.note).toEqual(note)
    const exported = fitting('threads-export', await quaero(['threads', 'export', 'talk', '--json'], { cwd: folder }))
    expect(exported.messages[1]?.note).toEqual(note)
    expect(await printed('runs-note', ['runs', 'note', runId, ''])).toEqual({ note: null })
  })

  it('runs replay, export and import, threads fork and rename', async () => {
    expect(await printed('runs-replay', ['runs', 'replay', runId])).toEqual(
      await printed('runs-show', ['runs', 'show', runId]),
    )
    const moment = await printed('runs-replay.to', ['runs', 'replay', runId, '--to', '5'])
    expect(moment).toMatchObject({ position: 5, status: { state: 'running' }, result: { status: 'interrupted' } })
    const { out } = await quaero(['runs', 'export', runId], { cwd: folder })
    const elsewhere = await mkdtemp(join(tmpdir(), 'quaero-'))
    const imported = await quaero(['runs', 'import', '-', '--json'], { cwd: elsewhere, stdin: out })
    expect(fitting('runs-import', imported)).toEqual({ runId, threadId: 'talk' })
    // The documents are not there.
    const again = (await quaero(['runs', 'export', runId], { cwd: elsewhere })).out
    expect(again).toContain('"verified":false')
    expect(again.replaceAll('"verified":false', '"verified":true')).toBe(out)
    await rm(elsewhere, { recursive: true, force: true })
    const forked = await printed('threads-fork', ['threads', 'fork', 'talk', '--at', '1', '--as', 'aside'])
    expect(forked).toEqual({ threadId: 'aside', from: 'talk', turns: 1 })
    const renamed = await printed('threads-rename', ['threads', 'rename', 'aside', ' Page counts '])
    expect(renamed).toEqual({ threadId: 'aside', title: 'Page counts' })
    const { threads } = await printed('threads-list', ['threads', 'list'])
    expect(threads.map(({ title }) => title).sort()).toEqual([question, 'Page counts'])
    expect(await printed('threads-rename', ['threads', 'rename', 'aside', ''])).toMatchObject({ title: question })
    const tooLong = await printed('error', ['threads', 'rename', 'aside', 'x'.repeat(201)])
    expect(tooLong.error.code).toBe('usage')
    await quaero(['threads', 'delete', 'aside'], { cwd: folder })
  })

  it('doctor, config show', async () => {
    expect((await printed('doctor', ['doctor'])).ok).toBe(true)
    expect((await printed('doctor', ['doctor', '--verify'])).checks).toContainEqual({
      name: 'logs',
      ok: true,
      message: expect.stringContaining('each agrees with its log'),
    })
    const shown = await quaero(['config', 'show', '--json'], { cwd: folder, env: { OPENAI_API_KEY: 'sk-canary' } })
    expect(fitting('config-show', shown).environment).toMatchObject({ openaiApiKey: 'set', home: folder })
    expect(shown.out).not.toContain('canary')
  })

  it('errors', async () => {
    const { error } = await printed('error', ['threads', 'show', 'nobody'])
    expect(error.code).toBe('thread_not_found')
  })

  async function printed<N extends OutputName>(name: N, words: readonly string[]): Promise<z.output<Outputs[N]>> {
    return fitting(name, await quaero([...words, '--json'], { cwd: folder }))
  }
})

/** How a run comes to each of its statuses. */
interface Way {
  readonly status: string
  readonly exit: number
  /** The type of the last line of the stream. */
  readonly ending: string
  readonly lines?: Lines
  readonly question?: string
  readonly words?: readonly string[]
  readonly settings?: string
  /** Ctrl-C once the model is asked for the answer. */
  readonly stop?: boolean
}

const waiting: Way = {
  status: 'requires_action',
  exit: 4,
  ending: 'run.interrupted',
  settings: 'tools: { trust: strict }\n',
}

const ways: readonly (readonly [what: string, way: Way])[] = [
  ['an answer', { status: 'completed', exit: 0, ending: 'run.completed' }],
  [
    'an abstention',
    {
      status: 'completed',
      exit: 0,
      ending: 'run.completed',
      lines: { synthesis: { content: '<abstain/>' } },
    },
  ],
  [
    'quotes, since the model fails',
    {
      status: 'completed',
      exit: 0,
      ending: 'run.completed',
      lines: { synthesis: { status: 400, body: { error: { message: 'no' } } } },
    },
  ],
  [
    'a question back',
    {
      status: 'clarification_needed',
      exit: 0,
      ending: 'run.completed',
      lines: {
        orchestrator: {
          content: JSON.stringify({
            route: 'clarification',
            standaloneQuestion: 'How large is it?',
            missingContext: ['which corpus'],
            candidates: [],
          }),
        },
      },
    },
  ],
  ['a limit', { status: 'limit_reached', exit: 3, ending: 'run.completed', words: ['--max-steps', '2'] }],
  ['an approval to give', waiting],
  [
    'a rejected key',
    { status: 'failed', exit: 78, ending: 'run.failed', lines: { orchestrator: { status: 401, body: {} } } },
  ],
  [
    'an account without credit',
    {
      status: 'failed',
      exit: 1,
      ending: 'run.failed',
      lines: { orchestrator: { status: 429, body: { error: { message: 'no', code: 'insufficient_quota' } } } },
    },
  ],
  [
    'Ctrl-C',
    {
      status: 'interrupted',
      exit: 130,
      ending: 'run.interrupted',
      lines: { synthesis: { ...usualLines.synthesis, stall: 'middle' } },
      stop: true,
    },
  ],
]

describe('a run that ends with', () => {
  it.each(ways)('%s prints a result that fits its schema, now and later', async (_, way) => {
    const { options, ended } = await run(way, '--json')
    // Only what was printed to be kept is proved; the log is there to be asked again.
    const { digest, ...result } = fitting('ask', ended)
    expect([ended.code, result.status, digest.length]).toEqual([way.exit, way.status, 64])
    const shown = await quaero(['runs', 'show', result.runId, '--json'], options)
    expect(fitting('runs-show', shown)).toEqual(result)
  })

  it.each(ways)('%s prints its events, from its beginning to its ending', { tags: ['U1'] }, async (_, way) => {
    const { options, ended } = await run(way, '--jsonl')
    expect(ended.code).toBe(way.exit)
    const lines = linesOf(ended)
    expect(lines[0]).toMatchObject({ type: 'run.created', position: 1, runId: expect.any(String), threadId: 'talk' })
    expect(lines.at(-1)?.type).toBe(way.ending)
    expect(new Set(lines.map(({ runId, threadId }) => `${runId} ${threadId}`)).size).toBe(1)

    const stored = lines.filter(({ position }) => position !== undefined)
    const logged = await quaero(['runs', 'events', String(lines[0]?.runId), '--jsonl'], options)
    expect(stored).toEqual(linesOf(logged))
    const passing = lines.filter(({ position }) => position === undefined).map(({ type }) => type)
    expect(['message.delta', 'status.changed']).toEqual(expect.arrayContaining([...new Set(passing)]))
  })

  it('an approval prints a result that fits its schema once it is given, and as a stream', async () => {
    const { options, ended } = await run({ ...waiting, words: ['-m', 'extractive'] }, '--json')
    const { runId } = fitting('ask', ended)
    const resumed = linesOf(
      await quaero(['runs', 'resume', runId, '--approve', 'all', '--jsonl', '--config', 'settings.yaml'], options),
    )
    expect(resumed[0]).toMatchObject({ type: 'run.started', runId, threadId: 'talk' })
    expect(resumed.at(-1)?.type).toBe('run.completed')
    expect(fitting('runs-show', await quaero(['runs', 'show', runId, '--json'], options)).status).toBe('completed')
  })

  it('a cancellation is shown with a result that fits its schema', async () => {
    const { options, ended } = await run(waiting, '--json')
    const { runId } = fitting('ask', ended)
    expect((await quaero(['runs', 'cancel', runId], options)).code).toBe(0)
    expect(fitting('runs-show', await quaero(['runs', 'show', runId, '--json'], options)).status).toBe('cancelled')
  })

  async function run(
    { lines, words = [], settings, stop }: Way,
    format: '--json' | '--jsonl',
  ): Promise<{ readonly options: CommandOptions; readonly ended: Ended }> {
    const cwd = await libraryFolder()
    const endpoint = await speakingEndpoint(lines)
    const options = { cwd, env: endpoint.env }
    if (settings) await writeFile(join(cwd, 'settings.yaml'), settings)
    const given = ['ask', question, '-t', 'talk', format, ...words, ...(settings ? ['--config', 'settings.yaml'] : [])]
    if (!stop) return { options, ended: await quaero(given, options) }
    const running = startQuaero(given, options)
    await endpoint.asked('synthesis')
    running.child.kill('SIGINT')
    return { options, ended: await running.ended }
  }
})

/** The one object on stdout, which must fit the output's schema. */
function fitting<N extends OutputName>(name: N, { out, err }: Ended): z.output<Outputs[N]> {
  const parsed = jsonOutputs[name].safeParse(parse(out))
  expect(parsed.error?.message ?? '', err).toBe('')
  return parsed.data as z.output<Outputs[N]>
}

type Line = z.output<Outputs['ask.jsonl-line']>

/** The objects on stdout, one a line; each fits the schema of a line, and its payload that of its type. */
function linesOf({ out }: Ended): readonly Line[] {
  return out
    .trimEnd()
    .split('\n')
    .map((text) => {
      const line = jsonOutputs['ask.jsonl-line'].parse(parse(text))
      if (line.type !== 'status.changed') payloads[line.type as keyof typeof payloads].parse(line.payload)
      return line
    })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`This is not one JSON object: ${text.slice(0, 500)}`)
  }
}
