import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { quaero } from '../fixtures/command-line.ts'
import { folderOf, temporaryFolder } from '../fixtures/workflow.ts'

const program = `
  const { createQuaero } = await import(${JSON.stringify(join(process.cwd(), 'dist/index.js'))})
  const { FakeListChatModel } = await import('@langchain/core/utils/testing')
  const model = process.argv[1] === 'extractive' ? 'extractive' : new FakeListChatModel({ responses: ['Yes.'] })
  await (await createQuaero({ dataDir: ':memory:', model })).close()`

const serverPackages = /node_modules\/(?:hono|@hono|@modelcontextprotocol|prom-client)\//

/** The built files that an engine with this model loads. */
async function loadedWith(model: string): Promise<string> {
  return loadedBy(async (env) => {
    const words = ['--input-type=module', '-e', program, model]
    await promisify(execFile)(process.execPath, words, { env: { ...process.env, ...env } })
  })
}

/** The files that the processes load which are started with the environment. */
async function loadedBy(start: (env: Readonly<Record<string, string>>) => Promise<unknown>): Promise<string> {
  const folder = await temporaryFolder()
  await start({ NODE_V8_COVERAGE: folder })
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('')
}

it('loads the answers without a language model only for an engine that uses them, and nothing of the server', {
  tags: ['Q4'],
}, async () => {
  const loaded = await loadedWith('a language model')
  expect(loaded).not.toContain('dist/offline/index.js')
  expect(loaded).not.toMatch(serverPackages)
  expect(await loadedWith('extractive')).toContain('dist/offline/index.js')
})

it('loads the client of PostgreSQL only where that keeps the data', { tags: ['slow', 'Q4'] }, async () => {
  const cwd = await folderOf()
  const opened = (env: Readonly<Record<string, string>>) =>
    loadedBy((watched) => quaero(['threads'], { cwd, env: { ...watched, ...env } }))
  const client = /node_modules\/pg\/|storage\/postgres\//
  expect(await opened({ QUAERO_DATABASE_URL: '' })).not.toMatch(client)
  expect(await opened({ QUAERO_DATABASE_URL: `postgres://localhost/none?host=${cwd}` })).toMatch(client)
})

it('loads the packages of the server for a server only', { tags: ['slow', 'Q4'] }, async () => {
  const cwd = await folderOf()
  const command = (...words: readonly string[]) => loadedBy((env) => quaero(words, { cwd, env }))
  expect(await command('ask', 'How many pages does the Marble corpus hold?', '-d', '.')).not.toMatch(serverPackages)
  expect(await command('mcp')).toMatch(serverPackages)
})
