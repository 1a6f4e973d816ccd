import { utimesSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadConfig, type Settings } from '../../../../src/config.ts'
import { DocumentUnreadable } from '../../../../src/errors.ts'
import { type Event, silentContext } from '../../../../src/events/index.ts'
import { addDocuments } from '../../../../src/library/ingestion/ingest.ts'
import { failureMemory } from '../../../../src/library/ingestion/remembered-failures.ts'
import type { AddOptions } from '../../../../src/library/port/library.ts'
import { makePdf } from '../../../fixtures/documents/make-pdf.ts'
import { libraryInFolder } from '../in-folder.ts'

const settings = loadConfig({ env: {} }).settings.library

describe('a file that could not be read', () => {
  it('is not read again until it changes, and says so', async () => {
    const { add, file, readings } = await watched()
    const path = file('a.pdf', '%PDF-1.4 broken')
    const [first] = (await add()).documents
    expect(readings()).toBe(1)
    const [again] = (await add()).documents
    expect(readings()).toBe(0)
    expect(again?.error?.code).toBe(first?.error?.code)
    expect(again?.error?.message).toBe(
      `${first?.error?.message}. It has not changed since, so it was not read again; "quaero add --retry" does that`,
    )
    utimesSync(path, new Date(0), new Date(0))
    await add()
    expect(readings()).toBe(1)
  })

  it('is read again with retry, and after that as little as before', async () => {
    const { add, file, readings } = await watched()
    file('a.pdf', '%PDF-1.4 broken')
    await add()
    await add({ retry: true })
    await add()
    expect(readings()).toBe(2)
  })

  it('is read again with more of what it lacked', async () => {
    const { add, file, readings } = await watched()
    file('a.md', `# A\n\n${'Lakes are large. '.repeat(200)}`)
    const [small] = (await add({}, { textMegabytes: 0.001 })).documents
    expect(small?.error?.code).toBe('over_budget')
    expect((await add()).documents[0]?.status).toBe('added')
    expect(readings()).toBe(2)
  })

  it('is read again with a password, if it was one that was missing', async () => {
    const { add, file } = await watched()
    file('a.pdf', makePdf([[{ x: 72, y: 700, text: 'Ponds are small.' }]], { userPassword: 'sesame' }))
    expect((await add()).documents[0]?.error?.code).toBe('password_needed')
    expect((await add({ passwords: ['wrong'] })).documents[0]?.error?.message).toMatch(/none of the passwords/)
    expect((await add({ passwords: ['sesame'] })).documents[0]).toMatchObject({ status: 'added', error: null })
    expect((await add()).documents[0]).toMatchObject({ status: 'unchanged', error: null })
  })

  it('is tried again if it was the machine that failed', async () => {
    const { index } = await watched()
    const memory = failureMemory({ index, settings })
    const place = { source: 'a.pdf', size: 1, modifiedMs: 2 }
    await memory.remember(place, new DocumentUnreadable('reader_crashed', 'It was killed'))
    await expect(memory.check(place)).resolves.toBeUndefined()
    await memory.remember(place, new DocumentUnreadable('malformed_file', 'It is damaged'))
    await expect(memory.check(place)).rejects.toThrow('It is damaged. It has not changed')
    await expect(memory.check({ ...place, size: 3 })).resolves.toBeUndefined()
  })
})

/** A folder whose files' readings are counted. */
async function watched() {
  const { index, papers, file } = await libraryInFolder()
  const events: Event[] = []
  const context = { ...silentContext(), emit: async (event: Event) => void events.push(event) }
  return {
    index,
    file,
    add: (options: AddOptions = {}, overrides: Partial<Settings['library']> = {}) =>
      addDocuments([papers], { index, settings: { ...settings, ...overrides }, context, ...options }),
    /** Files that were opened since this was last asked. */
    readings: () => events.splice(0).filter(({ type }) => type === 'ingest.started').length,
  }
}
