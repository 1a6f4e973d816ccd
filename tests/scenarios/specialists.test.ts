import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { quaero, startQuaero } from '../fixtures/command-line.ts'
import { type Lines, speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const [search, closing] = usualLines.specialist
const delegating = [
  { toolCalls: [{ name: 'delegate', args: { specialist: 'counter', task: 'Count the pages of the Marble corpus.' } }] },
  { content: 'The counter found it.' },
]

/** A folder with a library and settings for one specialist, and an endpoint whose research asks it. */
async function withSpecialist(lines: Lines = {}, settings = '') {
  const cwd = await libraryFolder()
  const config = 'specialists:\n  counter:\n    description: Counts the pages of corpora.\n'
  await writeFile(join(cwd, 'my.yaml'), `${config}${settings}`)
  const endpoint = await speakingEndpoint({ research: delegating, ...lines })
  return { endpoint, options: { cwd, env: endpoint.env } }
}

describe('a specialist', () => {
  it('is asked by the built command, streams its work inside the call, and what it found is cited', {
    tags: ['U4'],
  }, async () => {
    const { endpoint, options } = await withSpecialist()
    const { code, out } = await quaero(['ask', question, '--jsonl', '--config', 'my.yaml'], options)
    expect(code).toBe(0)
    const lines = out
      .trim()
      .split('\n')
      .map((line) => jsonOutputs['ask.jsonl-line'].parse(JSON.parse(line)))
    expect(endpoint.calls()).toEqual(['orchestrator', 'research', 'specialist', 'specialist', 'research', 'synthesis'])
    const kept = lines.filter(({ type }) => /^(agent|tool)\./.test(type)).map(({ type, agent }) => `${agent} ${type}`)
    expect(kept.slice(2, -3)).toEqual([
      'research agent.started',
      'research tool.started',
      'counter agent.started',
      'counter tool.started',
      'counter tool.completed',
      'counter agent.completed',
      'research tool.completed',
    ])
    expect(lines.at(-1)).toMatchObject({ type: 'run.completed', payload: { citations: [{ verified: true }] } })
  })

  it('is killed with -9 in the middle of its work, and goes on without a finished call paid again', {
    tags: ['Q6', 'U4', 'E10'],
  }, async () => {
    const { endpoint, options } = await withSpecialist({
      specialist: [search, { ...closing, stall: 'middle' }, closing],
    })
    const running = startQuaero(['ask', question, '--jsonl', '--config', 'my.yaml'], options)
    await endpoint.asked('specialist', 2)
    running.child.kill('SIGKILL')
    const { code, out } = await running.ended
    expect(code).toBeNull()
    const { runId } = JSON.parse(out.slice(0, out.indexOf('\n')))

    const resumed = await quaero(['runs', 'resume', runId, '--json', '--config', 'my.yaml'], options)
    expect([resumed.code, JSON.parse(resumed.out)]).toMatchObject([0, { status: 'completed', runId }])
    expect(jsonOutputs.ask.parse(JSON.parse(resumed.out)).citations).toMatchObject([
      { quote: 'holds 81.1 million pages' },
    ])
    // Only the call that was under way is made again.
    expect(endpoint.calls()).toEqual([
      ...['orchestrator', 'research'],
      ...['specialist', 'specialist', 'specialist'],
      ...['research', 'synthesis'],
    ])
    const { events } = JSON.parse((await quaero(['runs', 'events', runId, '--json'], options)).out)
    const searches = events.filter(
      (each: { type: string; payload: { tool?: string } }) => each.payload.tool === 'pdf_retrieval',
    )
    expect(searches.map(({ type }: { type: string }) => type)).toEqual(['tool.started'])
    expect((await quaero(['doctor', '--verify', '--json'], options)).out).toContain('"ok": true')
  })

  it('waits for an approval, which another process gives to it and to what it asks for', {
    tags: ['E8', 'U4'],
  }, async () => {
    const trust = 'tools:\n  trust: strict\n'
    const { endpoint, options } = await withSpecialist({}, trust)
    const common = ['--json', '--config', 'my.yaml']
    const first = await quaero(['ask', question, ...common], options)
    expect([first.code, JSON.parse(first.out)]).toMatchObject([4, { approvals: [{ tool: 'delegate' }] }])
    const { runId } = JSON.parse(first.out)
    const approved = await quaero(['runs', 'resume', runId, '--approve', 'all', ...common], options)
    expect([approved.code, JSON.parse(approved.out)]).toMatchObject([
      0,
      { status: 'completed', citations: [{ marker: 1 }] },
    ])
    expect(endpoint.calls()).toEqual(['orchestrator', 'research', 'specialist', 'specialist', 'research', 'synthesis'])
  })

  it('refuses a specialist whose settings are wrong, by name', async () => {
    const { options } = await withSpecialist({}, '    promt: own\n')
    const { code, err } = await quaero(['ask', question, '--config', 'my.yaml'], options)
    expect(code).toBe(78)
    expect(err).toMatch(/promt[\s\S]*specialists\.counter/)
  })
})

describe('quaero tools', () => {
  it('lists what agents can use, and which tools ask first', { tags: ['H14'] }, async () => {
    const { options } = await withSpecialist({}, 'tools:\n  trust: strict\n')
    const list = await quaero(['tools', '--config', 'my.yaml'], options)
    expect(list.code).toBe(0)
    expect(list.out).toMatch(/^NAME +ASKS FIRST +DESCRIPTION\npdf_retrieval +yes +/)
    const { tools } = jsonOutputs['tools-list'].parse(
      JSON.parse((await quaero(['tools', 'list', '--json', '--config', 'my.yaml'], options)).out),
    )
    const offered = ['pdf_retrieval', 'read_passages', 'document_overview', 'delegate']
    expect(tools.map(({ name }) => name)).toEqual(offered)
  })

  it('runs one without a model or a key, and says by its exit code what is wrong', { tags: ['H14'] }, async () => {
    const cwd = await libraryFolder()
    const run = (...words: string[]) => quaero(['tools', 'run', ...words], { cwd })
    const found = await run('pdf_retrieval', '--args', '{"query":"Marble corpus pages"}')
    expect([found.code, found.out]).toEqual([0, expect.stringContaining('81.1 million pages')])
    const json = await run('pdf_retrieval', '--args', '{"query":"Marble corpus pages"}', '--json')
    const { observations } = jsonOutputs['tools-run'].parse(JSON.parse(json.out))
    expect(observations.map(({ text }) => text).join()).toContain('holds 81.1 million pages')

    expect(await run('fly')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/There is no tool "fly"\. The/),
    })
    expect(await run('pdf_retrieval')).toMatchObject({ code: 2, err: expect.stringMatching(/pdf_retrieval: .*query/s) })
    expect(await run('pdf_retrieval', '--args', '{query}')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/not JSON/),
    })
    const failed = await run('fly', '--json')
    expect(jsonOutputs.error.parse(JSON.parse(failed.out)).error.code).toBe('unknown_tool')
  })

  it('exits with 4 where an approval is needed, and runs where it is given', { tags: ['H14', 'H12'] }, async () => {
    const { options } = await withSpecialist({}, 'tools:\n  trust: strict\n')
    const words = ['tools', 'run', 'document_overview', '--args', '{}', '--config', 'my.yaml']
    expect(await quaero(words, options)).toMatchObject({ code: 4, err: expect.stringMatching(/--approve all/) })
    expect((await quaero([...words, '--approve', 'none'], options)).code).toBe(1)
    expect((await quaero([...words, '--approve', 'all'], options)).code).toBe(0)
  })
})
