import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig, type SettingsOverrides } from '../../src/config.ts'
import { ConfigInvalid } from '../../src/errors.ts'
import { temporaryFolder } from '../fixtures/workflow.ts'

/** The settings with a file of this content laid over the defaults. */
async function withFile(content: string) {
  const file = join(await temporaryFolder(), 'quaero.yaml')
  await writeFile(file, content)
  return { file, load: () => loadConfig({ file, env: {} }).settings }
}

describe('the configuration', () => {
  it('gives each agent its model, temperature, history and prompt', { tags: ['R32'] }, () => {
    const { secondReading, ...agents } = loadConfig({ env: {} }).settings.agents
    expect(secondReading).toEqual({ model: null, temperature: 0, prompt: 'second-reading' })
    expect(Object.keys(agents)).toEqual(['orchestrator', 'clarification', 'research', 'synthesis'])
    for (const [name, settings] of Object.entries(agents)) {
      expect(settings).toEqual({ model: null, temperature: 0, maxHistory: 10, prompt: name })
    }
  })

  it('lays a file over the defaults, and overrides over the file, key by key', async () => {
    const { file, load } = await withFile(
      'agents:\n  research: { model: "openai:a", maxHistory: 4 }\nlimits: { rounds: 2 }\n',
    )
    expect(load()).toMatchObject({
      agents: { research: { model: 'openai:a', maxHistory: 4, temperature: 0 }, synthesis: { model: null } },
      limits: { rounds: 2, modelCalls: 20 },
    })
    const overrides = { agents: { research: { model: undefined, maxHistory: 6 } }, limits: { rounds: null } }
    expect(loadConfig({ file, overrides: overrides as unknown as SettingsOverrides, env: {} }).settings).toMatchObject({
      agents: { research: { model: 'openai:a', maxHistory: 6 } },
      limits: { rounds: null },
    })
  })

  it.each([
    ['colour: blue', 'colour'],
    ['agents: { research: { tempreature: 1 } }', 'tempreature'],
    ['agents: { reviewer: { model: x } }', 'reviewer'],
    ['limits: { round: 3 }', 'round'],
  ])('refuses an unknown key by name, and says in which file: %s', { tags: ['R32'] }, async (content, key) => {
    const { file, load } = await withFile(content)
    expect(load).toThrow(ConfigInvalid)
    expect(load).toThrow(`"${key}"`)
    expect(load).toThrow(file)
  })

  it.each([
    ['agents: { research: { temperature: 3 } }', 'agents.research.temperature'],
    ['agents: { research: { maxHistory: 0 } }', 'agents.research.maxHistory'],
    ['agents: { research: { prompt: 7 } }', 'agents.research.prompt'],
    ['limits: { costUsd: -1 }', 'limits.costUsd'],
    ['thread: { whenBusy: panic }', 'thread.whenBusy'],
    ['agents: none', 'agents'],
    ['limits: { wallClockSeconds: 3000000 }', 'limits.wallClockSeconds'],
    ['library: { secondsPerFile: 1e300 }', 'library.secondsPerFile'],
    ['shutdown: { deadlineSeconds: 2000001 }', 'shutdown.deadlineSeconds'],
    ['library: { memoryMegabytes: 63 }', 'library.memoryMegabytes'],
  ])('refuses a value of the wrong kind, with its place: %s', { tags: ['R32'] }, async (content, place) => {
    const { load } = await withFile(content)
    expect(load).toThrow(ConfigInvalid)
    expect(load).toThrow(place)
  })

  it('refuses files that are missing, are not YAML, or hold no keys; an empty one changes nothing', async () => {
    expect(() => loadConfig({ file: '/nowhere/quaero.yaml', env: {} })).toThrow(/no configuration file at \/nowhere/)
    for (const content of ['a: [', '- a\n- b', 'just words']) {
      const { load } = await withFile(content)
      expect(load, content).toThrow(ConfigInvalid)
    }
    expect((await withFile('')).load()).toEqual(loadConfig({ env: {} }).settings)
  })

  it('refuses what is not a plain file at once, even a pipe that nobody writes to', async () => {
    const folder = await temporaryFolder()
    const pipe = join(folder, 'pipe.yaml')
    execFileSync('mkfifo', [pipe])
    for (const file of [folder, pipe]) expect(() => loadConfig({ file, env: {} })).toThrow(/is not a plain file/)
  })

  it('gives every setting in seconds a bound that a timer can wait for', () => {
    const places = Object.entries(loadConfig({ env: {} }).settings).flatMap(([group, values]) =>
      Object.keys(values ?? {})
        .filter((key) => /seconds/i.test(key))
        .map((key) => ({ group, key })),
    )
    expect(places.length).toBeGreaterThan(7)
    for (const { group, key } of places) {
      expect(() => loadConfig({ overrides: { [group]: { [key]: 2_000_000 } }, env: {} })).not.toThrow()
      expect(() => loadConfig({ overrides: { [group]: { [key]: 2_000_001 } }, env: {} })).toThrow(`${group}.${key}`)
    }
  })

  it('reads keys and addresses from the environment only, and takes blanks for nothing', () => {
    const env = {
      OPENAI_API_KEY: ' sk-1 ',
      QUAERO_MODEL: '',
      SEARXNG_URL: 'http://localhost:8080',
      LANGFUSE_HOST: 'https://old.example',
      LANGFUSE_BASE_URL: 'https://new.example',
      UNRELATED: 'x',
    }
    expect(loadConfig({ env }).environment).toEqual({
      openaiApiKey: 'sk-1',
      openaiBaseUrl: null,
      model: null,
      research: null,
      secondReading: null,
      serverToken: null,
      configFile: null,
      databaseUrl: null,
      databasePassword: null,
      home: null,
      rerankerApiKey: null,
      tavilyApiKey: null,
      searxngUrl: 'http://localhost:8080',
      langfusePublicKey: null,
      langfuseSecretKey: null,
      langfuseBaseUrl: 'https://new.example',
      langfuseEnvironment: null,
      langfuseRelease: null,
      otlpEndpoint: null,
      otlpHeaders: null,
    })
  })

  it('takes the address of the database from the environment, unless a file or a program says it', async () => {
    const env = { QUAERO_DATABASE_URL: 'postgres://quaero@localhost/quaero' }
    expect(loadConfig({ env: {} }).settings.storage).toBeNull()
    expect(loadConfig({ env }).settings.storage).toBe(env.QUAERO_DATABASE_URL)
    expect(loadConfig({ env, overrides: { storage: null } }).settings.storage).toBeNull()
    const wrong = 'mysql://quaero:a-password-1@localhost/quaero'
    const refused = () => loadConfig({ env: { QUAERO_DATABASE_URL: wrong } })
    expect(refused).toThrow('postgres://host:port/database')
    expect(refused).not.toThrow('a-password-1')
  })

  it('takes how thoroughly to research from the environment, unless a file or a program says it', async () => {
    const env = { QUAERO_RESEARCH: 'thorough' }
    expect(loadConfig({ env: {} }).settings.research).toBe('auto')
    expect(loadConfig({ env }).settings.research).toBe('thorough')
    expect(loadConfig({ env, overrides: { research: 'auto' } }).settings.research).toBe('auto')
    expect(() => loadConfig({ env: { QUAERO_RESEARCH: 'fast' } })).toThrow('"research" must be "auto" or "thorough"')
  })

  it('takes whether answers are read a second time from the environment, beside the other settings of answers', async () => {
    const env = { QUAERO_SECOND_READING: 'never' }
    expect(loadConfig({ env: {} }).settings.answer.secondReading).toBe('doubtful')
    expect(loadConfig({ env }).settings.answer).toEqual({
      ...loadConfig({ env: {} }).settings.answer,
      secondReading: 'never',
    })
    expect(
      loadConfig({ env, overrides: { answer: { secondReading: 'doubtful' } } }).settings.answer.secondReading,
    ).toBe('doubtful')
    expect(() => loadConfig({ env: { QUAERO_SECOND_READING: 'no' } })).toThrow('"answer.secondReading" must be')
  })

  it('takes the model that reads answers a second time beside the answers', { tags: ['Q15'] }, async () => {
    const { settings } = loadConfig({ env: {}, overrides: { answer: { secondReading: { model: 'openai:small' } } } })
    expect(settings.answer.secondReading).toBe('doubtful')
    expect(settings.agents.secondReading).toMatchObject({ model: 'openai:small', prompt: 'second-reading' })
    const unknown = { secondReading: { model: 'openai:small', mood: 'good' } }
    expect(() => loadConfig({ env: {}, overrides: { answer: unknown } })).toThrow('"answer.secondReading" must be')
  })

  it('cannot be changed once it is loaded, nor can its keys reach the prototype', async () => {
    const { settings } = loadConfig({ env: {} })
    expect(() => Object.assign(settings.limits, { rounds: 1 })).toThrow(TypeError)
    const { load } = await withFile('__proto__: { polluted: true }\nconstructor: { prototype: { polluted: true } }')
    expect(load).toThrow(ConfigInvalid)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})
