import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig, type SettingsOverrides } from '../../../src/config.ts'
import { ConfigInvalid } from '../../../src/errors.ts'
import type { ChatModel } from '../../../src/models/port/model.ts'
import { resolveModel } from '../../../src/models/resolve-model.ts'
import { scriptedModel } from '../../../src/models/scripted.ts'
import { startEndpoint } from '../../fixtures/openai-endpoint.ts'
import { ask } from './openai/model-call.ts'

const extractive: ChatModel = {
  kind: 'rules',
  name: 'extractive',
  model: scriptedModel([]),
  contextWindow: null,
  price: { input: 0, output: 0 },
}

function parts(env: NodeJS.ProcessEnv = {}, overrides: SettingsOverrides = {}) {
  return { config: loadConfig({ env, overrides }), extractive: () => extractive }
}

const key = { OPENAI_API_KEY: 'sk-canary' }

describe('the model', { tags: ['H11'] }, () => {
  it.each<readonly [why: string, spec: string | null, parts: ReturnType<typeof parts>, name: string]>([
    ['nothing is set', null, parts(), 'extractive'],
    ['a key is set', null, parts(key), 'openai:gpt-5-mini'],
    ['a base URL is set', null, parts({ OPENAI_BASE_URL: 'http://localhost:1/v1' }), 'openai:gpt-5-mini'],
    [
      'a base URL is configured',
      null,
      parts({}, { endpoint: { baseUrl: 'http://localhost:1/v1' } }),
      'openai:gpt-5-mini',
    ],
    ['QUAERO_MODEL names it', null, parts({ ...key, QUAERO_MODEL: 'extractive' }), 'extractive'],
    ['the settings name it', null, parts({ ...key, QUAERO_MODEL: 'extractive' }, { model: 'openai:a' }), 'openai:a'],
    ['the caller names it', 'openai:llama3:8b', parts(key, { model: 'extractive' }), 'openai:llama3:8b'],
    ['the caller wants none', 'extractive', parts(key), 'extractive'],
  ])('is chosen when %s', async (_, spec, given, name) => {
    expect((await resolveModel(spec, given)).name).toBe(name)
  })

  it('is chosen for each agent, with its own temperature', async () => {
    const endpoint = await startEndpoint(() => ({ content: 'Yes.' }))
    const agents = { synthesis: { model: 'openai:large', temperature: 0.7 } }
    const given = parts({ OPENAI_BASE_URL: endpoint.url }, { model: 'openai:small', agents })
    const synthesis = await resolveModel(null, { ...given, agent: 'synthesis' })
    const research = await resolveModel(null, { ...given, agent: 'research' })
    expect([synthesis.name, research.name]).toEqual(['openai:large', 'openai:small'])
    await ask(synthesis)
    await ask(research)
    expect(endpoint.requests).toMatchObject([
      { model: 'large', temperature: 0.7 },
      { model: 'small', temperature: 0 },
    ])
    await endpoint.close()
  })

  it('has the price and context window that the settings list, else none', { tags: ['L7'] }, async () => {
    expect(await resolveModel('openai:gpt-5-mini', parts(key))).toMatchObject({
      price: { input: 0.25, output: 2 },
      contextWindow: 400000,
    })
    const unlisted = { price: null, contextWindow: null }
    expect(await resolveModel('openai:mine', parts(key))).toMatchObject(unlisted)
    expect(await resolveModel('openai:constructor', parts(key))).toMatchObject(unlisted)
  })

  it('is an instance that is handed in, named after its class', async () => {
    const model = scriptedModel([])
    expect(await resolveModel(model, parts(key))).toEqual({
      kind: 'language',
      name: 'ScriptedModel',
      model,
      contextWindow: null,
      price: null,
    })
    const named = Object.assign(scriptedModel([]), { model: 'claude' })
    expect((await resolveModel(named, parts())).name).toBe('ScriptedModel:claude')
  })

  it.each([
    ['gpt-5-mini', 'Did you mean "openai:gpt-5-mini"?'],
    ['anthropic:claude', '"openai:<model name>" and "extractive"'],
    ['openai:', '"openai:<model name>"'],
    ['', '"extractive"'],
  ])('is refused when it is called "%s"', async (spec, words) => {
    await expect(resolveModel(spec, parts(key))).rejects.toThrow(ConfigInvalid)
    await expect(resolveModel(spec, parts(key))).rejects.toThrow(words)
  })

  it('is refused when OpenAI has neither key nor base URL, with the remedy', async () => {
    await expect(resolveModel('openai:gpt-5-mini', parts())).rejects.toThrow(/set OPENAI_API_KEY, or OPENAI_BASE_URL/)
  })

  it('does not load the OpenAI client without a key', { tags: ['TRAP37'] }, () => {
    const root = join(import.meta.dirname, '../../..')
    const refuse = `export const resolve = (name, context, next) => {
      if (name.startsWith('@langchain/openai')) throw new Error('The client was loaded')
      return next(name, context)
    }`
    const program = `
      import { register } from 'node:module'
      register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(refuse)}))
      const { resolveModel } = await import('./src/models/resolve-model.ts')
      const { loadConfig } = await import('./src/config.ts')
      const choose = (env) => resolveModel(null, { config: loadConfig({ env }), extractive: () => ({ name: 'extractive' }) })
      console.log((await choose({})).name)
      await choose({ OPENAI_API_KEY: 'sk-canary' }).catch((error) => console.log(error.message))
    `
    const args = ['--import', 'tsx', '--input-type', 'module', '--eval', program]
    const output = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
    expect(output).toBe('extractive\nThe client was loaded\n')
  })
})
