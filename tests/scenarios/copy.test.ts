import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { copyStore } from '../../src/assembly/assemble-storage.ts'
import { AlreadyExists, PathNotFound } from '../../src/errors.ts'
import { quaero as command } from '../fixtures/command-line.ts'
import { killedRun } from '../fixtures/killed-run.ts'
import { quickAndSlow } from '../fixtures/quick-rows.ts'
import { isOnPostgres } from '../fixtures/storage/chosen-storage.ts'
import { newDatabase } from '../fixtures/storage/new-database.ts'
import { postgresMissing } from '../fixtures/storage/postgres-server.ts'
import { folderOf, libraryFolder, openQuaero, temporaryFolder } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'

const ways = [
  ['a folder', 'PostgreSQL'],
  ['PostgreSQL', 'a folder'],
] as const

/** Each test has a folder and a database, whatever storage is chosen. */
const skipped = postgresMissing !== null || isOnPostgres()

describe.skipIf(skipped)(`a store that is copied (${postgresMissing ?? 'PostgreSQL'})`, () => {
  const emptyDatabase = async () => (await newDatabase()).url

  /** A conversation, a score, a thread without a question, a statement on a document. */
  async function filledFolder(): Promise<string> {
    const dataDir = await libraryFolder()
    const quaero = await openQuaero({ dataDir, settings: { storage: null } })
    const { runId } = await quaero.ask(question, { threadId: 'talk' })
    await quaero.ask('And when was it released?', { threadId: 'talk' })
    await quaero.runs.score(runId, { name: 'helpful', value: true })
    await quaero.threads.create({ threadId: 'unasked', title: 'Later', metadata: { topic: 'corpora' } })
    const [document] = await quaero.library.list()
    await quaero.library.set(document?.documentId ?? '', { year: 1999 })
    await quaero.close()
    return dataDir
  }

  /** What people see of a store. */
  async function seen(place: { readonly dataDir: string; readonly storage: string | null }) {
    const quaero = await openQuaero({ dataDir: place.dataDir, settings: { storage: place.storage } })
    const [documents, threads, runs] = [
      await quaero.library.list(),
      await quaero.threads.list(),
      await quaero.runs.list(),
    ]
    const { discrepancies } = await quaero.verify()
    const hits = await quaero.library.search(question)
    const messages = await quaero.threads.messages('talk')
    await quaero.close()
    const asked = threads.filter(({ turns }) => turns > 0)
    return {
      documents,
      asked,
      ids: threads.map(({ threadId }) => threadId).sort(),
      runs,
      discrepancies,
      hits,
      messages,
    }
  }

  it('is the same in PostgreSQL and back in a folder, and its conversation goes on', async () => {
    const [folder, address, back] = [await filledFolder(), await emptyDatabase(), await temporaryFolder()]
    const before = await seen({ dataDir: folder, storage: null })
    const progress: string[] = []
    const onProgress = ({ part, done, total }: { part: string; done: number; total: number }) =>
      progress.push(`${part} ${done}/${total}`)
    expect(await copyStore(folder, address, { onProgress })).toMatchObject({ runs: 2, documents: 2, scores: 1 })
    expect(progress).toEqual(['documents 1/2', 'documents 2/2', 'runs 1/2', 'runs 2/2', 'threads 1/2', 'threads 2/2'])
    const inDatabase = await seen({ dataDir: await temporaryFolder(), storage: address })
    expect(inDatabase).toEqual(before)
    expect(inDatabase.discrepancies).toEqual([])
    await copyStore(address, back)
    expect(await seen({ dataDir: back, storage: null })).toEqual(before)

    const quaero = await openQuaero({ dataDir: back, settings: { storage: address } })
    await quaero.ask('And by whom?', { threadId: 'talk' })
    expect((await quaero.threads.list())[0]).toMatchObject({ threadId: 'talk', turns: 3 })
  })

  it('is refused where there is data already, unless the copy goes on, which adds what is missing', async () => {
    const [folder, address] = [await filledFolder(), await emptyDatabase()]
    await copyStore(folder, address)
    await expect(copyStore(folder, address)).rejects.toThrow(AlreadyExists)
    const quaero = await openQuaero({ dataDir: folder, settings: { storage: null } })
    await quaero.ask(question, { threadId: 'second' })
    await quaero.close()
    expect(await copyStore(folder, address, { resume: true })).toMatchObject({ runs: 3, documents: 2 })
    await expect(copyStore(join(folder, 'none'), address)).rejects.toThrow(PathNotFound)
  })

  for (const { rows, tags } of quickAndSlow(ways)) {
    it.each(rows)(
      'holds a run that was interrupted, which goes on where it was copied from %s to %s',
      {
        tags,
      },
      async (from) => {
        const [cwd, address] = [await folderOf(), await emptyDatabase()]
        const [inFolder, inDatabase] = [
          { cwd, env: {} },
          { cwd, env: { QUAERO_DATABASE_URL: address } },
        ]
        const [source, target] = from === 'a folder' ? [inFolder, inDatabase] : [inDatabase, inFolder]
        await command(['add', '.'], source)
        const first = await killedRun(question, 'synthesis', source)
        // A question after it puts its checkpoints aside.
        await command(['ask', question, '-t', 'shared', '-m', 'extractive'], source)
        const second = await killedRun(question, 'synthesis', source)
        const places = from === 'a folder' ? [cwd, address] : [address, cwd]
        const copied = await command(['store', 'copy', ...places, '--json'], { cwd })
        expect([copied.code, JSON.parse(copied.out).rows]).toMatchObject([0, { runs: 3 }])

        for (const { runId, endpoint } of [second, first]) {
          const env = { ...target.env, ...endpoint.env }
          const { code, out } = await command(['runs', 'resume', runId, '--json'], { cwd, env })
          const answer = expect.stringContaining('81.1 million pages')
          expect([code, JSON.parse(out)]).toMatchObject([0, { runId, status: 'completed', answer }])
          expect(endpoint.calls()).toEqual(['orchestrator', 'research', 'research', 'synthesis', 'synthesis'])
        }
        const next = await command(['ask', question, '-t', 'shared', '-m', 'extractive', '--json'], target)
        expect([next.code, JSON.parse(next.out)]).toMatchObject([0, { status: 'completed', turn: 4 }])
      },
    )
  }

  it('is refused while uploaded files wait in it', async () => {
    const [address, cwd] = [await emptyDatabase(), await folderOf()]
    const quaero = await openQuaero({ dataDir: await temporaryFolder(), settings: { storage: address }, queued: true })
    let added: Promise<unknown> | undefined
    await new Promise<void>((resolve, reject) => {
      added = quaero.queue?.addFile(join(cwd, 'marble.md'), { onStored: resolve })
      added?.catch(reject)
    })
    await expect(copyStore(address, await temporaryFolder())).rejects.toThrow('Uploaded files wait')
    await quaero.queue?.work({ concurrency: 1 })
    await added
    expect(await copyStore(address, await temporaryFolder())).toMatchObject({ documents: 1 })
  })

  it('is copied by a command, which says what it copied', async () => {
    const [folder, address] = [await filledFolder(), await emptyDatabase()]
    const cwd = await temporaryFolder()
    const { code, out } = await command(['store', 'copy', folder, address, '--json'], { cwd })
    expect(code).toBe(0)
    expect(JSON.parse(out).rows).toMatchObject({ runs: 2, documents: 2, passages: 2 })
    const again = await command(['store', 'copy', folder, address], { cwd })
    expect(again.code).toBe(2)
    expect(again.err).toContain('is not empty')
  })
})
