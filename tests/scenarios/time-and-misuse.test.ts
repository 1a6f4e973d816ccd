import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BaseAgent } from '../../src/agents/base-agent.ts'
import type { AskOptions, Quaero } from '../../src/api.ts'
import { UsageError } from '../../src/errors.ts'
import type { Hooks, StoredEvent } from '../../src/events/index.ts'
import { defineTool } from '../../src/tools/tool.ts'
import { speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { calls, cited, gate, libraryFolder, openQuaero, openWorkflow, route, search } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const answer = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const turn = { orchestrator: [route()], research: [search('Marble corpus pages'), 'Done.'], synthesis: [answer] }
const never = () => new Promise<never>(() => {})
const drip = { content: 'a b c d e f g h', drip: true } as const
/** Enough for what comes before the call that never ends. */
const shortTime = { limits: { wallClockMs: 1500 } }

/** Every span that was begun has exactly one ending. */
async function expectEndings(quaero: Quaero, runId: string): Promise<void> {
  const log: StoredEvent[] = []
  for await (const each of quaero.runs.events(runId)) log.push(each)
  const begun = log.filter(({ type }) => type.endsWith('.started')).map(({ id }) => id)
  const ended = log.filter(({ type }) => /^[a-z]+\.(completed|failed|interrupted)$/.test(type))
  const endings = ended.filter(({ type }) => !type.startsWith('message.')).map(({ causationId }) => causationId)
  expect([...endings].sort()).toEqual([...begun].sort())
}

async function atEndpoint(lines: Parameters<typeof speakingEndpoint>[0]): Promise<Quaero> {
  const { url } = await speakingEndpoint(lines)
  return openQuaero({ model: 'openai:test-model', settings: { endpoint: { baseUrl: url } } })
}

describe('a run whose time is up', () => {
  it('stops the research call that drips for ever, and answers from what was found', { tags: ['F23'] }, async () => {
    const quaero = await atEndpoint({ research: [usualLines.research[0], drip] })
    const result = await quaero.ask(question, shortTime)
    expect(result).toMatchObject({ status: 'limit_reached', ending: { limit: 'wallClockMs', value: 1500 } })
    expect(result.answer).toContain('81.1 million')
    await expectEndings(quaero, result.runId)
  })

  it('stops the answer that drips for ever, and quotes instead', { tags: ['F23'] }, async () => {
    const quaero = await atEndpoint({ synthesis: drip })
    const result = await quaero.ask(question, shortTime)
    expect(result).toMatchObject({ status: 'limit_reached', ending: { limit: 'wallClockMs' }, error: null })
    expect(result.answer).toContain('81.1 million')
  })

  it.each([
    ['a limit of time', {}],
    ['no limit of time', { timeoutMs: null }],
  ])(
    'stops a tool with %s that ignores its signal, and keeps what the other calls of its round found',
    {
      tags: ['F23'],
    },
    async (_, time) => {
      const slow = defineTool({ name: 'slow', description: 'Waits.', input: z.strictObject({}), run: never, ...time })
      const both = calls(['pdf_retrieval', { query: 'Marble corpus pages' }], ['slow', {}])
      const { quaero } = await openWorkflow({ ...turn, research: [both, 'Done.'] }, { tools: [slow] })
      const result = await quaero.ask(question, shortTime)
      expect(result).toMatchObject({ status: 'limit_reached', ending: { limit: 'wallClockMs' } })
      expect(result.answer).toContain('81.1 million')
    },
  )

  it.each(['model', 'round', 'tool'] as const)(
    'is not held by a %s hook that never returns',
    { tags: ['F23'] },
    async (kind) => {
      const hooks: Hooks[] = [{ name: 'stuck', [kind]: never }]
      const { quaero } = await openWorkflow(turn, { hooks })
      const result = await quaero.ask(question, { limits: { wallClockMs: 200 } })
      expect(result).toMatchObject({ status: 'limit_reached', ending: { limit: 'wallClockMs' } })
      await expectEndings(quaero, result.runId)
    },
  )
})

describe('closing', () => {
  it('waits no longer than its deadline for a call that ignores its stop; the run can be resumed', {
    tags: ['F23'],
  }, async () => {
    const dataDir = await libraryFolder()
    const asked = gate()
    const stuck: Hooks = {
      name: 'stuck',
      model: () => {
        asked.open()
        return never()
      },
    }
    const settings = { shutdown: { deadlineSeconds: 0.05 } }
    const { quaero } = await openWorkflow(turn, { dataDir, hooks: [stuck], settings })
    const running = quaero.ask(question, { threadId: 't1' }).catch((error: unknown) => error)
    await asked.opened
    await quaero.close()
    await running
    const { quaero: next } = await openWorkflow(turn, { dataDir })
    const [run] = await next.runs.list()
    expect(run?.status).toBe('interrupted')
    await expectEndings(next, run?.runId ?? '')
    expect((await next.resume(run?.runId ?? '')).status).toBe('completed')
  })
})

describe('a cancel', () => {
  it('ends a tool without a limit of time that ignores its signal', { tags: ['F23'] }, async () => {
    const begun = gate()
    const run = () => {
      begun.open()
      return never()
    }
    const slow = defineTool({ name: 'slow', description: 'Waits.', input: z.strictObject({}), timeoutMs: null, run })
    const settings = { shutdown: { deadlineSeconds: 0.05 } }
    const { quaero } = await openWorkflow({ ...turn, research: [calls(['slow', {}])] }, { tools: [slow], settings })
    const running = quaero.ask(question)
    await begun.opened
    const [open] = await quaero.runs.list()
    await quaero.cancel(open?.runId ?? '')
    const result = await running
    expect(result.status).toBe('cancelled')
    await expectEndings(quaero, result.runId)
  })
})

describe('what is thrown', () => {
  it.each([null, undefined, 'a word', 7])(
    '%s ends the run as failed, with an ending for every span',
    async (thrown) => {
      class Odd extends BaseAgent {
        readonly name = 'research'
        protected async process(): Promise<never> {
          throw thrown
        }
      }
      const { quaero } = await openWorkflow(turn, { agents: { research: new Odd() } })
      const result = await quaero.ask(question)
      expect(result).toMatchObject({ status: 'failed', error: { message: expect.stringContaining(String(thrown)) } })
      await expectEndings(quaero, result.runId)
    },
  )
})

describe('a subscriber that changes what it is told', () => {
  it('fails alone: the others, the stream and the run see what happened', async () => {
    const seen: string[] = []
    const notices: string[] = []
    const { quaero } = await openWorkflow(turn, {
      subscribers: [
        (event) => {
          if (event.type === 'round.started') Object.assign(event.payload.calls[0]?.args ?? {}, { query: 'evil' })
        },
        (event) => void seen.push(JSON.stringify(event)),
      ],
      onNotice: (notice) => notices.push(notice),
    })
    const result = await quaero.ask(question)
    expect(result.status).toBe('completed')
    expect(seen.join()).not.toContain('evil')
    expect(notices).toEqual([expect.stringContaining('A subscriber failed')])
  })
})

describe('options that cannot be used', () => {
  const bad: readonly unknown[] = [
    null,
    { limits: null },
    { limits: { tokens: Number.NaN } },
    { limits: { wallClockMs: '5' } },
    { limits: { rounds: -1 } },
    { limits: { round: 1 } },
    { approve: 'zzz' },
    { signal: {} },
    { userId: { a: 1 } },
    { documents: 'a.pdf' },
    { thread: 't1' },
  ]

  it('are refused with a usage error before anything is stored', async () => {
    const { quaero } = await openWorkflow(turn)
    const before = (await quaero.report()).rows
    for (const options of bad) {
      await expect(quaero.ask(question, options as AskOptions), JSON.stringify(options)).rejects.toThrow(UsageError)
      const stream = async () => {
        for await (const _ of quaero.stream(question, options as AskOptions)) expect.fail()
      }
      await expect(stream(), JSON.stringify(options)).rejects.toThrow(UsageError)
    }
    for (const asked of [null, 5, {}]) await expect(quaero.ask(asked as string)).rejects.toThrow(UsageError)
    expect((await quaero.report()).rows).toEqual(before)
  })

  it('are refused for a resume too, with its answers', async () => {
    const { quaero } = await openWorkflow(turn)
    const { runId } = await quaero.ask(question)
    await expect(quaero.resume(runId, { a: 'yes' } as never)).rejects.toThrow('The answers cannot be used')
    await expect(quaero.resume(runId, {}, { limits: 5 } as never)).rejects.toThrow('The options cannot be used')
  })
})

describe('a tool of one’s own', () => {
  it.each([{ content: 'x', observations: [{ text: 5 }] }, { content: 5 }, null, { content: 'x', observations: 'y' }])(
    'that hands back %j fails alone, by name',
    async (odd) => {
      const tool = defineTool({
        name: 'odd',
        description: 'Odd.',
        input: z.strictObject({}),
        run: async () => odd as never,
      })
      const research = [calls(['odd', {}]), search('Marble corpus pages'), 'Done.']
      const { quaero, model } = await openWorkflow({ ...turn, research }, { tools: [tool] })
      expect((await quaero.ask(question)).status).toBe('completed')
      expect(JSON.stringify(model.heard)).toContain('Error (tool_failed): odd returned no tool result')
    },
  )
})
