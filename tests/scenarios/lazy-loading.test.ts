import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../fixtures/workflow.ts'

const program = `
  const { createQuaero } = await import(${JSON.stringify(join(process.cwd(), 'dist/index.js'))})
  const { FakeListChatModel } = await import('@langchain/core/utils/testing')
  const model = process.argv[1] === 'extractive' ? 'extractive' : new FakeListChatModel({ responses: ['Yes.'] })
  await (await createQuaero({ dataDir: ':memory:', model })).close()`

/** The built files that an engine with this model loads. */
async function loadedWith(model: string): Promise<string> {
  const folder = await temporaryFolder()
  const env = { ...process.env, NODE_V8_COVERAGE: folder }
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, model], { env })
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('')
}

it('loads the answers without a language model only for an engine that uses them', { tags: ['Q4'] }, async () => {
  expect(await loadedWith('a language model')).not.toContain('dist/offline/index.js')
  expect(await loadedWith('extractive')).toContain('dist/offline/index.js')
})
