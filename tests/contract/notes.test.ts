import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { InvalidId, RunNotFound, UsageError } from '../../src/errors.ts'
import { event } from '../../src/events/index.ts'
import { noteIn, writeNote } from '../../src/runs/log/note.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { inOwnFolder, storages } from '../fixtures/storage/storages.ts'

describe.each(Object.entries(storages))('a note on an answer in %s', (_, open) => {
  let storage: Storage
  let close: () => Promise<void>

  beforeEach(async () => {
    const opened = await inOwnFolder(open)
    storage = opened.storage
    close = opened.close
    const origin = { correlationId: 'r1' }
    await storage.events.append(
      event('run.created', { threadId: 't1', turn: 1, question: 'Why?', documents: null }, origin),
    )
  })
  afterEach(() => close())

  const write = (text: string, userId?: string) => writeNote('r1', { text, ...(userId && { userId }) }, storage)
  const kept = async () => noteIn(await storage.scores.of('r1'))

  it('is kept with its author, written again, and removed by an empty text', { tags: ['Q21'] }, async () => {
    const written = await write(' Seen \u0000 \ud800 😀\nin print ', 'ann')
    expect(written).toEqual({ text: 'Seen \u0000 \ud800 😀\nin print', userId: 'ann', writtenAt: expect.any(String) })
    expect(await kept()).toEqual(written)
    expect(await write('x'.repeat(4000))).toMatchObject({ text: 'x'.repeat(4000), userId: null })
    expect(await write(' \n ')).toBeNull()
    expect(await write('')).toBeNull()
    expect(await kept()).toBeUndefined()
  })

  it('waits for nobody, goes with its run into another store, and is gone with its thread', async () => {
    const written = await write('Seen in print', 'ann')
    expect(await storage.scores.waiting(10)).toEqual([])
    const other = await inOwnFolder(open)
    for await (const log of storage.events.logs(['r1'])) {
      await other.storage.importRuns([log], await storage.scores.of('r1'))
    }
    expect(noteIn(await other.storage.scores.of('r1'))).toEqual(written)
    await other.close()
    await storage.deleteThread('t1')
    expect((await storage.report()).rows).toMatchObject({ runs: 0, scores: 0 })
  })

  it('is refused where it is too long, no text, or of no run, and the one before stays', async () => {
    await write('Seen in print')
    for (const given of [{ text: 'x'.repeat(4001) }, { text: 1 }, {}, { text: 'a', colour: 'red' }, null]) {
      await expect(writeNote('r1', given as never, storage)).rejects.toThrow(UsageError)
    }
    await expect(write('a', 'x'.repeat(201))).rejects.toThrow('"userId" must be at most 200 characters long')
    await expect(writeNote('none', { text: 'a' }, storage)).rejects.toThrow(RunNotFound)
    await expect(writeNote('../x', { text: 'a' }, storage)).rejects.toThrow(InvalidId)
    expect(await kept()).toMatchObject({ text: 'Seen in print' })
  })
})
