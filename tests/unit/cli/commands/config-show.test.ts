import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../../../scripts/json-outputs.ts'
import { configShow } from '../../../../src/cli/commands/config-show.ts'
import { loadConfig } from '../../../../src/index.ts'
import { capturedOutput, runWith, typedInput } from '../captured-terminal.ts'

const env = {
  OPENAI_API_KEY: 'sk-canary-1',
  TAVILY_API_KEY: 'tvly-canary-2',
  OPENAI_BASE_URL: 'http://user:canary-3@127.0.0.1:9/v1',
  SEARXNG_URL: 'http://search.example/?q=a@b',
}

describe('quaero config show', () => {
  it.each([{ json: true }, {}])(
    'says that secrets are set and never what they are, with %j',
    { tags: ['S15'] },
    async (flags) => {
      const output = capturedOutput()
      expect(await runWith(configShow, { config: () => loadConfig({ env }) }, typedInput(), output, flags)).toBe(0)
      expect(output.out()).not.toContain('canary')
      expect(output.err()).toBe('')
    },
  )

  it('shows settings and surroundings', async () => {
    const output = capturedOutput()
    await runWith(
      configShow,
      { config: () => loadConfig({ env, overrides: { model: 'extractive' } }) },
      typedInput(),
      output,
      { json: true },
    )
    const { settings, environment } = jsonOutputs['config-show'].parse(JSON.parse(output.out()))
    expect(settings).toMatchObject({ model: 'extractive', dataDir: '.quaero' })
    expect(environment).toMatchObject({
      openaiApiKey: 'set',
      openaiBaseUrl: 'http://127.0.0.1:9/v1',
      searxngUrl: 'http://search.example/?q=a@b',
    })
  })

  it('says which secrets are not set', async () => {
    const output = capturedOutput()
    await runWith(configShow, { config: () => loadConfig({ env: {} }) }, typedInput(), output, {})
    expect(output.out()).toContain('openaiApiKey: not set\n  openaiBaseUrl: not set\n')
  })

  it('shows the data directory in force: the flag, then QUAERO_HOME, then the setting', async () => {
    const config = loadConfig({ env: { QUAERO_HOME: '/home' } })
    const dataDir = async (flags: { dataDir?: string }) => {
      const output = capturedOutput()
      await runWith(configShow, { config: () => config }, typedInput(), output, { json: true, ...flags })
      return JSON.parse(output.out()).settings.dataDir
    }
    expect([await dataDir({}), await dataDir({ dataDir: '/flag' })]).toEqual(['/home', '/flag'])
  })
})
