import { rmSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { folder as listedFolder } from '../../../src/server/api/shapes.ts'
import { metrics } from '../../../src/server/metrics.ts'
import { folderOf, openQuaero, temporaryFolder } from '../../fixtures/workflow.ts'
import { served } from './served.ts'

const listed = z.object({ folders: z.array(listedFolder) })

describe('a server that keeps a folder current', () => {
  it('tells every user its name, what changed and why it is away, and no other folder', async () => {
    const folder = await folderOf()
    const quaero = await openQuaero({ model: 'extractive', dataDir: await temporaryFolder() })
    const own = metrics(null, () => quaero.library.watched())
    const send = await served(quaero, { metrics: own })
    const folders = async () => listed.parse(await (await send('/api/folders', { as: 'bob' })).json()).folders
    expect(await folders()).toEqual([])
    const stopping = new AbortController()
    onTestFinished(() => stopping.abort())
    const batches = quaero.library.watch([folder], { settleMs: 60, signal: stopping.signal })[Symbol.asyncIterator]()
    await batches.next()
    const kept = {
      name: basename(folder),
      counts: { added: 2, removed: 0 },
      changedAt: expect.any(String),
      problem: null,
    }
    expect(await folders()).toMatchObject([kept])
    expect(await own.text()).toContain('quaero_folder_changes_total{change="added"} 2')
    rmSync(folder, { recursive: true })
    await batches.next()
    const [away] = await folders()
    expect(away?.problem).toEqual({ code: 'path_not_found', message: expect.stringContaining(`"${basename(folder)}"`) })
    expect(JSON.stringify(away)).not.toContain(folder)
    expect(await own.text()).toContain('quaero_folder_changes_total{change="added"} 2')
  })
})
