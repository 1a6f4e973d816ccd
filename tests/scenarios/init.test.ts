import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { quaero } from '../fixtures/command-line.ts'
import { startEndpoint } from '../fixtures/openai-endpoint.ts'
import { temporaryFolder } from '../fixtures/workflow.ts'

describe('the first steps with a model of one’s own', () => {
  it('lead over a file that init writes, and QUAERO_CONFIG names', async () => {
    const cwd = await temporaryFolder()
    const endpoint = await startEndpoint(({ tools, response_format: format }) =>
      tools
        ? { toolCalls: [{ name: 'report_state', args: { state: 'ready' } }] }
        : { content: format ? '{"state": "ready"}' : 'ready' },
    )
    onTestFinished(endpoint.close)
    const words = ['init', '--url', endpoint.url, '-m', 'openai:test-model']
    const written = await quaero(words, { cwd })
    expect([written.code, written.err]).toEqual([0, expect.stringMatching(/^ok +tool calling/m)])
    const file = join(cwd, 'quaero.yaml')
    expect(readFileSync(file, 'utf8')).toMatch(/tools: { allow: \[web_search.*baseUrl: /s)
    expect(readFileSync(file, 'utf8')).toContain(`baseUrl: ${endpoint.url}`)
    expect(written.out).toContain('quaero add')
    const checked = await quaero(['doctor'], { cwd, env: { QUAERO_CONFIG: file } })
    expect([checked.code, checked.out]).toEqual([0, expect.stringContaining('openai:test-model is on the list')])
    const again = await quaero(words, { cwd })
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('quaero.yaml is there already')])
  })

  it('say which options are missing where nobody can be asked', async () => {
    const { code, err } = await quaero(['init'], { cwd: await temporaryFolder() })
    expect([code, err]).toEqual([2, expect.stringContaining('give --model')])
  })
})
