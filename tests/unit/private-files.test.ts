import { chmod, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { openStorage } from '../../src/assembly/assemble-storage.ts'
import { loadConfig } from '../../src/config.ts'
import { createQuaero } from '../../src/quaero.ts'
import { temporaryFolder } from '../fixtures/workflow.ts'
import { served } from './server/served.ts'

/** The modes of a folder and of all within it, by path, as far as they let other accounts in. */
async function openTo(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true })
  const paths = [folder, ...names.map((name) => join(folder, name))]
  const modes = await Promise.all(paths.map(async (path) => [path, ((await stat(path)).mode & 0o077).toString(8)]))
  return modes.flatMap(([path = '', mode]) => (mode === '0' ? [] : [`${path} ${mode}`]))
}

const config = loadConfig({ overrides: { storage: null }, env: {} })

describe.skipIf(process.platform === 'win32')('the data folder', () => {
  it('is for its owner alone, with database, session logs and uploads, while it is used', async () => {
    const dataDir = join(await temporaryFolder(), 'new')
    const quaero = await createQuaero({ dataDir, config })
    try {
      const send = await served(quaero, {}, dataDir)
      const bytes = new TextEncoder().encode('# Heat\n\nSteam carries 540 calories a gram away.\n')
      expect((await send('/api/documents?name=heat.md', { body: bytes })).status).toBe(200)
      expect((await send('/api/ask', { body: { question: 'What does steam carry away?' } })).status).toBe(200)
      const kept = ['quaero.db', 'quaero.db-wal', 'sessions', 'uploads']
      await vi.waitFor(async () => expect(await readdir(dataDir)).toEqual(expect.arrayContaining(kept)))
      // A file that is being written has another name.
      await vi.waitFor(async () => {
        const logs = await readdir(join(dataDir, 'sessions'))
        expect([logs.length > 0, logs.filter((name) => name.endsWith('.tmp'))]).toEqual([true, []])
      })
      expect(await openTo(dataDir)).toEqual([])
    } finally {
      await quaero.close()
    }
  })

  it('is closed to others when it is opened, and so is what was kept there before; other files stay', async () => {
    const folder = await temporaryFolder()
    const dataDir = join(folder, 'old')
    await (await openStorage({ dataDir, address: null })).close()
    await mkdir(join(dataDir, 'sessions'))
    await mkdir(join(dataDir, 'uploads', 'alice', '0123'), { recursive: true })
    const ours = ['quaero.db', 'sessions/t1.md', 'uploads/alice/0123/a.pdf']
    const others = [join(dataDir, 'notes.md'), join(folder, 'elsewhere.md')]
    for (const path of [...ours.map((name) => join(dataDir, name)), ...others]) {
      await writeFile(path, '', { flag: 'a' })
      await chmod(path, 0o644)
    }
    await symlink(join(folder, 'elsewhere.md'), join(dataDir, 'sessions', 'link.md'))
    for (const name of ['', 'sessions', 'uploads', 'uploads/alice', 'uploads/alice/0123'])
      await chmod(join(dataDir, name), 0o755)
    await (await openStorage({ dataDir, address: null })).close()
    const left = (await openTo(dataDir)).filter((each) => !each.includes('link.md'))
    expect(left).toEqual([`${join(dataDir, 'notes.md')} 44`])
    expect((await stat(join(folder, 'elsewhere.md'))).mode & 0o777).toBe(0o644)
  })
})
