import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parse } from 'yaml'
import { initAt } from '../../../../src/cli/commands/init.ts'
import type { Choice, Input } from '../../../../src/cli/output/terminal.ts'
import { loadConfig, type SettingsOverrides } from '../../../../src/index.ts'
import { redactor } from '../../../../src/redact.ts'
import { type ChatRequest, type EndpointReply, startEndpoint } from '../../../fixtures/openai-endpoint.ts'
import { temporaryFolder } from '../../../fixtures/workflow.ts'
import { capturedOutput, type FlagsOf, runWith, typedInput } from '../captured-terminal.ts'

/** The lists of models as these servers send them. */
const lists = {
  Ollama: { object: 'list', data: [{ id: 'qwen3:8b', object: 'model', created: 1_760_000_000, owned_by: 'library' }] },
  'LM Studio': {
    object: 'list',
    data: [
      { id: 'qwen/qwen3-8b', object: 'model', owned_by: 'organization_owner' },
      { id: 'text-embedding-nomic-embed-text-v1.5', object: 'model', owned_by: 'organization_owner' },
    ],
  },
  'llama.cpp': {
    models: [{ name: 'Qwen3-8B-Q4_K_M.gguf', type: 'model', capabilities: ['completion'] }],
    object: 'list',
    data: [{ id: 'Qwen3-8B-Q4_K_M.gguf', object: 'model', owned_by: 'llamacpp', meta: { n_ctx_train: 40_960 } }],
  },
  vLLM: {
    object: 'list',
    data: [{ id: 'Qwen/Qwen3-8B', object: 'model', owned_by: 'vllm', root: 'Qwen/Qwen3-8B', max_model_len: 40_960 }],
  },
}

describe('quaero init', () => {
  it('finds the servers of this computer, sends them no key, and writes the one that a person chooses', async () => {
    const servers = await Promise.all(Object.entries(lists).map(([name, list]) => server(name, list)))
    const listed: (readonly Choice[])[] = []
    const address = servers[1]?.url ?? ''
    const picks = ['look', address, 'qwen/qwen3-8b']
    const choose = async (_: string, choices: readonly Choice[]) => {
      listed.push(choices)
      return picks.shift() ?? null
    }
    const { code, file, out } = await init({ ports: servers, input: { choose, type: async () => null } })
    expect(code).toBe(0)
    expect(parse(readFileSync(file, 'utf8'))).toEqual({ model: 'openai:qwen/qwen3-8b', endpoint: { baseUrl: address } })
    expect(listed[1]?.slice(0, 4).map(({ label }) => label)).toEqual(
      servers.map(({ name, url }) => `${name} at ${url}`),
    )
    expect(listed[2]?.map(({ value }) => value)).toEqual(lists['LM Studio'].data.map(({ id }) => id))
    for (const { journal } of servers) expect(journal[0]?.headers.authorization).toBeUndefined()
    expect(out).toContain(`export QUAERO_CONFIG='${file}'`)
    expect(loadConfig({ file, env: {} }).settings.endpoint.baseUrl).toBe(address)
  })

  it('looks at no port unless it is asked to', async () => {
    const silent = await server('vLLM', lists.vLLM)
    const { code } = await init({ ports: [silent], flags: { model: 'extractive' } })
    expect([code, silent.journal.length]).toEqual([0, 0])
  })

  it('without a terminal takes the only model that is found, and names them if there are several', async () => {
    const [ollama, studio] = [await server('Ollama', lists.Ollama), await server('LM Studio', lists['LM Studio'])]
    const one = await init({ ports: [ollama], flags: { look: true } })
    expect(parse(readFileSync(one.file, 'utf8')).model).toBe('openai:qwen3:8b')
    await expect(init({ ports: [ollama, studio], flags: { look: true } })).rejects.toMatchObject({ code: 'usage' })
    const named = await init({ ports: [ollama, studio], flags: { look: true, model: 'openai:qwen/qwen3-8b' } })
    expect(parse(readFileSync(named.file, 'utf8')).endpoint).toEqual({ baseUrl: studio.url })
  })

  it.each([
    [{}, /no terminal to ask at: give --model/],
    [{ model: 'openai:any' }, /needs an endpoint: set OPENAI_API_KEY, or give --url/],
    [{ model: 'gpt-5' }, /no model "gpt-5": give "openai:<name>"/],
    [{ look: true }, /No such model was found/],
  ])('without a terminal refuses %o with what is missing', async (flags, words) => {
    await expect(init({ flags, ports: [] })).rejects.toThrow(words)
  })

  it('writes nothing if the model gives no answers', async () => {
    const broken = await startEndpoint(() => ({ status: 500 }))
    onTestFinished(broken.close)
    const { code, file, err } = await init({ flags: { url: broken.url, model: 'openai:test-model' } })
    expect([code, existsSync(file)]).toEqual([1, false])
    expect(err).toMatch(/FAULT +streaming/)
  })

  it('writes neither the key nor the address of the environment', async () => {
    const { url } = await server('OpenAI', { data: [{ id: 'm' }] })
    const env = { OPENAI_BASE_URL: `${url}?api-key=canary-7f3a9b2c`, OPENAI_API_KEY: 'sk-canary-7f3a9b2c' }
    const { code, file, out, err } = await init({ env, flags: { model: 'openai:m' } })
    expect([code, readFileSync(file, 'utf8').split('\n').at(-2)]).toEqual([0, 'model: openai:m'])
    expect(readFileSync(file, 'utf8') + out + err).not.toContain('canary')
  })

  it('says what to install so that scans are read, and to search by meaning without a server', async () => {
    vi.stubEnv('PATH', '')
    onTestFinished(() => void vi.unstubAllEnvs())
    const flags = { model: 'extractive' }
    const none = await init({ flags, overrides: { library: { scanLanguages: ['tlh'] } } })
    expect(none.out).toMatch(
      /Scans and pictures are not read yet.+npm install tesseract\.js@.+ @tesseract\.js-data\/tlh@/,
    )
    expect(none.out).toMatch(/npm install @huggingface\/transformers@\d.+475 MB\n.+\n.+23 MB/)
    const all = await init({ flags, overrides: { search: { embeddings: { model: 'bge-m3' } } } })
    expect(all.out).not.toContain('npm install')
  })

  it('refuses an address that holds a key', async () => {
    const url = 'http://user:hunter2secret@127.0.0.1:8000/v1'
    await expect(init({ flags: { url, model: 'openai:m' } })).rejects.toThrow(/holds a key. Set OPENAI_BASE_URL/)
  })

  it('changes a file that is there only if told so, and keeps what else it says', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'quaero.yaml')
    const before = '# mine\nmodel: openai:old\nendpoint: { baseUrl: http://127.0.0.1:1/v1, retries: 1 }\n'
    writeFileSync(file, before)
    const flags = { file, model: 'extractive' }
    await expect(init({ flags })).rejects.toThrow(/is there already.+--force/)
    await init({ flags, input: { confirm: async () => false } })
    expect(readFileSync(file, 'utf8')).toBe(before)
    await init({ flags, input: { confirm: async () => true } })
    expect(readFileSync(file, 'utf8')).toBe('# mine\nmodel: extractive\nendpoint: { retries: 1 }\n')
    await init({ flags: { ...flags, force: true } })
  })
})

/** A server with this list of models, which answers as a fit one does. */
async function server(name: string, list: object) {
  const endpoint = await startEndpoint(fit, { list: { body: list } })
  onTestFinished(endpoint.close)
  return { ...endpoint, name, port: Number(new URL(endpoint.url).port) }
}

function fit({ tools, response_format: format }: ChatRequest): EndpointReply {
  if (tools) return { toolCalls: [{ name: 'report_state', args: { state: 'ready' } }] }
  return { content: format ? '{"state": "ready"}' : 'ready' }
}

async function init(options: {
  readonly flags?: Partial<FlagsOf<ReturnType<typeof initAt>>>
  readonly input?: Partial<Input>
  readonly env?: Readonly<Record<string, string>>
  readonly ports?: Parameters<typeof initAt>[0]
  readonly overrides?: SettingsOverrides
}) {
  const { env = {}, input, ports, flags = {}, overrides } = options
  const output = capturedOutput({ hide: redactor(['canary-7f3a9b2c']) })
  const file = flags.file ?? join(await temporaryFolder(), 'quaero.yaml')
  const config = () => loadConfig({ env, overrides: { ...overrides, endpoint: { retries: 0 } } })
  const code = await runWith(initAt(ports), { config }, typedInput('', input), output, { ...flags, file })
  return { code, file, out: output.out(), err: output.err() }
}
