import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import { PromptInvalid } from '../../../src/errors.ts'
import { promptsOf } from '../../../src/langfuse/prompts.ts'
import { startLangfuse } from '../../fixtures/langfuse/langfuse-server.ts'
import { temporaryFolder } from '../../fixtures/workflow.ts'

describe('a push of prompts', () => {
  it.each([
    ['a configured credential', 'Quince-Canary-4711'],
    ['what looks like a credential', 'sk-planted-9f8e7d6c5b'],
  ])('puts none there where a file holds %s, and names the file', { tags: ['T10', 'T15'] }, async (_, secret) => {
    const langfuse = await startLangfuse()
    const promptsDir = join(await temporaryFolder(), 'prompts')
    await mkdir(promptsDir)
    const path = join(promptsDir, 'synthesis.md')
    await writeFile(path, (await readFile('prompts/synthesis.md', 'utf8')).replace('# User\n', `# User\n${secret}\n`))
    const config = loadConfig({
      overrides: { promptsDir },
      env: { ...langfuse.env, OPENAI_API_KEY: 'Quince-Canary-4711' },
    })
    for (const dryRun of [true, false]) {
      const pushed = promptsOf(config).push({ label: 'production', dryRun })
      await expect(pushed).rejects.toThrow(`${path} holds a credential`)
      await expect(pushed).rejects.toThrow(PromptInvalid)
    }
    expect(langfuse.server.requests).toEqual([])
    expect(await promptsOf(config).push({ label: 'production', ids: ['orchestrator'] })).toMatchObject([
      { action: 'created' },
    ])
  })
})
