import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { quaero } from '../fixtures/command-line.ts'
import { startLangfuse } from '../fixtures/langfuse/langfuse-server.ts'
import {
  graphOf,
  jsonOf,
  levelOf,
  readTrace,
  readTraces,
  replyOf,
  requestOf,
  statusMessageOf,
} from '../fixtures/langfuse/rules.ts'
import { type Lines, speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'

/** A library, an endpoint and a Langfuse, and a command that uses them; each command is a process of its own engine. */
async function setUp(lines: Lines = {}, settings = '') {
  const cwd = await libraryFolder()
  await writeFile(join(cwd, 'my.yaml'), `${settings}\n`)
  const endpoint = await speakingEndpoint(lines)
  const langfuse = await startLangfuse()
  const labels = { LANGFUSE_TRACING_ENVIRONMENT: 'testing', LANGFUSE_RELEASE: 'r-1' }
  const env = { ...endpoint.env, ...langfuse.env, ...labels }
  return {
    langfuse,
    run: (...words: readonly string[]) => quaero([...words, '--config', 'my.yaml'], { cwd, env }),
    spans: () => langfuse.server.spans(),
  }
}

describe('what arrives in Langfuse from the command', () => {
  it('holds the parameters, the parts of usage and cost, the environment and the release', {
    tags: ['T6', 'T14'],
  }, async () => {
    const usage = {
      prompt_tokens: 1000,
      completion_tokens: 100,
      prompt_tokens_details: { cached_tokens: 600 },
      completion_tokens_details: { reasoning_tokens: 40 },
    }
    const { langfuse, run, spans } = await setUp(
      { orchestrator: { ...usualLines.orchestrator, usage }, synthesis: { ...usualLines.synthesis, usage } },
      'prices:\n  test-model: { input: 1, output: 10, contextWindow: null }\nagents:\n  synthesis: { temperature: 0.5 }',
    )
    expect((await run('ask', question, '-q')).code).toBe(0)
    const shown = readTrace(spans())
    const [routing] = shown.of('generation').filter(({ name }) => name === 'orchestrator')
    const [writing] = shown.of('generation').filter(({ name }) => name === 'synthesis')
    if (!routing || !writing) throw new Error('Both agents call their model')
    expect(jsonOf(routing, 'model.parameters')).toMatchObject({ response_format: { type: 'json_schema' } })
    expect(jsonOf(writing, 'model.parameters')).toEqual({ temperature: 0.5 })
    expect(jsonOf(writing, 'usage_details')).toEqual({
      input: 400,
      input_cached_tokens: 600,
      output: 60,
      output_reasoning_tokens: 40,
      total: 1100,
    })
    expect(jsonOf(writing, 'cost_details')).toEqual({ input: 0.001, output: 0.001, total: 0.002 })
    expect([...langfuse.scores.values()]).toMatchObject([{ name: 'confidence_score', environment: 'testing' }])
  })

  it('of a limit of costs is a warning', { tags: ['T7'] }, async () => {
    const { run, spans } = await setUp(
      {},
      'prices:\n  test-model: { input: 100000, output: 100000, contextWindow: null }',
    )
    await run('ask', question, '-q', '--max-cost', '0.5')
    const shown = readTrace(spans())
    expect(levelOf(shown.root)).toBe('WARNING')
    expect(shown.spans.filter((span) => levelOf(span) === 'ERROR')).toEqual([])
    expect(shown.named('limit reached').length).toBeGreaterThan(0)
  })

  it('of an endpoint that fails once holds the retry below the call that then succeeds', {
    tags: ['T7'],
  }, async () => {
    const { run, spans } = await setUp({ synthesis: [{ status: 500 }, usualLines.synthesis] })
    expect((await run('ask', question, '-q')).code).toBe(0)
    const shown = readTrace(spans())
    const [retry] = shown.named('retry')
    const [call] = shown.spans.filter(({ spanId }) => spanId === retry?.parentSpanId)
    expect([call?.name, call && levelOf(call)]).toEqual(['synthesis', 'DEFAULT'])
    expect(replyOf(call ?? shown.root).content).toContain('<cite')
    expect(levelOf(shown.root)).toBe('DEFAULT')
  })

  it('of a run that is approved in another process, and of one that is cancelled there, is one trace each', {
    tags: ['T8', 'T9'],
  }, async () => {
    const { run, spans } = await setUp({}, 'tools:\n  trust: strict')
    const ask = async (thread: string) => {
      const { out } = await run('ask', question, '--json', '-q', '-t', thread)
      return jsonOutputs.ask.parse(JSON.parse(out))
    }
    const [first, second] = [await ask('one'), await ask('two')]
    const waiting = readTraces(spans()).map(({ root }) => statusMessageOf(root))
    expect(waiting).toEqual(['waits for approval', 'waits for approval'])
    const approval = first.approvals[0]?.id ?? ''
    expect((await run('runs', 'resume', first.runId, '--approve', approval, '-q')).code).toBe(0)
    await run('runs', 'cancel', second.runId)
    const [approved, cancelled] = readTraces(spans())
    if (!approved || !cancelled) throw new Error('Two traces were expected')
    expect(graphOf(approved)).toEqual(['1 orchestrator', '2 research', '3 synthesis'])
    expect(approved.root.attributes['langfuse.observation.output']).toContain('81.1 million pages')
    expect(approved.named('approval requested')).toHaveLength(1)
    expect(jsonOf(approved.named('approval answered')[0] ?? approved.root, 'output')).toMatchObject({ approved: true })
    expect([levelOf(cancelled.root), statusMessageOf(cancelled.root)]).toEqual(['WARNING', 'cancelled'])
  })

  it('of a question back and its reply, and of managed prompts, keeps the rules', { tags: ['T2', 'T15'] }, async () => {
    const back = JSON.stringify({
      route: 'clarification',
      standaloneQuestion: '',
      missingContext: ['x'],
      candidates: [],
    })
    const settings = 'langfuse:\n  promptLabel: production\n  promptWaitSeconds: 60'
    const { run, spans } = await setUp({ orchestrator: { content: back } }, settings)
    expect((await run('prompts', 'push', '-q')).code).toBe(0)
    await run('ask', 'How many pages are there?', '-t', 'talk', '-q')
    expect((await run('ask', 'Of the Marble corpus', '-t', 'talk', '-q')).code).toBe(0)
    const [asked, answered] = readTraces(spans())
    if (!asked || !answered) throw new Error('Two traces were expected')
    expect(graphOf(asked)).toEqual(['1 orchestrator', '2 clarification'])
    expect(asked.root.attributes['langfuse.observation.output']).toBe(usualLines.clarification.content)
    expect(graphOf(answered)).toEqual(['1 orchestrator', '2 research', '3 synthesis'])
    for (const generation of [...asked.of('generation'), ...answered.of('generation')]) {
      expect(generation.attributes).toMatchObject({
        'langfuse.observation.prompt.name': `quaero-${generation.name}`,
        'langfuse.observation.prompt.version': 1,
      })
      expect(requestOf(generation).messages[0]?.role).toBe('system')
    }
  })
})
