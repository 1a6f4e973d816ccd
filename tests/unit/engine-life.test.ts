import { join } from 'node:path'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { loadConfig } from '../../src/config.ts'
import { NotReady, StorageUnavailable } from '../../src/errors.ts'
import type { StreamEvent, Subscriber } from '../../src/events/index.ts'
import { defineTool, engineStatusOf } from '../../src/index.ts'
import { scriptedModel } from '../../src/models/scripted.ts'
import { type QuaeroOptions, startQuaero } from '../../src/quaero.ts'
import { farAway } from '../fixtures/storage/far-away.ts'
import { newDatabase } from '../fixtures/storage/new-database.ts'
import { postgresMissing } from '../fixtures/storage/postgres-server.ts'
import {
  calls,
  cited,
  folderOf,
  gate,
  libraryFolder,
  openQuaero,
  openWorkflow,
  route,
  search,
  temporaryFolder,
} from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const turn = {
  orchestrator: [route()],
  research: [search('Marble corpus pages'), 'Done.'],
  synthesis: [cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')],
}

/** Starts an engine with no key; it is closed when the test has ended. */
function start(options: QuaeroOptions = {}) {
  const starting = startQuaero({ config: loadConfig({ env: {} }), dataDir: ':memory:', ...options })
  onTestFinished(() => starting.close())
  return starting
}

/** A subscriber that keeps what it is told. */
function listener() {
  const lines: StreamEvent[] = []
  return { lines, subscriber: ((line) => void lines.push(line)) as Subscriber }
}

const typesOf = (lines: readonly StreamEvent[]) => lines.map(({ type }) => type)

describe("the engine's own life", () => {
  it('is told step by step, each with one ending, under an id of its own', { tags: ['E7'] }, async () => {
    const { lines, subscriber } = listener()
    const quaero = await openQuaero({ documents: [await folderOf()], subscribers: [subscriber] })
    await quaero.close()
    const begun = lines.flatMap((line) => (line.type === 'bootstrap.started' ? [line.payload.step] : []))
    expect(begun).toEqual(['engine', 'config', 'storage', 'library', 'models', 'tracing', 'documents'])
    const [root] = lines
    expect(root?.correlationId).toMatch(/^engine-[0-9a-f-]{36}$/)
    const ids = new Set<string>()
    for (const line of lines) {
      expect(line).toMatchObject({ correlationId: root?.correlationId, runId: root?.correlationId, threadId: null })
      const cause = 'causationId' in line ? line.causationId : undefined
      if (line !== root) expect(ids, line.type).toContain(cause)
      ids.add(line.id)
    }
    expect(typesOf(lines).filter((type) => type.startsWith('ingest.'))).toHaveLength(4)
    expect(typesOf(lines).slice(-2)).toEqual(['shutdown.started', 'shutdown.completed'])
    const endings = lines.flatMap((line) => (/\.(completed|failed)$/.test(line.type) ? [line] : []))
    expect(new Set(endings.map((line) => 'causationId' in line && line.causationId)).size).toBe(endings.length)
  })

  it('takes what is read outside a run for its own, and nothing of it into the log', { tags: ['E7'] }, async () => {
    const { lines, subscriber } = listener()
    const quaero = await openQuaero({ dataDir: ':memory:', subscribers: [subscriber] })
    const before = lines.length
    await quaero.library.add([await folderOf()])
    const own = lines.slice(before)
    expect(new Set(typesOf(own))).toEqual(new Set(['ingest.started', 'ingest.completed']))
    const root = lines.find(({ type }) => type === 'bootstrap.started')
    for (const line of own) {
      if (line.type === 'ingest.started') expect(line.causationId).toBe(root?.id)
    }
    expect((await quaero.report()).rows.events).toBe(0)
  })

  it('folds to the same status wherever it is split, and the status is that fold', {
    tags: ['E3', 'E15'],
  }, async () => {
    const { lines, subscriber } = listener()
    const quaero = await openQuaero({ documents: [await folderOf()], subscribers: [subscriber] })
    expect(quaero.status()).toMatchObject({ state: 'ready', error: null, ingesting: [] })
    await quaero.close()
    const events = lines.flatMap((line) => (line.type === 'status.changed' ? [] : [line]))
    expect(engineStatusOf(events)).toEqual(quaero.status())
    expect(quaero.status().state).toBe('stopped')
    fc.assert(
      fc.property(fc.nat({ max: events.length }), (cut) => {
        expect(engineStatusOf(events.slice(cut), engineStatusOf(events.slice(0, cut)))).toEqual(quaero.status())
      }),
    )
    const states = events.map((_, at) => engineStatusOf(events.slice(0, at + 1)).state)
    expect([...new Set(states)]).toEqual(['bootstrapping', 'ready', 'shutting_down', 'stopped'])
    for (const { durationMs, state } of quaero.status().steps) {
      expect(state).toBe('completed')
      expect(durationMs).toBeGreaterThanOrEqual(0)
    }
  })

  it('passes through the hooks around it', { tags: ['H24'] }, async () => {
    const seen: string[] = []
    const quaero = await openQuaero({
      hooks: {
        bootstrap: async ({ step, ...rest }, next) => {
          seen.push(step)
          return next({ step, ...rest })
        },
        shutdown: async (request, next) => {
          seen.push('shutdown')
          return next(request)
        },
      },
    })
    await quaero.close()
    expect(seen).toEqual(['engine', 'config', 'storage', 'library', 'models', 'tracing', 'shutdown'])
  })
})

describe('an engine that is starting', () => {
  it('lets questions wait until it is ready', { tags: ['E16'] }, async () => {
    const held = gate()
    const starting = start({
      model: scriptedModel(turn),
      documents: [await folderOf()],
      hooks: { ingest: async (request, next) => held.opened.then(() => next(request)) },
    })
    const asked = starting.ask(question)
    const streamed = starting.stream('And?', { signal: AbortSignal.abort(new Error('No more.')) })
    await expect(streamed[Symbol.asyncIterator]().next()).rejects.toThrow('No more.')
    expect(starting.status().state).toBe('bootstrapping')
    held.open()
    expect((await asked).answer).toMatch(/81\.1 million/)
    expect(starting.status().state).toBe('ready')
    expect(await starting.ready()).toBe(await starting.ready())
  })

  it('that fails says at which step and why, and refuses what is asked with it', { tags: ['E7', 'E16'] }, async () => {
    const folder = await folderOf()
    const starting = start({ dataDir: join(folder, 'marble.md') })
    const asked = starting.ask(question)
    await expect(starting.ready()).rejects.toThrow(StorageUnavailable)
    await expect(asked).rejects.toThrow(NotReady)
    await expect(asked).rejects.toThrow(/could not start at the step "storage", .*marble\.md/)
    const { state, error, steps } = starting.status()
    expect([state, error?.step, error?.code]).toEqual(['failed', 'storage', 'storage_unavailable'])
    expect(steps.map((each) => `${each.step} ${each.state}`)).toEqual(['config completed', 'storage failed'])
  })

  it('that is closed before it is ready stops, and refuses what waits', { tags: ['E16'] }, async () => {
    const reading = gate()
    const starting = start({
      documents: [await folderOf()],
      hooks: {
        ingest: async (request, next) => {
          reading.open()
          return next(request)
        },
      },
    })
    const asked = starting.ask(question)
    const refused = expect(asked).rejects.toThrow(NotReady)
    await reading.opened
    await starting.close()
    await refused
    expect(starting.status().state).toBe('stopped')
  })
})

describe('an engine that is closed', () => {
  it('takes no more, starts no tool, and its run can be resumed', { tags: ['E9', 'E15'] }, async () => {
    const { lines, subscriber } = listener()
    const dataDir = await libraryFolder()
    const inTool = gate()
    const hold = gate()
    const started: string[] = []
    const slow = defineTool({
      name: 'slow',
      description: 'Takes its time.',
      input: z.object({ n: z.number() }),
      run: async ({ n }) => {
        started.push(`slow ${n}`)
        inTool.open()
        await hold.opened
        return { content: 'done' }
      },
    })
    const twice = [calls(['slow', { n: 1 }]), calls(['slow', { n: 2 }]), 'Done.']
    const { quaero } = await openWorkflow(
      { ...turn, research: twice },
      {
        dataDir,
        tools: [slow],
        subscribers: [subscriber],
        hooks: { onShutdown: () => hold.open() },
        settings: { shutdown: { deadlineSeconds: 5 } },
      },
    )
    const running = quaero.ask(question, { threadId: 't' })
    await inTool.opened
    const closing = quaero.close()
    expect(quaero.status().state).toBe('shutting_down')
    await expect(quaero.ask(question)).rejects.toThrow(NotReady)
    await expect(quaero.graph.invoke({ messages: [] })).rejects.toThrow(NotReady)
    expect(await running.then(({ status }) => status)).toBe('interrupted')
    await closing
    expect(quaero.status().state).toBe('stopped')
    const types = typesOf(lines)
    expect(types.slice(types.indexOf('shutdown.started'))).not.toContain('tool.started')
    expect(types.slice(types.indexOf('shutdown.started'))).not.toContain('model.started')
    expect(started).toEqual(['slow 1'])
  })

  it('leaves no run at work that was just beginning: it is refused, or can be resumed', { tags: ['E9'] }, async () => {
    const dataDir = await libraryFolder()
    for (let turns = 0; turns < 30; turns += 1) {
      const { quaero } = await openWorkflow(turn, { dataDir })
      const asked = quaero.ask(question, { threadId: `t${turns}` }).then(
        ({ status }) => status,
        (error: unknown) => error,
      )
      for (let waited = 0; waited < turns; waited += 1) await turnOfTheLoop()
      await quaero.close()
      const outcome = await asked
      expect(outcome instanceof NotReady || outcome === 'interrupted' || outcome === 'completed', `${outcome}`).toBe(
        true,
      )
    }
    // The process is the same, and still there: it would hold their threads.
    const { quaero } = await openWorkflow(turn, { dataDir })
    const states = new Set((await quaero.runs.list()).map(({ status }) => status))
    expect([...states].filter((state) => state !== 'completed')).toEqual(['interrupted'])
  })

  it('begins no tool of a round that a hook held up until then', { tags: ['E15'] }, async () => {
    const { lines, subscriber } = listener()
    const inRound = gate()
    const { quaero } = await openWorkflow(turn, {
      subscribers: [subscriber],
      hooks: {
        round: async (request, next, { signal }) => {
          inRound.open()
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          return next(request)
        },
      },
    })
    const running = quaero.ask(question)
    await inRound.opened
    await quaero.close()
    expect((await running).status).toBe('interrupted')
    expect(typesOf(lines)).not.toContain('tool.started')
  })

  it.skipIf(postgresMissing !== null)(
    `gives who asked the result of the run that it stops (${postgresMissing ?? 'PostgreSQL'})`,
    { tags: ['E15'] },
    async () => {
      const held = gate()
      const { quaero } = await openWorkflow(turn, {
        dataDir: await temporaryFolder(),
        documents: [await folderOf()],
        settings: { storage: await farAway((await newDatabase()).url) },
        hooks: {
          round: async (request, next, { signal }) => {
            held.open()
            await new Promise((resolve) => signal.addEventListener('abort', resolve))
            return next(request)
          },
        },
      })
      const asked = quaero.ask(question)
      await held.opened
      const closed = quaero.close()
      expect(await asked).toMatchObject({ status: 'interrupted', question })
      await closed
    },
  )

  it('flushes its subscribers before the storage closes, and waits for none that is late', {
    tags: ['E9'],
  }, async () => {
    const order: string[] = []
    const flushing: Subscriber = Object.assign(() => {}, {
      flush: async () => {
        // The log can still be read.
        order.push(`flushed ${(await quaero.runs.list()).length}`)
      },
    })
    const failing: Subscriber = Object.assign(() => {}, { flush: () => Promise.reject(new Error('down')) })
    const hanging: Subscriber = Object.assign(() => {}, { flush: () => new Promise<void>(() => {}) })
    const { quaero } = await openWorkflow(turn, {
      subscribers: [failing, hanging, flushing],
      settings: { shutdown: { deadlineSeconds: 0.2 } },
    })
    await quaero.ask(question)
    await quaero.close()
    expect(order).toEqual(['flushed 1'])
    expect(quaero.status().state).toBe('stopped')
  })
})
