import { spawnSync } from 'node:child_process'
import { existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { environmentOf } from '../fixtures/command-line.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

const main = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js')
const full = '/dev/full'
const question = 'How many pages does the Marble corpus hold?'

describe.skipIf(!existsSync(full))('a disk that is full where the output goes', { tags: ['F60'] }, () => {
  it('is said in one sentence, with exit code 1, where the answer is lost', async () => {
    const { status, stderr } = ask(await libraryFolder(), ['pipe', openSync(full, 'w'), 'pipe'])
    expect(status).toBe(1)
    expect(stderr).toMatch(/^quaero: The output could not be written: the disk is full\. .+\n$/)
  })

  it('does not matter where only the progress is lost', async () => {
    const { status, stdout } = ask(await libraryFolder(), ['pipe', 'pipe', openSync(full, 'w')], [])
    expect([status, stdout]).toEqual([0, expect.stringContaining('81.1 million pages')])
  })
})

function ask(cwd: string, stdio: ('pipe' | number)[], flags = ['-q', '--json']) {
  const options = { cwd, env: environmentOf(cwd), stdio, encoding: 'utf8' } as const
  return spawnSync(process.execPath, [main, 'ask', question, ...flags], options)
}
