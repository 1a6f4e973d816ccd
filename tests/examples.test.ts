import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { startScriptedEndpoint } from '../examples/scripted-endpoint.ts'

const folder = join(import.meta.dirname, '..', 'examples')

/** A piece of what each prints; each checks its own result too, and fails if it is off. */
const examples: Readonly<Record<string, string>> = {
  '01-ask.ts': '80% for five, 90% for ten',
  '02-continue-a-thread.ts':
    'Understood as: How fast was NORMAL compared with FULL? How many bytes did it write per event?',
  '03-watch-events.ts': 'pdf_retrieval {"query":"Who described leases first?"}',
  '04-your-own-documents.ts': 'It holds 340 kinds of orchids. [1]',
  '05-your-own-tool.ts': '[1] Glossary of document question answering, § Fencing token: “A number that grows each time',
  '06-openai-compatible.ts': 'openai:my-model: 1 call, 120 tokens in, 20 out',
  '07-specialists.ts': 'historian is asked: Who described leases first, and when?',
  '08-reflection-plugin.ts': 'Looking back: Found: what a lease is. Missing: who described it first.',
  '09-approval-plugin.ts': 'Told to the model: This call was refused: Too many people; choose one.',
  '11-mcp-client.ts': 'Tools: ask, search, fetch, read_passages, list_documents',
  '12-openai-client.ts': 'Then: ',
  '13-your-own-agent.ts': 'It keeps 1 passage of ',
  '14-table-and-proof.ts': '3 values, all stand: true',
  '15-a-report.ts': '9 sentences in report.docx, all stand',
}

const quick = ['05-your-own-tool.ts', '13-your-own-agent.ts', '08-reflection-plugin.ts', '09-approval-plugin.ts']

describe('the examples', () => {
  // The project's own settings must not reach an example.
  beforeEach(() => {
    for (const name of Object.keys(process.env)) {
      if (/^(?:OPENAI|QUAERO|LANGFUSE|TAVILY|OTEL)_/.test(name)) vi.stubEnv(name, undefined)
    }
    return () => void vi.unstubAllEnvs()
  })

  it('are all run here', () => {
    const programs = readdirSync(folder).filter((name) => /^\d.*\.ts$/.test(name))
    expect(programs).toEqual(Object.keys(examples))
  })

  it.each(quick)('the example %s runs, needs no key, and says what it found', { tags: ['H13'] }, expectToRun)

  // Each reads all sample papers, or runs in a process of its own.
  it.each(Object.keys(examples).filter((name) => !quick.includes(name)))(
    'the example %s runs, needs no key, and says what it found',
    { tags: ['slow', 'H13'] },
    expectToRun,
  )

  async function expectToRun(name: string): Promise<void> {
    expect(await outputOf(name)).toContain(examples[name])
  }
})

it('the endpoint of the examples names its model, as "quaero doctor" asks it to', async () => {
  const endpoint = await startScriptedEndpoint()
  try {
    const reply = await fetch(`${endpoint.url}/models`)
    expect(await reply.json()).toEqual({ data: [{ id: 'my-model' }] })
  } finally {
    endpoint.close()
  }
})

/** The first as a person runs it; the others in this process, which has loaded what they import. */
async function outputOf(name: string): Promise<string> {
  if (name === '01-ask.ts') {
    const options = { env: { PATH: process.env.PATH ?? '' }, cwd: join(folder, '..') }
    return (await promisify(execFile)(process.execPath, ['--import', 'tsx', join(folder, name)], options)).stdout
  }
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)))
  try {
    await import(/* @vite-ignore */ join(folder, name))
  } finally {
    log.mockRestore()
  }
  return lines.join('\n')
}
