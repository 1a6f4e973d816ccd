import { describe, expect, it } from 'vitest'
import { LangfuseExperiments } from '../../../src/langfuse/experiment.ts'
import { redactor } from '../../../src/redact.ts'
import { startLangfuse } from '../../fixtures/langfuse/langfuse-server.ts'

const key = 'Quince-Canary-4711'
const shaped = 'sk-planted-9f8e7d6c5b'
const labels = { environment: 'testing', release: null, version: '1.2.3' }
const signal = new AbortController().signal
const item = { id: 'a', input: 'How many pages?', expectedOutput: null, metadata: {}, runId: 'run-1' }
const other = { ...item, id: 'b', runId: 'run-2' }
const experiment = { dataset: `pages ${key}`, run: `first ${shaped}`, metadata: {}, items: [item, other] }

async function open() {
  const langfuse = await startLangfuse()
  const { LANGFUSE_PUBLIC_KEY: publicKey, LANGFUSE_SECRET_KEY: secretKey, LANGFUSE_BASE_URL: baseUrl } = langfuse.env
  return {
    langfuse,
    experiments: new LangfuseExperiments({ publicKey, secretKey, baseUrl }, { labels, redact: redactor([key]) }),
  }
}

describe('an experiment', () => {
  it('is named without credentials, and continued without a second link', { tags: ['T10', 'T14'] }, async () => {
    const { langfuse, experiments } = await open()
    const begun = await experiments.begin(experiment, null, signal)
    expect(begun).toMatchObject({ dataset: 'pages [redacted]', run: 'first [redacted]', runs: ['run-1', 'run-2'] })
    const more = { ...experiment, items: [item, { ...other, runId: 'run-3' }] }
    const continued = await experiments.begin(more, begun, signal)
    expect(continued).toEqual({ ...begun, runs: ['run-1', 'run-2', 'run-3'] })
    expect([...langfuse.runs].map(([id, links]) => [id, links.length])).toEqual([
      ['run:pages [redacted]:first [redacted]', 3],
    ])
    await experiments.finish(continued, [{ item, scores: { passed: 1 } }], { scores: { passed: 1 }, signal })
    const sent = langfuse.server.requests.map(({ path, body }) => decodeURIComponent(path) + body).join('\n')
    expect(sent).not.toContain(key)
    expect(sent).not.toContain(shaped)
  })

  it('has an id of its own where the server keeps no runs of datasets', { tags: ['T14'] }, async () => {
    const { langfuse, experiments } = await open()
    langfuse.fail(({ path }) => (path.endsWith('/dataset-run-items') ? 404 : null))
    const begun = await experiments.begin(experiment, null, signal)
    expect(begun.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(begun.url).toBe(`${langfuse.server.url}/project/project-1/datasets/dataset:pages [redacted]`)
    expect(experiments.attributesOf(begun, item)).toMatchObject({ 'langfuse.experiment.id': begun.id })
  })
})
