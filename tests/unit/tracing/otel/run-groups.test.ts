import { describe, expect, it } from 'vitest'
import type { Quaero, StreamEvent } from '../../../../src/index.ts'
import { scriptedModel } from '../../../../src/models/scripted.ts'
import { traceIdOf } from '../../../../src/tracing/otel/trace-ids.ts'
import { cellModel, quickCells } from '../../../fixtures/cell-model.ts'
import { readTrace } from '../../../fixtures/langfuse/rules.ts'
import { answering, question, tracing } from '../../../fixtures/langfuse/tracing.ts'
import { reportModel } from '../../../fixtures/report-model.ts'
import { gate, libraryFolder, openQuaero, openWorkflow } from '../../../fixtures/workflow.ts'

const columns = [{ question: 'How many pages?', form: 'number' }] as const

async function traced(instead?: Parameters<typeof cellModel>[0], dataDir?: string, model = cellModel(instead)) {
  const { server, subscriber, flush } = await tracing()
  const told: StreamEvent[] = []
  const listener = (line: StreamEvent) => void told.push(line)
  const quaero = await openQuaero({
    model,
    settings: quickCells,
    dataDir: dataDir ?? (await libraryFolder()),
    subscribers: [subscriber, listener],
  })
  const of = <T extends StreamEvent['type']>(type: T) =>
    told.flatMap((line) => (line.type === type ? [line as Extract<StreamEvent, { type: T }>] : []))
  return { server, flush, quaero, of }
}

/** What the log says of the trace that a run belongs to. */
async function storedParent({ runs }: Quaero, runId: string): Promise<string> {
  const [created] = (await runs.export(runId)).split('\n')
  return JSON.parse(created ?? '').payload.traceParent
}

describe('a table', { tags: ['T4'] }, () => {
  it('is one trace: its root says what it is and what came of it, and has the run of each cell below', async () => {
    const { server, flush, quaero } = await traced()
    const { rows } = await quaero.table({ columns }).result()
    await flush()
    const { root, named } = readTrace(server.spans())
    expect(root).toMatchObject({ name: 'table', attributes: { 'langfuse.observation.input': 'How many pages?' } })
    const about = Object.entries(root.attributes).filter(([name]) => name.startsWith('langfuse.observation.metadata.'))
    expect(Object.fromEntries(about.map(([name, value]) => [name.split('.').at(-1), value]))).toMatchObject({
      ...{ documents: 2, known: 0, open: 2, state: 'completed', runs: 2, modelCalls: 2 },
    })
    expect(JSON.parse(String(root.attributes['langfuse.observation.output']))).toEqual({ quoted: 2 })
    const cells = named('quaero')
    expect(cells.map(({ parentSpanId }) => parentSpanId)).toEqual([root.spanId, root.spanId])
    expect(cells.every(({ attributes }) => attributes['langfuse.trace.output'] === undefined)).toBe(true)
    expect(rows).toHaveLength(2)
  })

  it('is told to subscribers, its runs have its traceParent, and one that is known asks and tells nothing', async () => {
    const { quaero, of } = await traced()
    await quaero.table({ columns }).result()
    const [begun] = of('group.begun')
    const { traceParent = '' } = begun?.payload ?? {}
    expect(begun).toMatchObject({
      threadId: null,
      payload: { kind: 'table', name: 'How many pages?', documents: 2, known: 0, open: 2 },
    })
    const runs = of('run.created').map(({ payload }) => payload)
    expect(runs.map((each) => each.traceParent)).toEqual([traceParent, traceParent])
    const documents = (await quaero.library.list()).map(({ documentId }) => documentId)
    expect(runs.flatMap((each) => each.documents ?? []).sort()).toEqual(documents.sort())
    expect(of('group.ended').map(({ payload }) => payload)).toMatchObject([
      { kind: 'table', traceParent, state: 'completed', counts: { quoted: 2 }, usage: { runs: 2, modelCalls: 2 } },
    ])
    await quaero.table({ columns }).result()
    expect(of('group.begun')).toHaveLength(1)
  })

  it('that was stopped is told so; what goes on in another process joins its trace', async () => {
    const dataDir = await libraryFolder()
    const held = gate()
    let asked = 0
    const first = await traced(() => {
      asked += 1
      return asked === 2 ? held.opened.then(() => 'never said') : undefined
    }, dataDir)
    for await (const _ of first.quaero.table({ columns, atOnce: 1 }).cells()) break
    expect(first.of('group.ended')).toMatchObject([{ payload: { state: 'stopped', counts: { quoted: 1 } } }])
    await first.quaero.close()
    const { quaero, of } = await traced(undefined, dataDir)
    const { rows } = await quaero.table({ columns }).result()
    expect(of('group.ended')).toMatchObject([{ payload: { state: 'completed', counts: { quoted: 2 } } }])
    const parents = [...first.of('group.begun'), ...of('group.begun')].map(({ payload }) => payload.traceParent)
    for (const { runId } of rows.flatMap(({ cells }) => cells)) parents.push(await storedParent(quaero, runId ?? ''))
    expect(parents).toHaveLength(4)
    expect(new Set(parents).size).toBe(1)
  })
})

describe('a report, and an audit', { tags: ['T4'] }, () => {
  it('are one trace each, with their questions, sections and calls below', async () => {
    const { server, flush, quaero, of } = await traced(undefined, undefined, reportModel())
    await quaero.writeReport({ question: 'What is known of the pages?' }).result()
    await flush()
    const spans = server.spans()
    const [root, ...others] = spans.filter(({ parentSpanId }) => parentSpanId === null)
    const runs = spans.filter(({ name }) => name === 'quaero')
    expect([root?.name, others]).toEqual(['report', []])
    expect(runs.every(({ parentSpanId }) => parentSpanId === root?.spanId)).toBe(true)
    expect(of('group.ended').map(({ payload }) => payload)).toMatchObject([
      {
        ...{ kind: 'report', state: 'completed', counts: { outline: 1, found: 3, 'not found': 1, section: 2 } },
        usage: { runs: runs.length },
      },
    ])
  })

  it('has the calls of an audit below it', async () => {
    const model = scriptedModel([() => '1 yes P1'])
    const { server, flush, quaero, of } = await traced(undefined, undefined, model)
    await quaero.audit({ text: 'The Marble corpus holds 81.1 million pages.' })
    await flush()
    const { root, named } = readTrace(server.spans())
    expect(root).toMatchObject({ name: 'audit', spanId: named('quaero')[0]?.parentSpanId })
    expect(of('group.ended')).toMatchObject([{ payload: { state: 'completed', counts: { supported: 1 } } }])
  })
})

describe('a run that is asked with a traceParent', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const traceParent = `00-${traceId}-00f067aa0ba902b7-01`

  it('is traced below the span of its caller', { tags: ['T4'] }, async () => {
    const { server, subscriber, flush } = await tracing()
    const { quaero } = await openWorkflow(answering, { subscribers: [subscriber] })
    const { runId } = await quaero.ask(question, { traceParent })
    await flush()
    const root = server.spans().find(({ name }) => name === 'quaero')
    expect(root).toMatchObject({ traceId, parentSpanId: '00f067aa0ba902b7' })
    expect(new Set(server.spans().map((each) => each.traceId))).toEqual(new Set([traceId]))
    expect(traceIdOf(runId)).not.toBe(traceId)
  })

  it.each(['', '00-1-2-01', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`])('refuses %j', async (wrong) => {
    const { quaero } = await openWorkflow(answering)
    await expect(quaero.ask(question, { traceParent: wrong })).rejects.toThrow(/traceParent/)
  })
})
