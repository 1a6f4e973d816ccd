import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Quaero, StoredEvent, StreamEvent } from '../../../src/index.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/sqlite-storage.ts'
import { textFormat, yamlFormat } from '../../../src/tracing/session-format.ts'
import { sessionLogs } from '../../../src/tracing/session-logs.ts'
import { cited, libraryFolder, openWorkflow, route, search, temporaryFolder } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const answer = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const turns = (count: number) => ({
  orchestrator: Array(count).fill(route()),
  research: Array(count)
    .fill([search('Marble corpus pages'), 'Done.'])
    .flat(),
  synthesis: Array(count).fill(answer),
})

type Options = Parameters<typeof openWorkflow>[1]

/** A workflow on a data directory of its own, with its session logs. */
async function withLogs(script: Parameters<typeof openWorkflow>[0], options: Options = {}) {
  const dataDir = options.dataDir ?? (await libraryFolder())
  const { quaero, model } = await openWorkflow(script, { ...options, dataDir })
  const folder = join(dataDir, 'sessions')
  const yaml = async (threadId: string) => parse(await readFile(join(folder, `${threadId}.yaml`), 'utf8'))
  const text = (threadId: string) => readFile(join(folder, `${threadId}.log`), 'utf8')
  return { quaero, model, dataDir, folder, yaml, text }
}

/** Every file of a folder with what it holds. */
async function filesIn(folder: string): Promise<Record<string, string>> {
  const names = existsSync(folder) ? (await readdir(folder)).sort() : []
  const files = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)
  return Object.fromEntries(await Promise.all(files))
}

async function printed(quaero: Quaero, threadId: string, format: 'text' | 'yaml'): Promise<string> {
  let all = ''
  for await (const piece of quaero.threads.log(threadId, format)) all += piece
  return all
}

const stopping = () => {
  const stop = new AbortController()
  const say = () => {
    stop.abort()
    return 'Never heard.'
  }
  return { signal: stop.signal, say }
}

/** Each brings a thread to what its name says, in the engine it is given the script and settings for. */
const strict = { tools: { trust: 'strict' } } as const
type Case = {
  readonly script?: Parameters<typeof openWorkflow>[0]
  readonly options?: Options
  readonly live: (quaero: Quaero) => Promise<unknown>
  /** Of which there are files in the end. */
  readonly threads?: readonly string[]
}
const interrupted = stopping()
const cases: Readonly<Record<string, Case>> = {
  answered: { live: (quaero) => quaero.ask(question, { threadId: 't' }) },
  'answered three times': {
    live: async (quaero) => {
      for (let i = 0; i < 3; i += 1) await quaero.ask(question, { threadId: 't' })
    },
  },
  abstained: {
    script: { ...turns(1), synthesis: ['<abstain/>'] },
    live: (quaero) => quaero.ask(question, { threadId: 't' }),
  },
  clarified: {
    script: { orchestrator: [route({ route: 'clarification' })], clarification: ['Which one?'] },
    live: (quaero) => quaero.ask('How many?', { threadId: 't' }),
  },
  limited: {
    script: { ...turns(1), research: [search('a'), search('b')] },
    live: (quaero) => quaero.ask(question, { threadId: 't', limits: { rounds: 1 } }),
  },
  failed: {
    options: { hooks: { name: 'broken', tool: () => Promise.reject(new Error('no\n=== turn 9, run x')) } },
    live: (quaero) => quaero.ask(question, { threadId: 't' }),
  },
  'waiting for approval': {
    options: { settings: strict },
    live: (quaero) => quaero.ask(question, { threadId: 't' }),
  },
  approved: {
    options: { settings: strict },
    live: async (quaero) => {
      const { runId, approvals } = await quaero.ask(question, { threadId: 't' })
      await quaero.resume(runId, { [approvals[0]?.id ?? '']: { approved: true } })
    },
  },
  'cancelled while it waits': {
    options: { settings: strict },
    live: async (quaero) => quaero.cancel((await quaero.ask(question, { threadId: 't' })).runId),
  },
  'stopped, followed by another turn, and resumed behind it': {
    script: { ...turns(2), orchestrator: [interrupted.say, route(), route()] },
    live: async (quaero) => {
      const { runId } = await quaero.ask(question, { threadId: 't', signal: interrupted.signal })
      await quaero.ask(question, { threadId: 't' })
      await quaero.resume(runId)
    },
  },
  'reset between two turns': {
    live: async (quaero) => {
      await quaero.ask(question, { threadId: 't' })
      await quaero.threads.reset('t')
      await quaero.ask(question, { threadId: 't' })
    },
  },
  'forked and continued': {
    threads: ['fork', 't'],
    live: async (quaero) => {
      await quaero.ask(question, { threadId: 't' })
      await quaero.threads.fork('t', { as: 'fork' })
      await quaero.ask(question, { threadId: 'fork' })
    },
  },
  imported: {
    threads: ['moved'],
    live: async (quaero) => {
      const { quaero: elsewhere } = await openWorkflow(turns(1))
      const { runId } = await elsewhere.ask(question, { threadId: 'moved' })
      await quaero.runs.import(await elsewhere.runs.export(runId))
    },
  },
  deleted: {
    threads: [],
    live: async (quaero) => {
      await quaero.ask(question, { threadId: 't' })
      await quaero.threads.delete('t')
    },
  },
}

describe('the session logs of a data directory', () => {
  it.each(Object.entries(cases))(
    'of a thread that was %s are, byte for byte, what the event log gives again',
    { tags: ['H10'] },
    async (_, { script = turns(3), options = {}, live, threads = ['t'] }) => {
      const { quaero, folder, dataDir } = await withLogs(script, options)
      await live(quaero)
      await quaero.close()
      const before = await filesIn(folder)
      expect(Object.keys(before)).toEqual(threads.flatMap((id) => [`${id}.log`, `${id}.yaml`]))
      await rm(folder, { recursive: true, force: true })
      const { quaero: later } = await withLogs({}, { dataDir })
      await later.threads.rebuildLogs()
      expect(await filesIn(folder)).toEqual(before)
      for (const id of threads) {
        expect(await printed(later, id, 'text')).toBe(before[`${id}.log`])
        expect(await printed(later, id, 'yaml')).toBe(before[`${id}.yaml`])
        expect(() => parse(before[`${id}.yaml`] ?? '')).not.toThrow()
      }
    },
  )

  it('of a run that crashed hold what was settled, before it is resumed and after', { tags: ['H10'] }, async () => {
    const { quaero, dataDir, folder, yaml } = await withLogs(turns(2), { settings: strict })
    const { runId, approvals } = await quaero.ask(question, { threadId: 't' })
    await quaero.close()
    // A process that died right after it had taken the run up again.
    const storage = await openSqliteStorage({ path: join(dataDir, 'quaero.db') })
    const log = []
    for await (const event of storage.events.read(runId)) log.push(event)
    const started = log.findLast(({ type }) => type === 'run.started')
    expect(started).toBeDefined()
    if (started?.type === 'run.started') {
      const { position: _, ...again } = { ...started, id: 'again', payload: { ...started.payload, attempt: 2 } }
      await storage.events.append(again)
    }
    await storage.close()

    const before = await filesIn(folder)
    const rest = { research: ['Done.'], synthesis: [answer] }
    const { quaero: later } = await withLogs(rest, { dataDir, settings: strict })
    await later.threads.rebuildLogs()
    expect(await filesIn(folder)).toEqual(before)
    expect((await yaml('t')).turns).toMatchObject([{ status: 'requires_action', attempts: 1 }])

    await later.resume(runId, { [approvals[0]?.id ?? '']: { approved: true } })
    await later.close()
    expect((await yaml('t')).turns).toMatchObject([{ status: 'completed', attempts: 3 }])
    const settled = await filesIn(folder)
    await rm(folder, { recursive: true })
    const { quaero: last } = await withLogs({}, { dataDir })
    await last.threads.rebuildLogs()
    expect(await filesIn(folder)).toEqual(settled)
  })

  it('tell of each turn what was asked, called, spent and said', { tags: ['H9', 'H10'] }, async () => {
    const usage = { inputTokens: 100, outputTokens: 10 }
    const { quaero, yaml, text } = await withLogs(turns(1), { settings: strict, usage })
    const { runId, approvals } = await quaero.ask(question, { threadId: 't' })
    const id = approvals[0]?.id ?? ''
    const result = await quaero.resume(runId, { [id]: { approved: true } })
    await quaero.close()
    const session = await yaml('t')
    expect(session).toMatchObject({ agent: 'quaero', thread: 't', model: expect.any(String) })
    expect(session.started).toBe(session.turns[0].started)
    expect(session.turns).toMatchObject([
      {
        turn: 1,
        runId,
        status: 'completed',
        attempts: 2,
        input: question,
        modelCalls: 4,
        tokens: { input: 400, output: 40 },
        // The scripted model has no price.
        cost: null,
        toolsCalled: [{ name: 'pdf_retrieval', args: { query: 'Marble corpus pages' }, status: 'success' }],
        approvals: [{ callId: id, tool: 'pdf_retrieval', approved: true, reason: null }],
        result: result.answer,
        citations: [{ marker: 1, quote: 'holds 81.1 million pages' }],
      },
    ])
    const [turn] = session.turns
    expect(turn.messages.map(({ role, scope }: { role: string; scope: string }) => `${role} ${scope}`)).toContain(
      'assistant thread',
    )
    expect(await text('t')).toMatch(/asked: How many pages[\s\S]*waits for approval: pdf_retrieval[\s\S]*cost unknown/)
  })

  it('mark where a conversation was reset, and are kept', { tags: ['H15'] }, async () => {
    const { quaero, yaml, text } = await withLogs(turns(2))
    await quaero.ask(question, { threadId: 't' })
    await quaero.threads.reset('t')
    await quaero.ask(question, { threadId: 't' })
    await quaero.close()
    expect((await yaml('t')).turns.map(({ afterReset }: { afterReset?: boolean }) => afterReset)).toEqual([
      undefined,
      true,
    ])
    expect(await text('t')).toContain('a new conversation; asked:')
  })
})

describe('a session log that cannot be written', () => {
  it('is told once, and hurts no run', { tags: ['H10', 'U7'] }, async () => {
    const notices: string[] = []
    const dataDir = await libraryFolder()
    // Where the folder should be, there is a file.
    await writeFile(join(dataDir, 'sessions'), 'in the way')
    const { quaero } = await openWorkflow(turns(2), { dataDir, onNotice: (message) => notices.push(message) })
    expect((await quaero.ask(question, { threadId: 't' })).status).toBe('completed')
    expect((await quaero.ask(question, { threadId: 't' })).status).toBe('completed')
    await expect(quaero.threads.rebuildLogs()).rejects.toMatchObject({ code: 'storage_unavailable' })
    await quaero.close()
    expect(notices).toEqual([expect.stringMatching(/sessions cannot be written: EEXIST.* not affected; .*--rebuild/)])
  })
})

describe('session logs', () => {
  it('are kept as the settings say: not at all, in one format, elsewhere', { tags: ['H10'] }, async () => {
    const elsewhere = await temporaryFolder()
    const filesWith = async (sessionLogs: object) => {
      const folder = await libraryFolder()
      const { quaero } = await openWorkflow(turns(1), { dataDir: folder, settings: { sessionLogs } })
      await quaero.ask(question, { threadId: 't' })
      await quaero.close()
      return [Object.keys(await filesIn(join(folder, 'sessions'))), Object.keys(await filesIn(elsewhere))]
    }
    expect(await filesWith({ text: false, yaml: false })).toEqual([[], []])
    expect(await filesWith({ text: false })).toEqual([['t.yaml'], []])
    expect(await filesWith({ folder: elsewhere })).toEqual([[], ['t.log', 't.yaml']])
  })

  it('are not kept for a data directory in memory, and say so where they are asked for', {
    tags: ['H10'],
  }, async () => {
    const { quaero } = await openWorkflow({}, { dataDir: ':memory:' })
    await expect(quaero.threads.rebuildLogs()).rejects.toMatchObject({ code: 'usage' })
  })

  it('are written aside from the run: its ending is told before its turn is in the file', {
    tags: ['U7'],
  }, async () => {
    const dataDir = await libraryFolder()
    const path = join(dataDir, 'sessions', 't.yaml')
    const there: boolean[] = []
    const watch = ({ type }: StreamEvent) => {
      if (type === 'run.completed') there.push(existsSync(path))
    }
    const { quaero } = await openWorkflow(turns(1), { dataDir, subscribers: [watch] })
    await quaero.ask(question, { threadId: 't' })
    await quaero.close()
    expect([...there, existsSync(path)]).toEqual([false, true])
  })
})

describe('a session file', () => {
  it('grows by the turn alone: nothing that was written is written again', { tags: ['H10', 'Q7'] }, async () => {
    const { folder, end } = await endedTurns(8)
    const path = join(folder, 't.yaml')
    const grown: number[] = []
    let before = ''
    for (let turn = 1; turn <= 8; turn += 1) {
      const inode = existsSync(path) ? (await stat(path)).ino : null
      await end(turn)
      const now = await readFile(path, 'utf8')
      expect(now.startsWith(before)).toBe(true)
      if (inode !== null) expect((await stat(path)).ino).toBe(inode)
      grown.push(now.length - before.length)
      before = now
    }
    const [, second = 0, ...rest] = grown
    for (const each of rest) expect(each / second).toBeLessThan(1.1)
  })

  it('is made whole again where turns are missing', { tags: ['H10'] }, async () => {
    const { folder, end } = await endedTurns(4)
    await end(1)
    await end(2)
    const afterTwo = await filesIn(folder)
    await end(3)
    const afterThree = await filesIn(folder)
    for (const [name, text] of Object.entries(afterTwo)) await writeFile(join(folder, name), text)
    await end(4)
    const whole = await filesIn(folder)
    for (const [name, text] of Object.entries(whole)) expect(text.startsWith(afterThree[name] ?? '?'), name).toBe(true)
    await rm(folder, { recursive: true })
    await end(4)
    expect(await filesIn(folder)).toEqual(whole)
  })

  it('can be read wherever the writing of a turn was broken off, and is made whole by the next', {
    tags: ['H10'],
  }, async () => {
    const { folder, end } = await endedTurns(3)
    const path = join(folder, 't.yaml')
    await end(1)
    const first = await readFile(path, 'utf8')
    await end(2)
    const second = (await readFile(path, 'utf8')).slice(first.length)
    await end(3)
    const whole = await filesIn(folder)
    // Until its last byte is written, a turn begins with "- |": below it, whatever is there is one text.
    const unsealed = second.replace('-  ', '- |')
    for (let length = 3; length <= unsealed.length; length += 41) {
      const { turns: read } = parse(first + unsealed.slice(0, length))
      expect(read[0]).toMatchObject({ turn: 1, status: 'completed' })
    }
    for (const length of [3, 200, unsealed.length]) {
      await writeFile(path, first + unsealed.slice(0, length))
      await writeFile(join(folder, 't.log'), (whole['t.log'] ?? '').slice(0, 900))
      await end(3)
      expect(await filesIn(folder)).toEqual(whole)
    }
  })
})

/** The logs of so many turns, and session logs that are told of their endings one by one. */
async function endedTurns(count: number) {
  const dataDir = await libraryFolder()
  const off = { sessionLogs: { text: false, yaml: false } }
  const { quaero } = await openWorkflow(turns(count), { dataDir, settings: off })
  const runs = new Map<string, StoredEvent[]>()
  for (let turn = 1; turn <= count; turn += 1) {
    const { runId } = await quaero.ask(question, { threadId: 't' })
    const log: StoredEvent[] = []
    for await (const event of quaero.runs.events(runId)) log.push(event)
    runs.set(runId, log)
  }
  const folder = join(await temporaryFolder(), 'sessions')
  let known = 0
  const logs = sessionLogs({
    folder,
    formats: [textFormat, yamlFormat],
    logOf: async (runId) => runs.get(runId) ?? [],
    logsOf: async function* () {
      yield* [...runs.values()].slice(0, known)
    },
    onNotice: (message) => {
      throw new Error(message)
    },
  })
  const end = async (turn: number) => {
    known = turn
    const runId = [...runs.keys()][turn - 1] ?? ''
    const payload = { from: 'running', to: 'completed', trigger: 'run.completed' } as const
    const line = { id: 'x', type: 'status.changed', timestamp: '', correlationId: runId, payload } as const
    await logs.subscriber({ ...line, runId, threadId: 't' })
    await logs.subscriber.flush?.()
  }
  return { folder, end }
}

it('no credential is whole in a session log that was parted by control characters', { tags: ['T10'] }, async () => {
  const parted = 'Quince-\u0007Canary-4711 and sk-\u0007planted-9f8e7d6c5b'
  const { quaero, yaml, text } = await withLogs(turns(1), { env: { OPENAI_API_KEY: 'Quince-Canary-4711' } })
  await quaero.ask(`${question} My keys: ${parted}`, { threadId: 't' })
  await quaero.close()
  const both = [await text('t'), JSON.stringify(await yaml('t'))]
  for (const each of both) {
    expect(each).toContain('My keys: ****************** and [redacted]')
    expect(each).not.toMatch(/Canary|planted/)
  }
})
