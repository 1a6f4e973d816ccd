import { appendFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { evaluate } from '../../../src/eval/evaluate.ts'
import { openJournal } from '../../../src/eval/journal.ts'
import type { RowScore } from '../../../src/eval/report.ts'
import { EndpointUnavailable, KeyRejected, ModelNotFound, QuotaExhausted } from '../../../src/models/port/errors.ts'
import { openQuaero, openWorkflow, route, search, temporaryFolder } from '../../fixtures/workflow.ts'

const marble = {
  id: 'marble',
  question: 'How many pages does the Marble corpus hold?',
  expect: { answers: ['81.1 million'] },
}
const halden = { id: 'halden', question: 'How many pages did the Halden filter remove?', expect: { answers: ['15.2'] } }

describe('an evaluation', () => {
  it('asks every question of the real workflow, and keeps the order of the dataset', async () => {
    const rows = [marble, { id: 'off', question: 'Who won the cup in 1966?', expect: { abstain: true } }, halden]
    const scores = await evaluate({ quaero: await openQuaero(), rows, concurrency: 3 })
    expect(scores.map(({ id, passed }) => [id, passed])).toEqual([
      ['marble', true],
      ['off', true],
      ['halden', true],
    ])
    expect(scores[0]).toMatchObject({
      agents: ['orchestrator', 'research', 'synthesis'],
      tools: ['pdf_retrieval', 'read_passages'],
    })
    expect(scores[0]?.citations.every(({ verified }) => verified)).toBe(true)
  })

  it('quotes in place of a model that failed are no answer of it', async () => {
    const down = new EndpointUnavailable('The endpoint is down.')
    const script = { orchestrator: [route()], research: [search('Marble pages'), 'Found.'], synthesis: [down] }
    const { quaero } = await openWorkflow(script, { settings: { endpoint: { retries: 0 } } })
    const [score] = await evaluate({ quaero, rows: [marble], concurrency: 1 })
    expect(score?.answer).toContain('81.1 million')
    expect(score).toMatchObject({ status: 'model_failed', passed: false, answerMatch: false, costUsd: null })
  })

  it.each([
    ['a key that is rejected', new KeyRejected('No such key.'), 'key_rejected'],
    ['a model that is not there', new ModelNotFound('No such model.'), 'model_not_found'],
    ['an account without credit', new QuotaExhausted('No credit.'), 'quota_exhausted'],
  ])('%s stops the evaluation at the first question', async (_, error, code) => {
    const { quaero } = await openWorkflow({ orchestrator: [error, error, error] })
    const ask = vi.spyOn(quaero, 'ask')
    const judged: string[] = []
    const options = { concurrency: 1, onRow: ({ id }: RowScore) => void judged.push(id) }
    const ended = evaluate({ quaero, rows: [marble, halden], ...options })
    await expect(ended).rejects.toMatchObject({ name: 'EvaluationStopped', code, message: error.message })
    expect({ asked: ask.mock.calls.length, judged }).toEqual({ asked: 1, judged: [] })
  })

  it('an empty library stops it too, and what runs beside is over when it has stopped', async () => {
    const quaero = await openQuaero({ dataDir: ':memory:' })
    const ended = evaluate({ quaero, rows: [marble, halden], concurrency: 2 })
    await expect(ended).rejects.toMatchObject({ code: 'no_documents' })
    const { quaero: other } = await openWorkflow({ orchestrator: [new KeyRejected('No such key.'), route()] })
    await expect(evaluate({ quaero: other, rows: [marble, halden], concurrency: 2 })).rejects.toThrow('No such key.')
    const states = (await other.runs.list()).map(({ status }) => status)
    expect(states).not.toContain('running')
  })

  it('asks the rows of a thread in turn, on one conversation', async () => {
    const rows = [
      { ...marble, thread: 'x' },
      halden,
      { id: 'follow-up', thread: 'x', question: 'When was it released?', expect: { answers: ['2021'] } },
    ]
    const scores = await evaluate({ quaero: await openQuaero(), rows, concurrency: 2 })
    expect(scores.map(({ passed }) => passed)).toEqual([true, true, true])
    expect(scores[2]?.threadId).toBe(scores[0]?.threadId)
    expect(scores[1]?.threadId).not.toBe(scores[0]?.threadId)
  })

  it('a question that is refused is a failure of its row, not of the evaluation', async () => {
    const rows = [{ id: 'long', question: 'x'.repeat(2_000_000), expect: { answers: ['x'] } }, marble]
    const [long, after] = await evaluate({ quaero: await openQuaero(), rows, concurrency: 1 })
    expect(long).toMatchObject({ status: 'refused', passed: false })
    expect(after?.passed).toBe(true)
  })

  it('goes on where it was stopped: what is judged is not asked again, but a conversation that was cut short is', async () => {
    const quaero = await openQuaero()
    const folder = await temporaryFolder()
    const rows = [marble, { ...halden, thread: 'x' }, { ...marble, id: 'again', thread: 'x' }]
    const journal = await openJournal(folder, [rows])
    const stop = new AbortController()
    const kept: RowScore[] = []
    const first = evaluate({
      quaero,
      rows,
      concurrency: 1,
      ask: { signal: stop.signal },
      onRow: async (score) => {
        await journal.keep(score)
        kept.push(score)
        if (kept.length === 2) stop.abort(new Error('stopped'))
      },
    })
    await expect(first).rejects.toThrow('stopped')
    const resumed = await openJournal(folder, [rows])
    expect(resumed.judged.map(({ id }) => id)).toEqual(['marble', 'halden'])
    const asked: string[] = []
    const scores = await evaluate({
      quaero,
      rows,
      judged: resumed.judged,
      concurrency: 1,
      onRow: ({ id }) => void asked.push(id),
    })
    expect(asked).toEqual(['halden', 'again'])
    expect(scores.map(({ passed }) => passed)).toEqual([true, true, true])
  })

  it('a journal with a torn line loses that row only, and is gone once the evaluation is complete', async () => {
    const folder = await temporaryFolder()
    const journal = await openJournal(folder, ['x'])
    const [score] = await evaluate({ quaero: await openQuaero(), rows: [marble], concurrency: 1 })
    if (!score) throw new Error('no score')
    await journal.keep(score)
    const [file = ''] = await readdir(folder)
    await appendFile(join(folder, file), '{"id":"torn"')
    expect((await openJournal(folder, ['x'])).judged).toEqual([score])
    expect((await openJournal(folder, ['y'])).judged).toEqual([])
    await journal.finish()
    expect((await openJournal(folder, ['x'])).judged).toEqual([])
  })
})
