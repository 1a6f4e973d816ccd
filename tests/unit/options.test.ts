import { describe, expect, it } from 'vitest'
import {
  ConfigInvalid,
  consoleLog,
  createQuaero,
  ImportInvalid,
  loadConfig,
  PromptInvalid,
  type Quaero,
  scriptedModel,
  startQuaero,
  summarise,
  UsageError,
} from '../../src/index.ts'
import { openQuaero, temporaryFolder } from '../fixtures/workflow.ts'

/** What a program without types may give. */
// biome-ignore lint/suspicious/noExplicitAny: the point is what no type allows
type Untyped = any

const memory = { dataDir: ':memory:', model: 'extractive' }
const config = loadConfig({ env: {} })
const unlimited = (limits: object) => ({ ...config, settings: { ...config.settings, limits } })

describe('the options of an engine', () => {
  const wrong: readonly (readonly [option: string, given: Untyped, named: RegExp])[] = [
    ['no object', 'papers', /must be an object/],
    ['null', null, /must be an object/],
    ['an unknown one', { ...memory, modle: 'extractive' }, /"modle" is not known/],
    ['a folder that is none', { dataDir: 5 }, /"dataDir"/],
    ['an empty folder', { dataDir: '' }, /"dataDir"/],
    ['a model that is none', { ...memory, model: {} }, /"model": .*LangChain chat model is needed/],
    ['one document in place of a list', { ...memory, documents: 'papers' }, /"documents" must be a list/],
    ['a document that is no path', { ...memory, documents: [5] }, /"documents.0"/],
    ['one subscriber in place of a list', { ...memory, subscribers: () => {} }, /"subscribers"/],
    ['a subscriber that is none', { ...memory, subscribers: [{}] }, /"subscribers.0": .*a function is needed/],
    ['tools that are no list', { ...memory, tools: {} }, /"tools"/],
    ['an agent that is none', { ...memory, agents: { research: {} } }, /"agents.research": .*an agent is needed/],
    ['an agent nobody knows', { ...memory, agents: { writer: {} } }, /"writer" is not known/],
    ['no one to tell', { ...memory, onNotice: 'stderr' }, /"onNotice": .*a function is needed/],
    ['progress told to nobody', { ...memory, onAddProgress: true }, /"onAddProgress"/],
    ['a configuration that is none', { ...memory, config: {} }, /"config.settings"/],
    ['a limit that is no number', { ...memory, config: unlimited({ modelCalls: Number.NaN }) }, /limits.modelCalls/],
    ['settings that are none', { ...memory, settings: 'fast' }, /"settings"/],
  ]

  it.each(wrong)('are refused at once, before anything is opened: %s', async (_, given, named) => {
    expect(() => startQuaero(given)).toThrow(UsageError)
    expect(() => startQuaero(given)).toThrow(named)
    await expect(createQuaero(given)).rejects.toThrow(named)
  })

  it('are checked with the rest of the configuration where they are settings', async () => {
    const settings = { limits: { costUsd: -1 } }
    await expect(createQuaero({ ...memory, settings })).rejects.toThrow(ConfigInvalid)
    await expect(createQuaero({ ...memory, settings })).rejects.toThrow(/limits.costUsd/)
  })

  it('may all be given', async () => {
    const folder = await temporaryFolder()
    const agents = {}
    const told = () => {}
    const callbacks = { onNotice: told, onAddProgress: told, onEmbedProgress: told }
    const rest = { documents: [], hooks: [], subscribers: [told], tools: [], agents, ...callbacks }
    const quaero = await createQuaero({ config, dataDir: folder, model: scriptedModel(['Hello.']), ...rest })
    expect(quaero.status().state).toBe('ready')
    await quaero.close()
  })
})

describe('the options of summarise', () => {
  const prompt = { id: 'p', version: 1, inputs: ['messages'], system: '', user: '{{messages}}' }
  it.each<readonly [string, Untyped, RegExp]>([
    ['none', undefined, /must be an object/],
    ['a share that is a text', { atPercent: '80' }, /"atPercent"/],
    ['a share that is no number', { atPercent: Number.NaN }, /"atPercent"/],
    ['a negative number of messages', { atPercent: 80, keepMessages: -1 }, /"keepMessages"/],
    ['a part of a message', { atPercent: 80, keepMessages: 1.5 }, /"keepMessages"/],
    ['a length that is no number', { atPercent: 80, summaryCharacters: Number.NaN }, /"summaryCharacters"/],
    ['a model that is no name', { atPercent: 80, model: {} }, /"model"/],
    ['a prompt that is none', { atPercent: 80, prompt: 'Be brief.' }, /"prompt"/],
    ['an unknown one', { atPercent: 80, keep: 3 }, /"keep" is not known/],
  ])('are refused before any run: %s', { tags: ['H7'] }, (_, options, named) => {
    expect(() => summarise(options)).toThrow(UsageError)
    expect(() => summarise(options)).toThrow(named)
  })

  it('may hold a prompt of one’s own, unless it wants what nobody gives it', { tags: ['H7'] }, () => {
    expect(summarise({ atPercent: 80, prompt }).name).toBe('summarise')
    const other = { ...prompt, inputs: ['messages', 'mood'] }
    expect(() => summarise({ atPercent: 80, prompt: other })).toThrow(PromptInvalid)
    expect(() => summarise({ atPercent: 80, prompt: other })).toThrow(/mood/)
  })
})

describe('the options of a call', () => {
  const refused: readonly (readonly [string, (quaero: Untyped, runId: string) => unknown, RegExp])[] = [
    ['follow: none', (quaero, id) => each(quaero.follow(id, null)), /must be an object/],
    ['follow: a position that is a text', (quaero, id) => each(quaero.follow(id, { after: '1' })), /"after"/],
    ['follow: no number', (quaero, id) => each(quaero.follow(id, { after: Number.NaN })), /"after"/],
    ['follow: before the beginning', (quaero, id) => each(quaero.follow(id, { after: -1 })), /"after"/],
    ['follow: no signal', (quaero, id) => each(quaero.follow(id, { signal: {} })), /AbortSignal is needed/],
    ['follow: unknown', (quaero, id) => each(quaero.follow(id, { from: 3 })), /"from" is not known/],
    ['fork: none', (quaero) => quaero.threads.fork('t', 1), /must be an object/],
    ['fork: unknown', (quaero) => quaero.threads.fork('t', { turn: 1 }), /"turn" is not known/],
    ['fork: no turn', (quaero) => quaero.threads.fork('t', { at: '1' }), /The thread has the turns 1 to 1/],
    ['fork: no number', (quaero) => quaero.threads.fork('t', { at: Number.NaN }), /The thread has the turns 1 to 1/],
    ['fork: no id', (quaero) => quaero.threads.fork('t', { as: 5 }), /cannot be a thread id/],
    ['ask: a limit below zero', (quaero) => quaero.ask('A?', { limits: { rounds: -1 } }), /"limits.rounds"/],
    ['ask: no limit', (quaero) => quaero.ask('A?', { limits: { tokens: Number.NaN } }), /"limits.tokens"/],
    ['ask: a limit nobody knows', (quaero) => quaero.ask('A?', { limits: { calls: 1 } }), /"calls"/],
    ['ask: an approval nobody knows', (quaero) => quaero.ask('A?', { approve: 'yes' }), /"approve"/],
    ['resume: no answers', (quaero, id) => quaero.resume(id, [true]), /The answers cannot be used/],
    ['resume: half an answer', (quaero, id) => quaero.resume(id, { c: { approved: 'yes' } }), /"c.approved"/],
    ['resume: no arguments', (quaero, id) => quaero.resume(id, { c: { approved: true, args: 'x' } }), /"c.args"/],
    ['resume: none', (quaero, id) => quaero.resume(id, {}, null), /must be an object/],
    ['resumeStream: none', (quaero, id) => each(quaero.resumeStream(id, {}, null)), /must be an object/],
    ['resumeStream: unknown', (quaero, id) => each(quaero.resumeStream(id, {}, { onLeave: 'x' })), /"onLeave"/],
    ['runs.list: none', (quaero) => quaero.runs.list(null), /must be an object/],
    ['runs.list: unknown', (quaero) => quaero.runs.list({ thread: 't' }), /"thread" is not known/],
    ['runs.events: no position', (quaero, id) => each(quaero.runs.events(id, Number.NaN)), /The position cannot/],
    ['replay: no position', (quaero, id) => quaero.replay(id, Number.NaN), /has the positions 1 to/],
    ['library.add: no list', (quaero) => quaero.library.add('papers'), /The paths cannot be used/],
    ['library.add: none', (quaero) => quaero.library.add([], null), /must be an object/],
    ['library.add: unknown', (quaero) => quaero.library.add([], { synch: true }), /"synch" is not known/],
    ['library.add: nobody', (quaero) => quaero.library.add([], { onProgress: 1 }), /"onProgress"/],
    ['library.show: nothing', (quaero) => quaero.library.show(undefined), /The document cannot be used/],
    ['library.passages: none', (quaero) => quaero.library.passages('p', null), /must be an object/],
    ['library.passages: backwards', (quaero) => quaero.library.passages('p', { before: -1 }), /"before"/],
    ['library.embed: none', (quaero) => quaero.library.embed(5), /must be an object/],
    ['library.embeddings: none', (quaero) => quaero.library.embeddings(5), /must be an object/],
  ]

  it('are refused with the one that is wrong, and nothing happens', async () => {
    const { quaero, runId } = await answered()
    const before = await quaero.runs.list()
    for (const [what, call, named] of refused) {
      const error = await failure(() => call(quaero, runId))
      expect(error, what).toBeInstanceOf(UsageError)
      expect((error as Error).message, what).toMatch(named)
      expect(await quaero.runs.list(), what).toEqual(before)
      expect(await quaero.threads.list(), what).toHaveLength(1)
    }
  })

  it('an import of what is no text is refused as such', { tags: ['E13'] }, async () => {
    const { quaero } = await answered()
    const bytes: Untyped = Buffer.from('{}')
    await expect(quaero.runs.import(bytes)).rejects.toThrow(ImportInvalid)
  })

  it('options that are none are refused while the engine starts, too', { tags: ['E16'] }, async () => {
    const starting = startQuaero(memory)
    const none: Untyped = null
    await expect(starting.ask('A?', none)).rejects.toThrow(UsageError)
    await starting.close()
  })

  it('a console log that is to write nowhere is refused', { tags: ['H10'] }, () => {
    const nowhere: Untyped = { write: 'stdout' }
    expect(() => consoleLog(nowhere)).toThrow(/"write"/)
  })
})

async function answered(): Promise<{ readonly quaero: Quaero; readonly runId: string }> {
  const quaero = await openQuaero({ model: 'extractive' })
  const { runId } = await quaero.ask('How many pages does the Marble corpus hold?', { threadId: 't' })
  return { quaero, runId }
}

async function each(lines: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of lines);
}

async function failure(call: () => unknown): Promise<unknown> {
  try {
    await call()
    return null
  } catch (error) {
    return error
  }
}
