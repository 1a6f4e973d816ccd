import { expect, it } from 'vitest'
import { LangfuseExperiments } from '../../../src/langfuse/experiment.ts'
import { redactor } from '../../../src/redact.ts'
import { startLangfuse } from '../../fixtures/langfuse/langfuse-server.ts'

const key = 'Quince-Canary-4711'
const shaped = 'sk-planted-9f8e7d6c5b'

it('is named without credentials, the same in bodies and in paths, so that a repeat finds it', {
  tags: ['T10', 'T14'],
}, async () => {
  const langfuse = await startLangfuse()
  const { LANGFUSE_PUBLIC_KEY: publicKey, LANGFUSE_SECRET_KEY: secretKey, LANGFUSE_BASE_URL: baseUrl } = langfuse.env
  const experiments = new LangfuseExperiments({ publicKey, secretKey, baseUrl }, redactor([key]))
  const startedAt = new Date('2026-01-01T00:00:00.000Z')
  const item = {
    id: 'a',
    input: 'How many pages?',
    expectedOutput: null,
    metadata: {},
    run: { runId: 'run-1', threadId: null },
    output: '81.',
    startedAt,
    endedAt: startedAt,
    error: null,
    scores: {},
  }
  const experiment = { dataset: `pages ${key}`, run: `first ${shaped}`, metadata: {}, items: [item], scores: {} }
  const report = () => experiments.report(experiment, new AbortController().signal)
  expect(await report()).toMatchObject({ dataset: 'pages [redacted]', run: 'first [redacted]' })
  await report()
  expect([...langfuse.runs].map(([id, links]) => [id, links.length])).toEqual([
    ['run:pages [redacted]:first [redacted]', 1],
  ])
  const sent = langfuse.server.requests.map(({ path, body }) => decodeURIComponent(path) + body).join('\n')
  expect(sent).not.toContain(key)
  expect(sent).not.toContain(shaped)
})
