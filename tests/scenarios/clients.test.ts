import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, copyFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { startServer } from '../fixtures/served-command.ts'
import { folderOf, temporaryFolder } from '../fixtures/workflow.ts'

const root = join(import.meta.dirname, '..', '..')
const token = 'a-token-of-the-tests'
const answer = '19.6 times as fast as FULL'

describe('docs/clients.md', { timeout: 300_000 }, () => {
  it('shows programs that ask a server, and are right as they stand', { tags: ['slow'] }, async () => {
    const { origin, data } = await serving()
    const programs = blocks().filter(({ language, heading }) => /^(?:sh|js)$/.test(language) && heading !== 'React')
    expect(programs.map(({ heading }) => heading)).toEqual([
      'HTTP',
      "OpenAI's client",
      "OpenAI's client",
      'AI SDK',
      'Model Context Protocol',
      'Model Context Protocol',
      "LangGraph's SDK",
      "LangGraph's SDK",
    ])
    const path = await pathWithQuaero()
    for (const { heading, language, code } of programs) {
      const program = code.replaceAll('http://127.0.0.1:7710', origin).replaceAll('/path/to/.quaero', data)
      const [command = '', ...words] =
        language === 'sh' ? ['sh', '-c', program] : [process.execPath, '--input-type=module', '-e', program]
      const env = { PATH: path, QUAERO_TOKEN: token }
      const { stdout } = await promisify(execFile)(command, words, { cwd: root, env, timeout: 60_000 })
      expect(stdout, `${heading}: ${program}`).toContain(answer)
    }
  })

  it('shows the settings by which a desktop client starts the server', async () => {
    const [json] = blocks().filter(({ language }) => language === 'json')
    const { mcpServers } = settings.parse(JSON.parse(json?.code ?? ''))
    const folder = await folderOf()
    const { command, args } = mcpServers.quaero
    const client = new Client({ name: 'desktop', version: '1.0.0' })
    await client.connect(
      new StdioClientTransport({
        command,
        args: args.map((word) => word.replace('/path/to/.quaero', folder)),
        env: { PATH: await pathWithQuaero() },
      }),
    )
    onTestFinished(() => client.close())
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('ask')
  })
})

const settings = z.object({
  mcpServers: z.object({ quaero: z.object({ command: z.string(), args: z.array(z.string()) }) }),
})

interface Block {
  readonly heading: string
  readonly language: string
  readonly code: string
}

/** The blocks of the page under their headings. */
function blocks(): readonly Block[] {
  const sections = readFileSync(join(root, 'docs', 'clients.md'), 'utf8').split(/^## /m)
  return sections.slice(1).flatMap((section) => {
    const [heading = ''] = section.split('\n')
    const found = [...section.matchAll(/^```(\w+)\n(.+?)^```/gms)]
    return found.map(([, language = '', code = '']) => ({ heading, language, code }))
  })
}

/** A server over the paper that the questions of the page are about, and the folder of its data. */
async function serving() {
  const data = await temporaryFolder()
  await copyFile(join(root, 'examples', 'papers', 'event-log.pdf'), join(data, 'event-log.pdf'))
  return { data, ...(await startServer({ cwd: data, env: { QUAERO_TOKEN: token } })) }
}

/** A search path on which `npx quaero` is the built command. */
async function pathWithQuaero(): Promise<string> {
  const folder = await temporaryFolder()
  const npx = join(folder, 'npx')
  const main = join(root, 'dist', 'cli', 'main.js')
  await writeFile(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${main}" "$@"\n`)
  await chmod(npx, 0o755)
  return `${folder}${delimiter}${process.env.PATH ?? ''}`
}
