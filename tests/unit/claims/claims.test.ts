import { expect, it } from 'vitest'
import { claimsOf } from '../../../src/claims/index.ts'
import { UsageError } from '../../../src/errors.ts'
import { event } from '../../../src/events/index.ts'
import { inOwnFolder, storages } from '../../fixtures/storage/storages.ts'

const runs = 450
const sentence = { text: 'It does.', state: 'quoted' as const, markers: [] }
const completed = {
  stopReason: 'answered' as const,
  ...{ ending: null, standaloneQuestion: null, answer: 'It does.', abstained: false },
  ...{ confidence: 0.5, clarification: null, citations: [], sentences: [sentence, sentence], unsupported: [] },
  error: null,
}

/** The log of an answer of two sentences; that of every third run has none. */
function logOf(index: number) {
  const runId = `r${index}`
  const created = { threadId: `t${index % 2}`, turn: index + 1, question: 'Does it?', documents: null }
  const sentences = index % 3 === 0 ? [] : completed.sentences
  const started = event('run.started', { attempt: 1, question: 'Does it?', model: 'stub' }, { correlationId: runId })
  const ended = { correlationId: runId, causationId: started.id }
  return [
    event('run.created', created, { correlationId: runId }),
    started,
    event('run.completed', { ...completed, sentences }, ended),
  ]
}

it.each(Object.entries(storages))(
  'claims come page by page in %s, and few logs are read for a page',
  async (_, open) => {
    const { storage, close } = await inOwnFolder(open)
    await storage.importRuns(Array.from({ length: runs }, (_, index) => logOf(index)))
    const read = { logs: 0, records: 0 }
    const events: typeof storage.events = {
      ...storage.events,
      async *logs(ids) {
        for await (const log of storage.events.logs(ids)) {
          read.logs += 1
          yield log
        }
      },
      async runs(filter) {
        const found = await storage.events.runs(filter)
        read.records = Math.max(read.records, found.length)
        return found
      },
    }
    const none = () => Promise.reject(new Error('There are no documents.'))
    const claims = claimsOf({ events }, { list: async () => [], text: none, document: none, search: async () => [] })
    const first = await claims.page({ limit: 3 })
    expect(first).toMatchObject({
      claims: [{ id: 'r449.1' }, { id: 'r449.2' }, { id: 'r448.1' }, { id: 'r448.2' }],
      next: 2,
    })
    // Three answers, and the run between them that has none.
    expect(read).toEqual({ logs: 4, records: 200 })
    const paged = [...first.claims]
    for (let next = first.next; next !== null; ) {
      const page = await claims.page({ cursor: next })
      expect(page.claims.length).toBeLessThanOrEqual(100)
      paged.push(...page.claims)
      next = page.next
    }
    const all = await claims.list()
    expect(all).toHaveLength(600)
    expect(new Set(paged.map(({ id }) => id))).toEqual(new Set(all.map(({ id }) => id)))
    expect(paged).toHaveLength(all.length)
    expect(read.records).toBe(200)
    expect([all[0]?.id, all[1]?.id, all.at(-1)?.id]).toEqual(['r1.1', 'r1.2', 'r449.2'])
    expect((await claims.list({ threadId: 't1' })).every(({ threadId }) => threadId === 't1')).toBe(true)
    expect(await claims.page({ runId: 'r4' })).toMatchObject({ claims: [{ id: 'r4.1' }, { id: 'r4.2' }], next: null })
    await expect(claims.page({ limit: 0 })).rejects.toThrow(UsageError)
    await close()
  },
)
