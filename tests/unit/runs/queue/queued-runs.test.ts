import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { StaleApproval, ThreadBusy, WorkersLost } from '../../../../src/errors.ts'
import type { Event } from '../../../../src/events/index.ts'
import type { Script } from '../../../../src/models/scripted.ts'
import { refuseHopeless } from '../../../../src/runs/queue/queued-runs.ts'
import { defineTool } from '../../../../src/tools/tool.ts'
import { newDatabase } from '../../../fixtures/storage/new-database.ts'
import { postgresMissing } from '../../../fixtures/storage/postgres-server.ts'
import {
  calls,
  cited,
  folderOf,
  openWorkflow,
  route,
  search,
  temporaryFolder,
  type WorkflowOptions,
} from '../../../fixtures/workflow.ts'

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : ''
const question = 'How many pages does the Marble corpus hold?'
const answer = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
/** So many turns of one thread. */
const turns = (count: number): Script => ({
  orchestrator: Array.from({ length: count }, () => route()),
  research: Array.from({ length: count }, () => [search('Marble corpus pages'), 'Done.']).flat(),
  synthesis: Array.from({ length: count }, () => answer),
})

describe('a run that loses its workers', () => {
  /** Their beginnings, so long ago; only what is looked at. */
  const started = (minutes: number) => {
    const timestamp = new Date(Date.now() - minutes * 60_000).toISOString()
    return Array.from({ length: 20 }, () => ({ type: 'run.started', timestamp }) as Event)
  }

  it('is given up after twenty of them, once five minutes are over without a finished call', () => {
    expect(() => refuseHopeless(started(6))).toThrow(WorkersLost)
    expect(() => refuseHopeless(started(6).slice(1))).not.toThrow()
    expect(() => refuseHopeless(started(4))).not.toThrow()
    expect(() => refuseHopeless([...started(6), { type: 'model.completed' } as Event])).not.toThrow()
  })
})

describe.skipIf(postgresMissing !== null)(`a question that is submitted to the queue${skipped}`, () => {
  let url: string | null

  beforeEach(() => {
    url = null
  })

  const open = async (script: Script, options: Pick<WorkflowOptions, 'tools' | 'settings'> = {}) => {
    // Removed after all engines of the test are closed, since it is made before them.
    url ??= (await newDatabase()).url
    const dataDir = await temporaryFolder()
    const { quaero, model } = await openWorkflow(script, {
      ...options,
      settings: { storage: url, ...options.settings },
      dataDir,
      documents: [await folderOf()],
      queued: true,
    })
    const { queue } = quaero
    if (!queue) throw new Error('A storage in PostgreSQL has a queue.')
    return { quaero, queue, model }
  }

  it('is answered by a worker of another engine, and followed without a gap', async () => {
    const api = await open([])
    const worker = await open(turns(1))
    const asked = api.quaero.ask(question, { threadId: 't1' })
    await worker.queue.work({ concurrency: 1 })
    const { runId } = await asked
    expect(await asked).toMatchObject({ status: 'completed', turn: 1 })
    const positions: number[] = []
    for await (const line of api.quaero.follow(runId)) if ('position' in line) positions.push(line.position)
    expect(positions).toEqual(positions.map((_, index) => index + 1))
    expect((await worker.quaero.verify()).discrepancies).toEqual([])
    await expect.poll(async () => (await api.quaero.report()).rows.leases).toBe(0)
    expect(await api.queue.figures()).toMatchObject({ waiting: 0, working: 0 })
  })

  it('is answered after those that were asked on its thread before, in one conversation', async () => {
    const { quaero, queue, model } = await open(turns(3))
    const runs: Promise<unknown>[] = []
    for (const ordinal of ['First', 'Second', 'Third']) {
      const stream = quaero.stream(`${ordinal}: ${question}`, { threadId: 't1' })[Symbol.asyncIterator]()
      await stream.next()
      runs.push(drained(stream))
    }
    const [second] = (await quaero.runs.list({ threadId: 't1' })).slice(1)
    expect(second).toMatchObject({ status: 'queued' })
    await queue.work({ concurrency: 4 })
    await Promise.all(runs)
    const asked = model.heard.map((messages) => String(messages.at(-1)?.content))
    const order = ['First', 'Second', 'Third'].map((ordinal) => asked.findIndex((text) => text.includes(ordinal)))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect((await quaero.threads.messages('t1')).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
    ])
    expect((await quaero.verify()).discrepancies).toEqual([])
  })

  it('is never begun if it is cancelled while it waits', async () => {
    const { quaero, queue, model } = await open(turns(1))
    const first = await submitted(quaero.stream(question, { threadId: 't1' }))
    const second = await submitted(quaero.stream(question, { threadId: 't1' }))
    await quaero.cancel(first.runId)
    await queue.work({ concurrency: 1 })
    await drained(second.rest)
    expect(await quaero.runs.show(second.runId)).toMatchObject({ status: 'completed', turn: 2 })
    expect(await quaero.status(first.runId)).toMatchObject({ state: 'cancelled', attempt: 0 })
    expect(model.heard).toHaveLength(4)
  })

  it('waits for an approval without its worker, and goes on once it is answered', async () => {
    const sent: string[] = []
    const send = defineTool({
      name: 'send',
      description: 'Sends.',
      input: z.object({}),
      sensitive: true,
      run: async () => `${sent.push('sent')}`,
    })
    const script: Script = {
      orchestrator: [route(), route()],
      research: [calls(['send', {}]), search('Marble corpus pages'), 'Done.', search('Marble corpus pages'), 'Done.'],
      synthesis: [answer, answer],
    }
    const { quaero, queue } = await open(script, { tools: [send], settings: { tools: { trust: 'careful' } } })
    await queue.work({ concurrency: 1 })
    const { runId, status, approvals } = await quaero.ask(question, { threadId: 't1' })
    expect(status).toBe('requires_action')
    expect(await queue.figures()).toMatchObject({ waiting: 0, working: 0 })
    expect(await quaero.ask(question, { threadId: 't1' })).toMatchObject({ status: 'completed', turn: 2 })
    await expect(quaero.resume(runId, { none: { approved: true } })).rejects.toThrow(StaleApproval)
    const resumed = await quaero.resume(runId, { [approvals[0]?.id ?? '']: { approved: true } })
    expect(resumed).toMatchObject({ status: 'completed', turn: 1 })
    expect(sent).toEqual(['sent'])
    // The worker puts the turns of the thread in order after the last event of the run.
    await expect.poll(async () => (await quaero.verify()).discrepancies, { timeout: 20_000 }).toEqual([])
  })

  it('keeps its thread from questions that are asked without the queue', async () => {
    const { quaero } = await open([])
    await submitted(quaero.stream(question, { threadId: 't1' }))
    const direct = await openWorkflow(turns(1), { settings: { storage: url }, dataDir: await temporaryFolder() })
    await expect(direct.quaero.ask(question, { threadId: 't1' })).rejects.toThrow(ThreadBusy)
  })

  it('goes to another worker where the one at work on it is closed, and no finished call is made again', async () => {
    let reached = () => {}
    const isReached = new Promise<void>((resolve) => {
      reached = resolve
    })
    const stuck = { say: 'Never said.', gate: new Promise<never>(() => {}) }
    const first = await open({
      orchestrator: [route()],
      research: [
        () => {
          reached()
          return search('Marble corpus pages')
        },
        stuck,
      ],
    })
    await first.queue.work({ concurrency: 1 })
    const { runId, rest } = await submitted(first.quaero.stream(question, { threadId: 't1' }))
    await isReached
    await expect.poll(async () => (await first.quaero.status(runId)).toolCalls).toBe(1)
    await first.quaero.close()
    await rest.return?.()
    const second = await open({ research: ['Done.'], synthesis: [answer] })
    await second.queue.work({ concurrency: 1 })
    for await (const _ of second.quaero.follow(runId));
    expect(await second.quaero.runs.show(runId)).toMatchObject({ status: 'completed' })
  })
})

async function submitted<T extends { readonly runId: string | null }>(stream: AsyncIterable<T>) {
  const rest = stream[Symbol.asyncIterator]()
  const { value } = await rest.next()
  return { runId: value.runId as string, rest }
}

async function drained(rest: AsyncIterator<unknown>): Promise<void> {
  while (!(await rest.next()).done);
}
