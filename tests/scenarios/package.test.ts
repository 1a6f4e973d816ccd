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

  it('answers a question over a PDF, run with npx', async () => {
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

  it('takes a chat model and a tool that were made with other copies of LangChain and zod', async () => {
    await writeFile(
      join(project, 'own.mjs'),
      `import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, HumanMessage, isBaseMessage } from '@langchain/core/messages'
import { createQuaero, defineTool } from 'quaero'
import { z } from 'zod'

const replies = {
  orchestrator: ['{"route":"research","standaloneQuestion":"How fast was NORMAL?","missingContext":[]}'],
  research: [
    new AIMessage({ content: '', tool_calls: [{ id: 'c1', name: 'double', args: { number: 'none' } }] }),
    new AIMessage({ content: '', tool_calls: [{ id: 'c2', name: 'double', args: { number: 4 } }] }),
    new AIMessage({ content: '', tool_calls: [{ id: 'c3', name: 'pdf_retrieval', args: { query: 'NORMAL FULL' } }] }),
    'Found.',
  ],
  synthesis: ['NORMAL was faster.<cite id="P1">19.6 times as fast as FULL</cite>'],
}
class OwnModel extends BaseChatModel {
  heard = []
  _llmType() { return 'own' }
  bindTools(tools) { return this.withConfig({ tools }) }
  async _generate(messages, options) {
    this.heard.push(messages)
    const reply = replies[options.agentTask.agent].shift()
    const message = typeof reply === 'string' ? new AIMessage(reply) : reply
    return { generations: [{ text: message.text, message }] }
  }
}
const double = defineTool({
  name: 'double', description: 'Twice the number.', input: z.object({ number: z.number().int().max(9) }),
  run: async ({ number }) => String(number * 2),
})
const model = new OwnModel({})
const quaero = await createQuaero({ documents: ['papers'], tools: [double], model, dataDir: ':memory:' })
const { answer, status } = await quaero.ask('How fast was NORMAL?')
const last = model.heard.at(-1).concat(model.heard[3])
console.log(JSON.stringify({
  answer, status,
  ours: last.every(isBaseMessage), human: last.some((each) => HumanMessage.isInstance(each)),
  heard: model.heard.flat().filter(({ type }) => type === 'tool').map(({ content }) => content),
}))
await quaero.close()
`,
    )
    const { stdout } = await run(process.execPath, ['own.mjs'])
    const found = JSON.parse(stdout)
    expect(found).toMatchObject({ status: 'completed', ours: true, human: true })
    expect(found.answer).toContain('NORMAL was faster. [1]')
    expect(found.heard).toContainEqual(expect.stringContaining('number'))
    expect(found.heard).toContain('8')
  })

  it('is used from TypeScript, with types that are checked or not', { tags: ['slow'], timeout: 480_000 }, async () => {
    await cp(join(root, 'scripts', 'smoke-types.ts'), join(project, 'ask.ts'))
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const options = ['--noEmit', '--strict', '--module', 'NodeNext', '--target', 'ES2023']
    for (const skipLibCheck of ['false', 'true'])
      await run(process.execPath, [compiler, ...options, '--skipLibCheck', skipLibCheck, 'ask.ts'])
  })
})

async function run(command: string, words: readonly string[], cwd = project) {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: project,
    QUAERO_RESEARCH: 'thorough',
    QUAERO_SECOND_READING: 'never',
  }
  try {
    return await promisify(execFile)(command, words, { cwd, env })
  } catch (error) {
    // The output says more than the exit code.
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${command} ${words.join(' ')} failed:\n${stdout}${stderr}`, { cause: error })
  }
}
