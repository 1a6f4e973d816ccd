import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { quaero } from '../fixtures/command-line.ts'
import { startServer, type UserName } from '../fixtures/running-server.ts'
import { isOnPostgres } from '../fixtures/storage/chosen-storage.ts'
import { temporaryFolder } from '../fixtures/workflow.ts'

const question = 'How old is the zebra of Harrow Farm?'

async function serverOfOwnLibraries() {
  const cwd = await temporaryFolder()
  const file = join(cwd, 'settings.yaml')
  await writeFile(file, 'server: { library: own, openLibraries: 1 }\n')
  const env = { QUAERO_CONFIG: file }
  const server = await startServer({ cwd, env }, ['--tokens', 'tokens'], [])
  const json = async (as: UserName, method: string, path: string, body?: unknown) => {
    const { status, text } = await server.send(method, path, { as, ...(body !== undefined && { body }) })
    return { status, ...(text.startsWith('{') && JSON.parse(text)) }
  }
  const add = async (as: UserName, years: number) => {
    const text = `# Zebras\n\nThe zebra of Harrow Farm is ${years} years old and lives on hay.\n`
    const { documents, ...reply } = await json(as, 'POST', '/api/documents?name=zebras.md', text)
    expect([reply, documents]).toMatchObject([{ status: 200 }, [{ status: 'added' }]])
    return documents[0].documentId as string
  }
  return { cwd, env, json, add }
}

// Such libraries are files of SQLite; with a database the server refuses to start.
describe.skipIf(isOnPostgres())('users with libraries of their own', { timeout: 90_000, tags: ['S4', 'S13'] }, () => {
  it('get different answers to one question, and find nothing of the other', async () => {
    const { cwd, json, add } = await serverOfOwnLibraries()
    const [alices, bobs] = [await add('alice', 14), await add('bob', 9)]
    const answers = [
      await json('alice', 'POST', '/api/ask', { question }),
      await json('bob', 'POST', '/api/ask', { question }),
    ]
    expect(answers.map(({ answer }) => /\b(14|9) years/.exec(answer)?.[1])).toEqual(['14', '9'])
    for (const [as, own, foreign] of [
      ['alice', alices, bobs],
      ['bob', bobs, alices],
    ] as const) {
      const { documents } = await json(as, 'GET', '/api/documents')
      expect(documents).toMatchObject([{ documentId: own, removable: true }])
      const { hits } = await json(as, 'GET', '/api/search?q=zebra')
      expect(hits.map(({ documentId }: { documentId: string }) => documentId)).toEqual([own])
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '/pages/1'],
        ['GET', '/pages/1/rects?start=0&end=5'],
        ['GET', '/file'],
        ['PATCH', ''],
        ['DELETE', ''],
      ] as const) {
        const body = method === 'PATCH' ? { title: 'Mine' } : undefined
        const { status, error } = await json(as, method, `/api/documents/${foreign}${path}`, body)
        expect([method, path, status, error.code]).toEqual([method, path, 404, 'document_not_found'])
      }
      expect((await json(as, 'POST', '/api/ask', { question, documentIds: [foreign] })).status).toBe(404)
      expect((await json(as, 'GET', '/api/threads')).threads).toHaveLength(1)
    }
    const run = answers[0].runId
    expect((await json('bob', 'GET', `/api/runs/${run}`)).status).toBe(404)
    expect((await readdir(join(cwd, 'users'))).toSorted()).toEqual(['alice', 'bob'])
  })

  it('have what the operator adds to the data folder of each', async () => {
    const { cwd, env, json } = await serverOfOwnLibraries()
    await writeFile(join(cwd, 'pears.md'), 'Pears are ripe in October.\n')
    const added = await quaero(['add', 'pears.md', '--data-dir', join('users', 'alice')], { cwd, env })
    expect([added.code, added.err]).toEqual([0, expect.any(String)])
    expect((await json('alice', 'GET', '/api/documents')).documents).toMatchObject([
      { source: 'pears.md', removable: false },
    ])
    expect((await json('bob', 'GET', '/api/documents')).documents).toEqual([])
    const refused = await quaero(['serve', 'pears.md', '--tokens', 'tokens', '--port', '0'], { cwd, env })
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('quaero add')])
  })
})
