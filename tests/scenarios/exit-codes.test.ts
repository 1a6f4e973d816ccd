import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { quaero } from '../fixtures/command-line.ts'
import type { EndpointReply } from '../fixtures/openai-endpoint.ts'
import { speakingEndpoint } from '../fixtures/speaking-endpoint.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

/** What a script that calls the command sees of an endpoint that misbehaves: one row for each kind of ending. */

const question = 'How many pages does the Marble corpus hold?'
const answer = { content: 'It reaches 87.2 % (Zhang et al., 2021).' }
const unknownModel = { code: 'model_not_found', message: 'There is no such model' }

interface Row {
  readonly fault: EndpointReply | readonly EndpointReply[]
  readonly settings?: string
  readonly code: number
  readonly status: string
  /** The `error.code`; null for a run that shows nothing of it. */
  readonly error: string | null
  /** What a person who waits is told on stderr. */
  readonly said: RegExp
}

/** The synthesis agent's endpoint misbehaves, so that all before it is well. */
const rows: readonly (readonly [what: string, row: Row])[] = [
  [
    'no quota',
    {
      fault: { status: 429, body: { error: { code: 'insufficient_quota', message: 'You exceeded your quota.' } } },
      code: 1,
      status: 'failed',
      error: 'quota_exhausted',
      said: /out of quota \(429\).*Check its plan and billing/,
    },
  ],
  [
    '500 for ever',
    {
      fault: { status: 500 },
      code: 0,
      status: 'completed',
      error: 'endpoint_unavailable',
      said: /retrying in 2 s \(2\/2\)[\s\S]*Check the endpoint with: quaero doctor/,
    },
  ],
  [
    'a rejected key',
    { fault: { status: 401 }, code: 78, status: 'failed', error: 'key_rejected', said: /Set OPENAI_API_KEY/ },
  ],
  [
    'an unknown model',
    {
      fault: { status: 404, body: { error: unknownModel } },
      code: 78,
      status: 'failed',
      error: 'model_not_found',
      said: /It offers: test-model, test-model-large. Choose with --model/,
    },
  ],
  [
    'a drip without end',
    {
      fault: { ...answer, drip: true },
      settings: 'limits: { wallClockSeconds: 2 }\nendpoint: { maxAnswerMegabytes: 1000 }',
      code: 3,
      status: 'limit_reached',
      error: null,
      said: /The limit of 2 s for the whole run/,
    },
  ],
]

describe('quaero ask, on an endpoint that misbehaves', () => {
  it.each(rows)(
    '%s: exits and says why as promised',
    { tags: ['F4', 'F6', 'F8', 'F9', 'F23'] },
    async (_, { fault, settings = '', code, ...expected }) => {
      const cwd = await libraryFolder()
      const config = join(cwd, 'own.yaml')
      await writeFile(config, `${settings}\n`)
      const endpoint = await speakingEndpoint({ synthesis: fault })
      const flags = settings ? ['--config', config] : []
      const ended = await quaero(['ask', question, '--json', ...flags], { cwd, env: endpoint.env })
      const result = jsonOutputs.ask.parse(JSON.parse(ended.out))
      expect(result.status).toBe(expected.status)
      expect(result.error?.code ?? null).toBe(expected.error)
      expect(ended.code).toBe(code)
      expect(ended.err).toMatch(expected.said)
      expect(ended.out + ended.err).not.toMatch(/87\.2|sk-canary|at file:/)
      expect(endpoint.calls().filter((each) => each === 'synthesis').length).toBeLessThanOrEqual(3)
      if (expected.error) expect(result.error?.message).toContain(endpoint.host)
      if (result.status !== 'failed') expect(result.answer).toContain('81.1 million pages')
    },
  )
})
