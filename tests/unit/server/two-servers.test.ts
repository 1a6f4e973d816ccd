import { describe, expect, it } from 'vitest'
import { newDatabase } from '../../fixtures/storage/new-database.ts'
import { postgresMissing } from '../../fixtures/storage/postgres-server.ts'
import { folderOf, libraryFolder, openQuaero, temporaryFolder } from '../../fixtures/workflow.ts'
import { served } from './served.ts'

const question = 'How many pages does the Marble corpus hold?'

/** Two servers over one storage. */
const pairs = {
  async SQLite() {
    const dataDir = await libraryFolder()
    const open = () => openQuaero({ dataDir, settings: { storage: null } })
    return [await served(await open()), await served(await open())] as const
  },
  async PostgreSQL() {
    const { url } = await newDatabase()
    const open = async () => openQuaero({ dataDir: await temporaryFolder(), settings: { storage: url }, queued: true })
    const [one, other] = [await open(), await open()]
    await one.library.add([await folderOf()])
    await one.queue?.work({ concurrency: 1 })
    return [await served(one, { queue: one.queue }), await served(other, { queue: other.queue })] as const
  },
}

describe('the stream of a thread', () => {
  it.each(Object.entries(pairs))('tells of a question that another server is asked, on %s', async (name, open) => {
    if (name === 'PostgreSQL' && postgresMissing !== null) return
    const [asked, followed] = await open()
    const body = { channels: ['lifecycle', 'values'] }
    const events = (await followed('/threads/t1/stream/events', { body })).body?.getReader()
    expect((await asked('/api/ask', { body: { question, threadId: 't1' } })).status).toBe(200)
    let told = ''
    while (!told.includes('"completed"')) {
      const { value, done } = (await events?.read()) ?? { done: true }
      if (done) break
      told += new TextDecoder().decode(value)
    }
    await events?.cancel()
    expect(told).toContain('81.1 million pages')
  })
})
