import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { quaero, spawnQuaero } from '../fixtures/command-line.ts'
import { databaseNamed, dropDatabase, postgresMissing } from '../fixtures/storage/postgres-server.ts'
import { folderOf } from '../fixtures/workflow.ts'

const password = 'granite-vault-9'

describe.skipIf(postgresMissing !== null)(`the storage in PostgreSQL (${postgresMissing ?? 'installed'})`, () => {
  async function opened() {
    const cwd = await folderOf()
    const name = basename(cwd)
    onTestFinished(() => dropDatabase(name))
    const url = (await databaseNamed(name)).replace('//quaero@', `//quaero:${password}@`)
    return { cwd, env: { QUAERO_DATABASE_URL: url }, name }
  }

  it('is checked by doctor, which names the database and never its password', { tags: ['T10'] }, async () => {
    const { cwd, env, name } = await opened()
    await quaero(['add', '.'], { cwd, env })
    const { code, out, err } = await quaero(['doctor', '--offline', '--verify', '--json'], { cwd, env })
    expect([code, JSON.parse(out).storage]).toMatchObject([
      0,
      { path: expect.stringContaining(name), integrity: 'ok', rows: { documents: 2, runs: 0 }, damagedPages: [] },
    ])
    const settings = await quaero(['config', 'show'], { cwd, env })
    const gone = { QUAERO_DATABASE_URL: env.QUAERO_DATABASE_URL.replace(name, 'no-such-database') }
    const failed = await quaero(['doctor', '--offline'], { cwd, env: gone })
    expect([failed.code, failed.out]).toEqual([1, expect.stringContaining('Create it with "createdb"')])
    for (const text of [out, err, settings.out, failed.out, failed.err]) expect(text).not.toContain(password)
  })

  it('holds one library, so that libraries of users are refused', async () => {
    const { cwd, env } = await opened()
    await writeFile(`${cwd}/quaero.yaml`, 'server: { library: own }\n')
    await writeFile(`${cwd}/tokens`, 'alice alice-has-this-token\n')
    const words = ['serve', '--config', 'quaero.yaml', '--tokens', 'tokens', '--port', '0']
    const { code, err } = await spawnQuaero(words, { cwd, env })
    expect([code, err]).toEqual([78, expect.stringContaining('set "server.library: shared"')])
  })
})
