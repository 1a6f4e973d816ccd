import { describe, expect, it } from 'vitest'
import type { Quaero } from '../../../src/api.ts'
import { RunEnded, RunNotFound, ThreadBusy } from '../../../src/errors.ts'
import type { Hooks, StoredEvent } from '../../../src/events/index.ts'
import { cited, gate, libraryFolder, openWorkflow, route, search } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const answer = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const invented = cited('It holds 82 million pages.', 'P1', 'holds 82 million pages')
const turn = { orchestrator: [route()], research: [search('Marble corpus pages'), 'Done.'], synthesis: [answer] }

/** A gate that opens when the model is asked, and a line that is said when the other one does. */
function held<T>(line: T) {
  const asked = gate()
  const speak = gate()
  const say = () => {
    asked.open()
    return speak.opened.then(() => line)
  }
  return { asked: asked.opened, speak: speak.open, say }
}

async function eventsOf(log: AsyncIterable<StoredEvent>): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for await (const each of log) events.push(each)
  return events
}

/** What the thread's checkpoint holds of the conversation. */
async function messagesIn(quaero: Quaero, threadId: string): Promise<readonly string[]> {
  const { messages } = (await quaero.threads.state(threadId)) as {
    readonly messages: readonly { readonly text: string }[]
  }
  return messages.map(({ text }) => text)
}

describe('the result of a run that was worked on here', () => {
  it.each([
    ['an answer', turn],
    ['an answer of which nothing holds', { ...turn, synthesis: [invented, invented] }],
    ['a question back', { orchestrator: [route({ route: 'clarification' })], clarification: ['Which one?'] }],
  ])('is the one that its log gives, and the caller’s own: %s', async (_, script) => {
    const { quaero } = await openWorkflow(script)
    const result = await quaero.ask(question)
    const kept = await quaero.runs.show(result.runId)
    expect(result).toStrictEqual(kept)
    Object.assign(result.usage, { modelCalls: -1 })
    expect(await quaero.runs.show(result.runId)).toStrictEqual(kept)
  })
})

describe('two questions on one thread at once', () => {
  it('are answered one at a time: the second is refused, and nothing of it is stored', {
    tags: ['F56', 'TRAP8'],
  }, async () => {
    const first = held(route())
    const { quaero } = await openWorkflow({ ...turn, orchestrator: [first.say] })
    const running = quaero.ask(question, { threadId: 't1' })
    await first.asked
    const before = (await quaero.report()).rows
    await expect(quaero.ask('Another?', { threadId: 't1' })).rejects.toThrow(ThreadBusy)
    expect((await quaero.report()).rows).toEqual(before)
    first.speak()
    expect((await running).status).toBe('completed')
    expect((await quaero.threads.messages('t1')).map(({ content }) => content)).not.toContain('Another?')
  })

  it('leave one refusal, whichever comes first', { tags: ['F56'] }, async () => {
    const { quaero } = await openWorkflow(turn)
    const asked = await Promise.allSettled([1, 2, 3].map((n) => quaero.ask(`${question} ${n}`, { threadId: 't1' })))
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of asked) if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(ThreadBusy)
    expect(await quaero.runs.list()).toHaveLength(1)
  })

  it('wait for each other where the settings say so, and are answered in the order in which they were asked', {
    tags: ['F56'],
  }, async () => {
    const names = [1, 2, 3, 4, 5]
    const lines = {
      orchestrator: names.map(() => route()),
      research: names.flatMap(() => [search('a'), 'b']),
      synthesis: names.map(() => answer),
    }
    const { quaero } = await openWorkflow(lines, { settings: { thread: { whenBusy: 'wait' } } })
    const results = await Promise.all(names.map((n) => quaero.ask(`${question} ${n}`, { threadId: 't1' })))
    expect(results.map(({ turn: n }) => n)).toEqual(names)
  })
})

describe('an interrupted run', () => {
  it('resumes without asking a model, or running a tool, for what was finished', { tags: ['E10'] }, async () => {
    const stop = new AbortController()
    const stopping = () => {
      stop.abort()
      return 'Never heard.'
    }
    const { quaero, model } = await openWorkflow({
      ...turn,
      research: [search('Marble corpus pages'), stopping, 'Done.'],
    })
    const stopped = await quaero.ask(question, { signal: stop.signal })
    expect(stopped).toMatchObject({ status: 'interrupted', answer: '' })
    expect(model.heard).toHaveLength(3)
    const resumed = await quaero.resume(stopped.runId)
    expect(resumed).toMatchObject({ status: 'completed', runId: stopped.runId, usage: { toolCalls: 1 } })
    expect(model.heard).toHaveLength(5)
    expect((await quaero.status(stopped.runId)).rounds).toBe(1)
    const agents = (await eventsOf(quaero.runs.events(stopped.runId))).filter(({ type }) => type === 'agent.started')
    expect(agents.map(({ agent }) => agent)).toEqual(['orchestrator', 'research', 'research', 'synthesis'])
  })

  it('resumes a second try at the answer without paying for the first again', { tags: ['E10'] }, async () => {
    const stop = new AbortController()
    const stopping = () => {
      stop.abort()
      return 'Never heard.'
    }
    const { quaero, model } = await openWorkflow({ ...turn, synthesis: [invented, stopping, answer] })
    const stopped = await quaero.ask(question, { signal: stop.signal })
    expect(stopped.status).toBe('interrupted')
    const heard = model.heard.length
    const resumed = await quaero.resume(stopped.runId)
    expect(resumed).toMatchObject({ status: 'completed', answer: expect.stringContaining('81.1 million pages. [1]') })
    expect(model.heard.length).toBe(heard + 1)
    expect(model.heard.at(-1)?.at(-1)?.text).toContain('its quote stands in no passage')
  })

  it('resumes behind a second try at the answer without paying for it again', { tags: ['E10'] }, async () => {
    const stop = new AbortController()
    let ended = 0
    // The agent has written twice, and what it came to is lost.
    const hooks = {
      name: 'stops behind the second try',
      agent: async (request, next, { agent }) => {
        const result = await next(request)
        if (agent === 'synthesis') ended += 1
        if (ended === 1) {
          stop.abort()
          stop.signal.throwIfAborted()
        }
        return result
      },
    } satisfies Hooks
    const { quaero, model } = await openWorkflow({ ...turn, synthesis: [invented, answer] }, { hooks })
    const stopped = await quaero.ask(question, { signal: stop.signal })
    expect(stopped.status).toBe('interrupted')
    const heard = model.heard.length
    const resumed = await quaero.resume(stopped.runId)
    expect(resumed).toMatchObject({ status: 'completed', answer: expect.stringContaining('81.1 million pages. [1]') })
    expect(model.heard).toHaveLength(heard)
    expect(ended).toBe(2)
  })

  it('resumes after the engine was closed, in another one on the same file', { tags: ['E10'] }, async () => {
    const dataDir = await libraryFolder()
    const hanging = held('Never said.')
    const first = await openWorkflow(
      { orchestrator: [route()], research: [search('Marble corpus pages'), hanging.say] },
      { dataDir },
    )
    const running = first.quaero.ask(question, { threadId: 't1' })
    await hanging.asked
    await first.quaero.close()
    const { runId, status } = await running.catch(() => ({ runId: '', status: 'closed' }))
    expect(['interrupted', 'closed']).toContain(status)
    const second = await openWorkflow({ research: ['Done.'], synthesis: [answer] }, { dataDir })
    const [listed] = await second.quaero.runs.list()
    expect(listed).toMatchObject({ status: 'interrupted', ...(runId && { runId }) })
    const resumed = await second.quaero.resume(listed?.runId ?? '')
    expect(resumed).toMatchObject({
      status: 'completed',
      answer: 'It holds 81.1 million pages. [1]',
      usage: { toolCalls: 1 },
    })
    expect(second.model.heard).toHaveLength(2)
  })

  it('waits for approval across a restart', { tags: ['E10'] }, async () => {
    const dataDir = await libraryFolder()
    const settings = { tools: { trust: 'strict' as const } }
    const first = await openWorkflow(
      { orchestrator: [route()], research: [search('Marble corpus pages')] },
      { dataDir, settings },
    )
    const { runId, status } = await first.quaero.ask(question)
    expect(status).toBe('requires_action')
    await first.quaero.close()
    const second = await openWorkflow({ research: ['Done.'], synthesis: [answer] }, { dataDir, settings })
    const resumed = await second.quaero.resume(runId, { 'pdf_retrieval-1': { approved: true } })
    expect(resumed).toMatchObject({ status: 'completed', citations: [{ marker: 1 }] })
    expect(second.model.heard).toHaveLength(2)
  })

  it('lets a person approve also the search that the agent thought of itself', { tags: ['E8'] }, async () => {
    const settings = { tools: { trust: 'strict' as const } }
    const { quaero } = await openWorkflow(
      { orchestrator: [route()], research: ['I know.'], synthesis: [answer] },
      { settings },
    )
    const { runId, approvals } = await quaero.ask(question)
    expect(approvals).toMatchObject([{ tool: 'pdf_retrieval', args: { query: question } }])
    const answers = Object.fromEntries(approvals.map(({ id }) => [id, { approved: true }]))
    expect(await quaero.resume(runId, answers)).toMatchObject({ status: 'completed', citations: [{ marker: 1 }] })
  })

  it('goes on where it stopped also when others were asked on its thread since, and takes its own place there', {
    tags: ['E10'],
  }, async () => {
    const stop = new AbortController()
    const stopping = () => {
      stop.abort()
      return 'Never heard.'
    }
    const { quaero, model } = await openWorkflow({
      orchestrator: [route(), route({ standaloneQuestion: 'Second?' })],
      research: [search('Marble corpus pages'), stopping, 'Nothing.', 'Done.'],
      synthesis: [answer],
    })
    const first = await quaero.ask(question, { threadId: 't1', signal: stop.signal })
    const second = await quaero.ask('Second?', { threadId: 't1' })
    const heard = model.heard.length
    const resumed = await quaero.resume(first.runId)
    expect(resumed).toMatchObject({ status: 'completed', question, answer: 'It holds 81.1 million pages. [1]' })
    expect(resumed.usage.toolCalls).toBe(1)
    expect(model.heard).toHaveLength(heard + 2)
    expect(model.heard.at(-1)?.at(-1)?.text).not.toContain('Second?')
    const said = [question, resumed.answer, 'Second?', second.answer]
    expect((await quaero.threads.messages('t1')).map(({ content }) => content)).toEqual(said)
    expect(await messagesIn(quaero, 't1')).toEqual(said)
    expect((await quaero.verify()).discrepancies).toEqual([])
    expect((await quaero.report()).rows.checkpoints).toBe(1)
  })

  it('is approved also when others were asked on its thread since, and its call is made once', {
    tags: ['E8'],
  }, async () => {
    const { quaero, model } = await openWorkflow(
      {
        orchestrator: [route(), route({ standaloneQuestion: 'Second?' })],
        research: [search('Marble corpus pages'), search('second'), 'Nothing.', 'Done.'],
        synthesis: [answer],
      },
      { settings: { tools: { trust: 'strict' as const } } },
    )
    const first = await quaero.ask(question, { threadId: 't1' })
    expect(first.status).toBe('requires_action')
    await quaero.ask('Second?', { threadId: 't1', approve: 'all' })
    const heard = model.heard.length
    const resumed = await quaero.resume(first.runId, { 'pdf_retrieval-1': { approved: true } })
    expect(resumed).toMatchObject({ status: 'completed', citations: [{ marker: 1 }], usage: { toolCalls: 1 } })
    expect(model.heard).toHaveLength(heard + 2)
    expect((await quaero.verify()).discrepancies).toEqual([])
  })

  it('leaves the thread in the order of its turns, whichever of several unfinished ones is resumed first', {
    tags: ['R2'],
  }, async () => {
    const stops = [new AbortController(), new AbortController(), new AbortController()]
    const line = (n: number) => () => {
      stops[n]?.abort()
      return 'Never heard.'
    }
    const { quaero } = await openWorkflow({
      orchestrator: [route(), route(), route()],
      research: [
        ...[0, 1, 2].flatMap((n) => [search(`Marble corpus pages ${n}`), line(n)]),
        ...[0, 1, 2].map((n) => `Done ${n}.`),
      ],
      synthesis: [answer, answer, answer],
    })
    const runs = []
    for (const [n, { signal }] of stops.entries())
      runs.push(await quaero.ask(`${question} ${n}`, { threadId: 't1', signal }))
    expect(runs.map(({ status }) => status)).toEqual(['interrupted', 'interrupted', 'interrupted'])
    for (const n of [1, 2, 0]) expect((await quaero.resume(runs[n]?.runId ?? '')).status).toBe('completed')
    const said = [0, 1, 2].flatMap((n) => [`${question} ${n}`, 'It holds 81.1 million pages. [1]'])
    expect((await quaero.threads.messages('t1')).map(({ content }) => content)).toEqual(said)
    expect(await messagesIn(quaero, 't1')).toEqual(said)
    expect((await quaero.verify()).discrepancies).toEqual([])
  })

  it('leaves no draft in the conversation of the question that is asked next', { tags: ['F53'] }, async () => {
    const stop = new AbortController()
    const stopping = () => {
      stop.abort()
      return 'Never heard.'
    }
    const { quaero, model } = await openWorkflow({
      orchestrator: [route(), route()],
      research: [search('Marble corpus pages'), 'A first draft.', search('Marble corpus pages'), 'Done.'],
      synthesis: [stopping, answer],
    })
    const first = await quaero.ask(question, { threadId: 't1', signal: stop.signal })
    expect(first.status).toBe('interrupted')
    const second = await quaero.ask('Second?', { threadId: 't1' })
    expect(await messagesIn(quaero, 't1')).toEqual([question, 'Second?', second.answer])
    expect(JSON.stringify(model.heard.slice(4))).not.toContain('A first draft.')
    expect((await quaero.verify()).discrepancies).toEqual([])
  })

  it('cannot be resumed once it has ended, and is told apart from one that never was', async () => {
    const { quaero } = await openWorkflow(turn)
    const { runId } = await quaero.ask(question)
    await expect(quaero.resume(runId)).rejects.toThrow(RunEnded)
    await expect(quaero.cancel(runId)).rejects.toThrow(RunEnded)
    await expect(quaero.resume('nobody')).rejects.toThrow(RunNotFound)
  })
})

describe('a run', () => {
  it('is cancelled for good, at once, and the thread is free again', { tags: ['U5'] }, async () => {
    const hanging = held('Never said.')
    const { quaero } = await openWorkflow({ ...turn, orchestrator: [hanging.say, route()] })
    const running = quaero.ask(question, { threadId: 't1' })
    await hanging.asked
    const runId = (await quaero.runs.list())[0]?.runId ?? ''
    await quaero.cancel(runId)
    expect(await running).toMatchObject({ status: 'cancelled', answer: '' })
    await expect(quaero.resume(runId)).rejects.toThrow(RunEnded)
    const types = (await eventsOf(quaero.runs.events(runId))).map(({ type }) => type)
    expect(types).toContain('cancel.requested')
    expect(types.at(-1)).toBe('run.interrupted')
    expect((await quaero.ask(question, { threadId: 't1' })).status).toBe('completed')
  })

  it('fails by the name of a hook that throws, also when other calls of the round are under way', {
    tags: ['H3'],
  }, async () => {
    const hooks = [
      {
        name: 'redaction',
        tool: async (request: never, next: (same: never) => Promise<never>) => {
          const { args } = request as { readonly args: { readonly query: string } }
          if (args.query === 'a') throw new Error('no rules')
          return next(request)
        },
      },
    ]
    const { quaero } = await openWorkflow({ ...turn, research: [search('a', 'b', 'c')] }, { hooks: hooks as never })
    const result = await quaero.ask(question)
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'hook_failed', message: 'The tool hook of "redaction" failed: no rules' },
    })
    const types = (await eventsOf(quaero.runs.events(result.runId))).map(({ type }) => type)
    expect(types.slice(-3)).toEqual(['round.failed', 'agent.failed', 'run.failed'])
  })
})
