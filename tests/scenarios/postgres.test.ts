import { writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { quaero, spawnQuaero } from '../fixtures/command-line.ts'
import { killedRun } from '../fixtures/killed-run.ts'
import { newDatabase } from '../fixtures/storage/new-database.ts'
import { administer, guarded, postgresMissing } from '../fixtures/storage/postgres-server.ts'
import { folderOf, temporaryFolder } from '../fixtures/workflow.ts'

const password = 'granite-vault-9'
const question = 'How many pages does the Marble corpus hold?'

interface Failure {
  /** What the administrator does to a database that holds documents. */
  readonly spoil?: (name: string) => string
  /** What the address becomes. */
  readonly address?: (url: string) => string
  readonly said: string
}

const failures: readonly (readonly [what: string, failure: Failure])[] = [
  [
    'a server that is away',
    { address: (url) => url.replace(/host=.*/, 'host=127.0.0.1&port=1'), said: 'cannot be reached. Start the server' },
  ],
  [
    'a wrong password',
    { address: (url) => url.replace('//quaero:', `//${guarded}:`), said: 'refuses the user or the password' },
  ],
  [
    'a newer schema',
    { spoil: () => 'UPDATE quaero.schema_version SET version = 99', said: 'has schema version 99; this version' },
  ],
  [
    'a database that takes no writes',
    { spoil: (name) => `ALTER DATABASE "${name}" SET default_transaction_read_only = on`, said: 'it is read-only' },
  ],
]

describe.skipIf(postgresMissing !== null)(`the storage in PostgreSQL (${postgresMissing ?? 'installed'})`, () => {
  async function opened() {
    const [cwd, { name, url }] = [await folderOf(), await newDatabase()]
    return { cwd, env: { QUAERO_DATABASE_URL: url.replace('//quaero@', `//quaero:${password}@`) }, name }
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

  it.each(failures)('fails with %s: exit code 1 and one line that says why', async (_, { spoil, address, said }) => {
    const { cwd, env, name } = await opened()
    const url = env.QUAERO_DATABASE_URL
    await quaero(['add', '.'], { cwd, env })
    await writeFile(`${cwd}/later.md`, '# Later\n\nThis came later.\n')
    if (spoil) await administer(url, spoil(name))
    const spoiled = { cwd, env: { QUAERO_DATABASE_URL: address?.(url) ?? url } }
    for (const words of [
      ['ask', question, '-m', 'extractive'],
      ['add', 'later.md'],
    ]) {
      const { code, out, err } = await quaero(words, spoiled)
      expect([words[0], code, out]).toEqual([words[0], 1, ''])
      expect(err.trimEnd().split('\n')).toEqual([expect.stringContaining(said)])
      expect(err).not.toContain(password)
      const { error } = JSON.parse((await quaero([...words, '--json'], spoiled)).out)
      expect(error.message).toContain(said)
      expect(error.message).not.toContain(password)
    }
  })

  it('lets a process in another folder finish a run whose process was killed, and a third go on with the thread', async () => {
    const { cwd, env } = await opened()
    await quaero(['add', '.'], { cwd, env })
    const { runId, endpoint } = await killedRun(question, 'synthesis', { cwd, env })
    const elsewhere = async () => ({ cwd: await temporaryFolder(), env: { ...env, ...endpoint.env } })

    const resumed = await quaero(['runs', 'resume', runId, '--json'], await elsewhere())
    const answered = { status: 'completed', answer: expect.stringContaining('81.1 million pages') }
    expect([resumed.code, JSON.parse(resumed.out)]).toMatchObject([0, { ...answered, runId, turn: 1 }])
    expect(endpoint.calls()).toEqual(['orchestrator', 'research', 'research', 'synthesis', 'synthesis'])

    const third = await elsewhere()
    const next = await quaero(['ask', question, '-t', 'shared', '--json'], third)
    expect([next.code, JSON.parse(next.out)]).toMatchObject([0, { ...answered, threadId: 'shared', turn: 2 }])
    const { messages } = JSON.parse((await quaero(['threads', 'show', 'shared', '--json'], third)).out)
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
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
