import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
let project: string

/** An empty project with the packed package in it; the packages that it needs are those of this checkout. */
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'quaero-package-'))
  await writeFile(join(project, 'package.json'), '{ "name": "someone-else", "private": true, "type": "module" }')
  // Without scripts: dist is built already, and `prepare` would build it anew under the other tests.
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', project], root)
  await run('tar', ['-xzf', stdout.trim()], project)
  await mkdir(join(project, 'node_modules', '.bin'), { recursive: true })
  await cp(join(project, 'package'), join(project, 'node_modules', 'quaero'), { recursive: true })
  await symlink('../quaero/dist/cli/main.js', join(project, 'node_modules', '.bin', 'quaero'))
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name === 'quaero' || name.startsWith('.')) continue
    await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name))
  }
  await mkdir(join(project, 'papers'))
  await cp(join(root, 'examples', 'papers', 'event-log.pdf'), join(project, 'papers', 'event-log.pdf'))
})

afterAll(() => rm(project, { recursive: true, force: true }))

describe('the packed package, installed in an empty project', () => {
  it('holds every file that its README links to', async () => {
    const folder = join(project, 'node_modules', 'quaero')
    const readme = await readFile(join(folder, 'README.md'), 'utf8')
    const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link)
    expect(links.length).toBeGreaterThan(10)
    expect(links.filter((link) => !existsSync(join(folder, link)))).toEqual([])
  })

  it('holds what it needs, and no sources', async () => {
    const kept = await readdir(join(project, 'node_modules', 'quaero'))
    expect(kept.sort()).toEqual(expect.arrayContaining(['LICENSE', 'config', 'dist', 'package.json', 'prompts']))
    expect(kept).not.toContain('src')
    expect(kept).not.toContain('tests')
  })

  it('runs as npx quaero', async () => {
    const { stdout } = await run('npx', ['--no-install', 'quaero', '--help'])
    expect(stdout).toContain('Usage: quaero')
  })

  it('answers a question over a PDF', async () => {
    const words = ['How fast was NORMAL compared with FULL?', '-d', 'papers', '--json']
    const { stdout } = await run('npx', ['--no-install', 'quaero', 'ask', ...words])
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', abstained: false, model: 'extractive' })
  })

  it('is used from JavaScript', async () => {
    await writeFile(
      join(project, 'ask.mjs'),
      `import { createQuaero } from 'quaero'
const quaero = await createQuaero({ documents: ['papers'], model: 'extractive', dataDir: ':memory:' })
const { answer } = await quaero.ask('How fast was NORMAL compared with FULL?')
console.log(answer)
await quaero.close()
`,
    )
    const { stdout } = await run(process.execPath, ['ask.mjs'])
    expect(stdout).toContain('19.6 times as fast as FULL')
  })

  it('is used from TypeScript, with types', { tags: ['slow'], timeout: 240_000 }, async () => {
    await writeFile(
      join(project, 'ask.ts'),
      `import { createQuaero, defineTool, type RunResult, type StreamEvent } from 'quaero'
import { z } from 'zod'
const now = defineTool({ name: 'now', description: 'The time.', input: z.object({}), run: async () => 'noon' })
const quaero = await createQuaero({ documents: ['papers'], tools: [now] })
const result: RunResult = await quaero.ask('Why?', { threadId: 't1', limits: { modelCalls: 5 } })
const events: StreamEvent[] = []
for await (const event of quaero.stream('Why?')) events.push(event)
// @ts-expect-error: there is no such status
result.status === 'unheard of'
`,
    )
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'NodeNext', '--target', 'ES2023']
    await run(process.execPath, [compiler, ...options, 'ask.ts'])
  })
})

async function run(command: string, words: readonly string[], cwd = project) {
  const env = { PATH: process.env.PATH ?? '', HOME: project }
  try {
    return await promisify(execFile)(command, words, { cwd, env })
  } catch (error) {
    // The output says more than the exit code.
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${command} ${words.join(' ')} failed:\n${stdout}${stderr}`, { cause: error })
  }
}
