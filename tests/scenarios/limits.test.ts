import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { quaero } from '../fixtures/command-line.ts'
import { speakingEndpoint } from '../fixtures/speaking-endpoint.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
/** Each search is a new one, so that nothing but a limit ends the loop. */
const endless = Array.from({ length: 20 }, (_, n) => ({
  toolCalls: [{ name: 'pdf_retrieval', args: { query: `Marble corpus pages ${n}` } }],
}))
const prices = 'prices: { test-model: { input: 1000, output: 1000, contextWindow: null } }'

describe('a command whose run meets a limit', { tags: ['S18'] }, () => {
  it.each([
    ['modelCalls', 4, ['--max-steps', '4'], ''],
    ['costUsd', 0.3, ['--max-cost', '0.3'], ''],
    ['tokens', 300, [], 'limits: { tokens: 300 }'],
  ] as const)(
    '%s: exits with 3 and the best answer so far',
    { tags: ['L2', 'L9', 'F41', 'F42'] },
    async (limit, value, flags, settings) => {
      const cwd = await libraryFolder()
      const config = join(cwd, 'limits.yaml')
      await writeFile(config, `${prices}\n${settings}\n`)
      const { env } = await speakingEndpoint({ research: endless })
      const { code, out } = await quaero(['ask', question, '--json', '--config', config, ...flags], { cwd, env })
      expect(code).toBe(3)
      expect(jsonOutputs.ask.parse(JSON.parse(out))).toMatchObject({
        status: 'limit_reached',
        ending: { limit, value },
        citations: [{ quote: 'holds 81.1 million pages', verified: true }],
      })
    },
  )
})
