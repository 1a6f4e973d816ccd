/**
 * Two canaries, one the configured key, the other a person's own text that is shaped like one, are planted in one place
 * after the other; then everything that a run leaves behind is looked at.
 */

import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { loadConfig, type SettingsOverrides } from '../../../src/config.ts'
import { RecoverableError } from '../../../src/errors.ts'
import type { ToolResult } from '../../../src/events/index.ts'
import { consoleLog, createQuaero, defineTool, type Plugin, type Quaero, type StreamEvent } from '../../../src/index.ts'
import type { RunResult } from '../../../src/runs/log/result.ts'
import { startTraceServer } from '../../fixtures/langfuse/trace-server.ts'
import { quickAndSlow } from '../../fixtures/quick-rows.ts'
import { type Lines, speakingEndpoint, usualLines } from '../../fixtures/speaking-endpoint.ts'
import { libraryFolder } from '../../fixtures/workflow.ts'

const configured = 'Quince-Canary-4711'
const own = 'sk-planted-9f8e7d6c5b'
const both = `${configured} and ${own}`
const question = 'How many pages does the Marble corpus hold?'

class LookupFailed extends RecoverableError {
  readonly code = 'lookup_failed'
}

interface Stage {
  readonly quaero: Quaero
  readonly folder: string
  readonly ask: (question: string, options?: Parameters<Quaero['ask']>[1]) => Promise<RunResult>
}

interface Place {
  readonly name: string
  readonly lines?: Lines
  readonly env?: Readonly<Record<string, string>>
  readonly settings?: SettingsOverrides
  readonly hooks?: Plugin
  /** What the tool `lookup` does. */
  readonly lookup?: () => string | ToolResult
  readonly act?: (stage: Stage) => Promise<unknown>
  /** The text is a person's own, or a model's: the log keeps it as it was written. */
  readonly isKept?: boolean
  /** The library itself holds the credential, since a document does. */
  readonly isInLibrary?: boolean
}

const looksUp = (args: object = { text: 'pages' }): Lines => ({
  research: [{ toolCalls: [{ name: 'lookup', args }, ...usualLines.research[0].toolCalls] }, { content: 'Found.' }],
})

function fail(error: Error): never {
  throw error
}

const places: readonly Place[] = [
  { name: 'the question', act: ({ ask }) => ask(`${question} My keys are ${both}.`), isKept: true },
  {
    name: 'a follow-up question',
    act: async ({ ask }) => {
      await ask(question, { threadId: 'talk' })
      await ask(`And without ${both}?`, { threadId: 'talk' })
    },
    isKept: true,
  },
  {
    name: 'the name of a file that is not there',
    act: ({ ask }) => ask(question, { documents: [`/nowhere/${configured}/${own}.md`] }),
  },
  { name: 'tool arguments, as a model writes them', lines: looksUp({ text: both, apiKey: own }), isKept: true },
  { name: 'the result of a tool', lines: looksUp(), lookup: () => `It says ${both}.`, isKept: true },
  {
    name: "a tool's unknown exception, and its cause",
    lines: looksUp(),
    lookup: () => fail(new Error(`refused ${both}`, { cause: { headers: { authorization: both } } })),
  },
  {
    name: "a tool's failure that the model is told",
    lines: looksUp(),
    lookup: () => fail(new LookupFailed(`Bearer ${configured} is not ${own}`)),
  },
  {
    name: 'what a tool has to say beside its result',
    lines: looksUp(),
    lookup: () => ({ content: 'Nothing.', notices: [{ code: 'lookup_slow', message: both }] }),
  },
  {
    name: 'why an endpoint is asked again',
    lines: { synthesis: [{ status: 503, body: { error: { message: both } } }, usualLines.synthesis] },
    settings: { endpoint: { retries: 1 } },
  },
  {
    name: 'what a model answers',
    lines: { synthesis: { content: `${usualLines.synthesis.content} My keys are ${both}.` } },
    isKept: true,
  },
  {
    name: 'what an endpoint says when it rejects the key',
    lines: { orchestrator: { status: 401, body: { error: { message: `Incorrect API key provided: ${both}` } } } },
  },
  {
    name: 'what an endpoint says when it rejects the request',
    lines: { synthesis: { status: 400, body: { error: { message: `No: ${both}`, code: own } } } },
  },
  {
    name: 'the headers of an answer',
    lines: { orchestrator: { status: 200, headers: { 'content-type': `text/${own}`, 'x-key': both }, body: both } },
  },
  {
    name: 'a base URL with user name and password',
    env: { OPENAI_BASE_URL: `http://me:${configured}@127.0.0.1:9/v1` },
  },
  {
    name: 'a base URL with a key in its query',
    env: { OPENAI_BASE_URL: `http://127.0.0.1:9/v1?api_key=${configured}` },
  },
  {
    name: 'a base URL of the settings, of a server that is not there',
    settings: { endpoint: { baseUrl: `http://127.0.0.1:9/v1?api_key=${own}`, retries: 0 } },
  },
  { name: 'the id of a thread', act: ({ ask }) => ask(question, { threadId: configured }) },
  { name: 'the name of a user', act: ({ ask }) => ask(question, { userId: both }), isKept: true },
  { name: 'an idempotency key', act: ({ ask }) => ask(question, { idempotencyKey: both }) },
  { name: 'the name of a model', settings: { agents: { research: { model: `${own}:${configured}` } } } },
  {
    name: 'the exception of a hook, and its cause',
    hooks: { beforeModel: () => fail(new Error(both, { cause: new Error(both) })) },
  },
  { name: 'the exception of a hook at the start', hooks: { onReady: () => fail(new Error(both)) } },
  {
    name: 'the answer to an approval',
    lines: looksUp(),
    settings: { tools: { trust: 'strict' } },
    act: async ({ quaero, ask }) => {
      const { runId, approvals } = await ask(question)
      const answers = approvals.map(({ id, tool }) => [
        id,
        tool === 'lookup' ? { approved: true, args: { text: both } } : { approved: false, reason: both },
      ])
      return quaero.resume(runId, Object.fromEntries(answers))
    },
    isKept: true,
  },
  {
    name: 'a tool that is run by hand',
    lookup: () => fail(new Error(both)),
    act: ({ quaero }) => quaero.tools.run('lookup', { text: both }),
  },
  { name: 'the id of a run that is not there', act: ({ quaero }) => quaero.runs.show(configured) },
  { name: 'the text of an import', act: ({ quaero }) => quaero.runs.import(`{"id":"${both}"}`) },
  {
    name: 'a graph that is invoked directly',
    hooks: { beforeModel: () => fail(new Error(both)) },
    act: ({ quaero }) =>
      quaero.graph.invoke({ messages: [{ role: 'user', content: both }] }, { configurable: { thread_id: 'plain' } }),
    isKept: true,
  },
]

/** One place of each kind; each row starts an engine with tracing. */
const quick = [
  'the question',
  "a tool's unknown exception, and its cause",
  'what an endpoint says when it rejects the key',
  'a base URL with user name and password',
  'an idempotency key',
  'the exception of a hook, and its cause',
  'the answer to an approval',
  'a graph that is invoked directly',
]

describe('a planted credential', () => {
  for (const { rows, tags } of quickAndSlow(places, ({ name }) => quick.includes(name))) {
    const title = 'reaches no backend, session log, console or error, nor the log: $name'
    it.each(rows)(title, { tags: [...tags, 'T10'] }, expectNoCredential)
  }

  it('of a document that holds the configured one, nothing is kept or quoted that the page does not say', {
    tags: ['T10', 'Q1'],
  }, async () => {
    const quote = `The vault of the granite house opens with ${both} since 2020`
    const results: RunResult[] = []
    const seen = await play({
      name: 'the text of a document, which is quoted',
      lines: {
        research: [{ toolCalls: [{ name: 'pdf_retrieval', args: { query: 'granite vault' } }] }, { content: '' }],
        synthesis: {
          content: `The house is of granite.<cite id="P1">The house is of granite and old</cite> The vault opens with a word.<cite id="P1">${quote.replace(configured, '*'.repeat(configured.length))}</cite>`,
        },
      },
      isInLibrary: true,
      act: async ({ folder, ask }) => {
        const path = join(folder, 'vault.md')
        await writeFile(path, `# The granite vault\n\n${quote}. The house is of granite and old.\n`)
        results.push(await ask('Of what is the granite house?', { documents: [path] }))
      },
    })
    const [result] = results
    expect(result?.citations.map(({ quote }) => quote)).toEqual(['The house is of granite and old'])
    expect(result?.unsupported).toHaveLength(1)
    for (const [sink, text] of Object.entries({ ...seen.shown, ...seen.kept }))
      expect(text, sink).not.toContain(configured)
    expect(seen.shown.traces).not.toContain(own)
    expect(seen.kept['what the model reads']).toContain(`opens with ${'*'.repeat(configured.length)} and ${own}`)
  })

  it('comes in no two pieces of a reply either, nor in those of a tool call', { tags: ['T10', 'U9'] }, async () => {
    const seen = await play({
      name: 'the pieces of a reply',
      lines: {
        ...looksUp({ text: both }),
        synthesis: { content: `${usualLines.synthesis.content} My keys are ${both}.` },
      },
    })
    const events = seen.kept.lines.split('\n').map((line) => JSON.parse(line) as StreamEvent)
    const deltas = events.flatMap((event) => (event.type === 'message.delta' ? [event.payload] : []))
    const mask = '*'.repeat(configured.length)
    const texts = deltas.flatMap(({ text, scope }) => (scope === 'thread' ? [text] : []))
    expect(texts.length).toBeGreaterThan(10)
    expect(texts.join('')).toContain(`My keys are ${mask} and ${own}`)
    const args = deltas.flatMap(({ toolCall }) => (toolCall?.index === 1 ? [toolCall.args] : [])).join('')
    expect(args).toContain(JSON.stringify({ text: both.replace(configured, mask) }))
  })

  it('hides nothing else: answers, offsets and traces are there', { tags: ['T10'] }, async () => {
    const seen = await play({ name: 'nothing' })
    expect(seen.shown.traces).toContain('81.1 million pages')
    expect(seen.shown.sessions).toContain('81.1 million pages')
    expect(seen.shown.console).toContain('81.1 million pages')
    expect(seen.kept.results).toContain('"verified":true')
    expect(`${JSON.stringify(seen.shown)}${seen.kept.results}`).not.toContain('[redacted]')
    expect(seen.keys).toEqual([`Bearer ${configured}`])
  })
})

async function expectNoCredential(place: Place): Promise<void> {
  const seen = await play(place)
  for (const [sink, text] of Object.entries(seen.shown)) {
    expect(text, sink).not.toContain(configured)
    expect(text, sink).not.toContain(own)
  }
  for (const [sink, text] of Object.entries(seen.kept)) expect(text, sink).not.toContain(configured)
  // A person's own words are kept as they were written; what an error says is not.
  if (place.isKept) expect(seen.kept.database).toContain(own)
  else for (const [sink, text] of Object.entries(seen.kept)) expect(text, sink).not.toContain(own)
}

async function play(place: Place) {
  const traces = await startTraceServer()
  onTestFinished(traces.close)
  const endpoint = await speakingEndpoint(place.lines)
  const folder = await libraryFolder()
  const [said, told, lines, thrown, results]: string[][] = [[], [], [], [], []]
  const langfuse = {
    LANGFUSE_PUBLIC_KEY: 'pk-lf-1-abcdef',
    LANGFUSE_SECRET_KEY: 'sk-lf-2-abcdef',
    LANGFUSE_BASE_URL: traces.url,
  }
  const env = { ...endpoint.env, OPENAI_API_KEY: configured, ...langfuse, ...place.env }
  const settings = { ...place.settings, endpoint: { retries: 0, ...place.settings?.endpoint } }
  const catching = async (work: () => Promise<unknown>) => {
    try {
      results?.push(JSON.stringify((await work()) ?? null))
    } catch (error) {
      thrown?.push(...printed(error))
    }
  }
  await catching(async () => {
    const quaero = await createQuaero({
      config: loadConfig({ env, overrides: settings }),
      dataDir: folder,
      hooks: place.hooks ?? {},
      tools: [lookupTool(place.lookup)],
      subscribers: [
        consoleLog({ write: (line) => void said?.push(line) }),
        (line) => void lines?.push(JSON.stringify(line)),
      ],
      onNotice: (message) => void told?.push(message),
    })
    const ask: Stage['ask'] = async (...asked) => {
      const result = await quaero.ask(...asked)
      results?.push(JSON.stringify(result))
      thrown?.push(JSON.stringify(result.error))
      return result
    }
    await catching(async () => (place.act ? void (await place.act({ quaero, folder, ask })) : ask(question)))
    if (!place.isInLibrary) results?.push(await bytesIn(folder))
    await quaero.close()
  })
  return {
    shown: {
      traces: JSON.stringify(traces.requests.map(({ body }) => body)),
      sessions: await textsIn(join(folder, 'sessions')),
      console: said?.join('\n') ?? '',
      notices: told?.join('\n') ?? '',
      errors: thrown?.join('\n') ?? '',
    },
    kept: {
      database: place.isInLibrary ? tablesIn(folder) : await bytesIn(folder),
      results: results?.join('\n') ?? '',
      lines: lines?.join('\n') ?? '',
      'what the model reads': JSON.stringify(endpoint.requests),
    },
    keys: [...new Set(endpoint.journal.map(({ headers }) => headers.authorization))],
  }
}

function lookupTool(lookup: Place['lookup'] = () => 'Nothing.') {
  const input = z.looseObject({ text: z.string() })
  return defineTool({ name: 'lookup', description: 'Looks something up.', input, run: async () => lookup() })
}

/** An error in every way that it may be printed, with what it was caused by. */
function printed(error: unknown): string[] {
  const chain: string[] = []
  for (let each = error; each instanceof Error; each = each.cause)
    chain.push(each.message, each.stack ?? '', String(each))
  return [
    ...chain,
    inspect(error, { depth: 10 }),
    JSON.stringify(error),
    JSON.stringify(Object.entries(error as object)),
  ]
}

async function bytesIn(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('quaero.db'))
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))).join('')
}

/** All but the library. */
function tablesIn(folder: string): string {
  const database = new Database(join(folder, 'quaero.db'), { readonly: true })
  const tables = ['runs', 'events', 'checkpoints', 'writes', 'leases']
  const rows = tables.flatMap((table) => database.prepare(`SELECT * FROM ${table}`).raw().all().flat())
  database.close()
  return rows.map(String).join('\n')
}

async function textsIn(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => [])
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n')
}
