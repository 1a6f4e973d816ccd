import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { fillTable, type TableParts } from '../../../src/claims/table/fill-table.ts'
import { UsageError } from '../../../src/errors.ts'
import { silentContext } from '../../../src/events/index.ts'
import type { Quaero, Table } from '../../../src/index.ts'
import { runGroups } from '../../../src/runs/index.ts'
import { cellModel, quickCells } from '../../fixtures/cell-model.ts'
import { gate, libraryFolder, openQuaero, temporaryFolder } from '../../fixtures/workflow.ts'
import { runResult } from '../cli/run-result.ts'

const pages = { question: 'How many pages?', form: 'number' } as const
const more = { question: 'How many pages are there in all?', form: 'number' } as const

const values = ({ rows }: Table) => rows.map(({ cells }) => cells.map(({ value, state }) => value ?? state))

async function opened(instead?: Parameters<typeof cellModel>[0], dataDir?: string) {
  const model = cellModel(instead)
  const quaero = await openQuaero({ model, settings: quickCells, dataDir: dataDir ?? (await libraryFolder()) })
  return { quaero, model, calls: () => model.heard.length }
}

describe('a table of questions and documents', { tags: ['Q18'] }, () => {
  it('has a value with its quote for each document, and costs nothing when it is asked for again', async () => {
    const dataDir = await libraryFolder()
    const { quaero, calls } = await opened(undefined, dataDir)
    const table = await quaero.table({ columns: [pages] }).result()
    expect(values(table)).toEqual([['15.2 million pages'], ['81.1 million pages']])
    expect(table.rows[1]?.cells[0]?.quotes).toMatchObject([{ text: 'holds 81.1 million pages', page: 1 }])
    const paid = calls()
    const again = quaero.table({ columns: [pages] })
    expect(await again.plan()).toMatchObject({ known: 2, open: 0 })
    expect(await again.result()).toEqual(table)
    await quaero.close()
    // Another process finds them in the log, too.
    const { quaero: other, calls: callsOfOther } = await opened(undefined, dataDir)
    expect(await other.table({ columns: [pages] }).result()).toEqual(table)
    expect([calls(), callsOfOther()]).toEqual([paid, 0])
  })

  it('asks only what is missing for new columns and new documents', async () => {
    const { quaero, calls } = await opened()
    await quaero.table({ columns: [pages] }).result()
    const folder = await temporaryFolder()
    writeFileSync(join(folder, 'slate.md'), '# The Slate corpus\n\nThe Slate corpus holds 3.5 million pages.\n')
    const before = calls()
    await quaero.library.add([folder])
    const wider = quaero.table({ columns: [pages, more] })
    expect(await wider.plan()).toMatchObject({ known: 2, open: 4 })
    expect(
      values(await wider.result())
        .flat()
        .sort(),
    ).toEqual(['15.2', '15.2', '3.5', '3.5', '81.1', '81.1'].map((value) => `${value} million pages`))
    expect(calls() - before).toBe(4)
    expect(await quaero.table({ columns: [{ ...pages, form: 'text' }] }).plan()).toMatchObject({ known: 0, open: 3 })
  })

  it('asks all again when it is asked for afresh, and then knows the new cells', async () => {
    let million = 1
    const { quaero, calls } = await opened(() => `${million} apples: It does.[P1: "million pages"]`)
    const first = await quaero.table({ columns: [pages] }).result()
    million = 2
    const before = calls()
    const fresh = await quaero.table({ columns: [pages], afresh: true }).result()
    expect(calls()).toBe(2 * before)
    expect(await quaero.table({ columns: [pages] }).result()).toEqual(fresh)
    expect(fresh.rows.map(({ cells }) => cells[0]?.runId)).not.toEqual(first.rows.map(({ cells }) => cells[0]?.runId))
  })

  it('asks anew where a run failed, and only there', async () => {
    let isDown = true
    const { quaero, calls } = await opened(() => (isDown ? new Error('The endpoint is down.') : undefined))
    const failed = await quaero.table({ columns: [pages] }).result()
    expect(values(failed)).toEqual([['failed'], ['failed']])
    isDown = false
    const work = quaero.table({ columns: [pages] })
    expect(await work.plan()).toMatchObject({ known: 0, open: 2 })
    expect(values(await work.result())).toEqual([['15.2 million pages'], ['81.1 million pages']])
    const paid = calls()
    await quaero.table({ columns: [pages] }).result()
    expect(calls()).toBe(paid)
  })

  it('does not take a search that a limit has stopped for its last word', async () => {
    const { quaero, calls } = await opened(() => '<abstain/>')
    const stopped = await quaero.table({ columns: [pages], limits: { modelCalls: 2 } }).result()
    expect(values(stopped)).toEqual([['failed'], ['failed']])
    expect(stopped.rows[0]?.cells[0]?.reason).toBe('The limit of modelCalls was reached.')
    const before = calls()
    expect(values(await quaero.table({ columns: [pages] }).result())).toEqual([['not reported'], ['not reported']])
    expect(calls()).toBeGreaterThan(before)
    expect(await quaero.table({ columns: [pages] }).plan()).toMatchObject({ known: 2, open: 0 })
  })

  it('keeps what was filled when it is stopped, and resumes the rest', async () => {
    const dataDir = await libraryFolder()
    const halden = gate()
    let asked = 0
    const { quaero } = await opened(() => {
      asked += 1
      return asked === 2 ? halden.opened.then(() => 'never said') : undefined
    }, dataDir)
    const stop = new AbortController()
    const work = quaero.table({ columns: [pages], atOnce: 1, signal: stop.signal })
    for await (const { isKnown } of work.cells()) {
      expect(isKnown).toBe(false)
      setTimeout(() => stop.abort(), 50)
    }
    const stopped = await work.result()
    expect(values(stopped)).toEqual([['15.2 million pages'], ['open']])
    await quaero.close()
    const { quaero: other, calls } = await opened(undefined, dataDir)
    const again = other.table({ columns: [pages] })
    expect(await again.plan()).toMatchObject({ known: 1, open: 1 })
    expect(values(await again.result())).toEqual([['15.2 million pages'], ['81.1 million pages']])
    expect(calls()).toBe(1)
    expect(await other.runs.list()).toHaveLength(2)
  })

  it('pays each cell once where two tables are asked for at the same time', async () => {
    const { quaero, calls } = await opened()
    const tables = await Promise.all([1, 2].map(() => quaero.table({ columns: [pages, more] }).result()))
    expect(tables[1]).toEqual(tables[0])
    expect(calls()).toBe(4)
  })

  it('asks on threads of its own, which no list of conversations shows', async () => {
    const { quaero } = await opened()
    await quaero.table({ columns: [pages] }).result()
    await quaero.ask('How many pages does the Marble corpus hold?', { threadId: 'cell-culture' })
    expect((await quaero.threads.list()).map(({ threadId }) => threadId)).toEqual(['cell-culture'])
    expect(await quaero.threads.list({ except: '' })).toEqual([])
    expect(await quaero.threads.list({ prefix: 'quaero-cell-', except: 'none' })).toHaveLength(2)
  })

  it('without a language model holds a quote of each document', async () => {
    const quaero = await openQuaero({ model: 'extractive' })
    const { rows } = await quaero.table({ columns: ['How many pages does the Marble corpus hold?'] }).result()
    const [cell] = rows[1]?.cells ?? []
    expect(cell).toMatchObject({ state: 'verified', value: expect.stringContaining('81.1 million pages') })
    for (const { documentId, page, start, end, text } of cell?.quotes ?? []) {
      expect((await quaero.library.text(documentId, page)).text.slice(start, end)).toBe(text)
    }
  })
})

describe('cells under way', () => {
  it('are at most as many as were asked for, and those that are known come first', { tags: ['Q18'] }, async () => {
    let [now, most] = [0, 0]
    const work = await tableOf(async (question) => {
      now += 1
      most = Math.max(most, now)
      await new Promise((resolve) => setTimeout(resolve, 1))
      now -= 1
      return runResult({ question })
    })
    const cells = []
    for await (const cell of work({ columns: ['a?', 'b?', 'c?'], atOnce: 2 }).cells()) cells.push(cell)
    expect([most, cells.length]).toEqual([2, 6])
  })

  it('are stopped when the loop is left, and their failures then trouble nobody', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const signals: AbortSignal[] = []
    const work = await tableOf((question, { signal }) => {
      if (signal) signals.push(signal)
      return signals.length === 1
        ? Promise.resolve(runResult({ question }))
        : new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('stopped'))))
    })
    for await (const _ of work({ columns: ['a?', 'b?'], atOnce: 2 }).cells()) break
    await new Promise((resolve) => setTimeout(resolve, 5))
    process.off('unhandledRejection', unhandled)
    expect(signals.length).toBeGreaterThan(1)
    expect(signals.every(({ aborted }) => aborted)).toBe(true)
    expect(unhandled).not.toHaveBeenCalled()
  })
})

describe('a table that cannot be', () => {
  it.each([
    [{ columns: [] }, /columns/],
    [{ columns: [' '] }, /columns/],
    [{ columns: ['a?'], atOnce: 0 }, /atOnce/],
    [{ columns: ['x'.repeat(20_001)] }, /columns.0.question/],
    [{ columns: ['a?'], colour: 'red' }, /colour/],
    [
      {
        columns: [
          { question: 'a?', id: 'x' },
          { question: 'b?', id: 'x' },
        ],
      },
      /Two columns have the id "x"/,
    ],
    [{ columns: ['a?'], documentIds: ['none'] }, /There is no document "none"/],
    [{ columns: ['a?'], documentIds: [] }, /There are no documents to ask/],
    [{ columns: ['a?'], documentIds: [], documents: [] }, /not both/],
    [{ columns: Array.from({ length: 201 }, () => 'a?') }, /at most 200 questions, and these are 201/],
  ])('is refused: %j', async (request, message) => {
    const work = await tableOf(async () => runResult())
    const result = async () => work(request).result()
    await expect(result()).rejects.toThrow(UsageError)
    await expect(result()).rejects.toThrow(message)
  })
})

/** Tables over two documents whose cells a stub fills; nothing is known. */
async function tableOf(ask: TableParts['ask']): Promise<Quaero['table']> {
  const { library } = await openQuaero({ model: 'extractive' })
  const group = runGroups(silentContext)
  return (request) => fillTable(request, { read: async () => null, library, modelNames: ['stub'], ask, group })
}
