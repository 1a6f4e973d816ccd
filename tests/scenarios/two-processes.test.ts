import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { quaero, startQuaero } from '../fixtures/command-line.ts'
import { killedRun } from '../fixtures/killed-run.ts'
import { speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { storedText } from '../fixtures/storage/chosen-storage.ts'
import { gate, libraryFolder } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'

describe('two processes on one thread', () => {
  it('the second is refused with exit 5, nothing of its question is stored, and the first ends well', {
    tags: ['F57'],
  }, async () => {
    const cwd = await libraryFolder()
    const held = gate()
    const endpoint = await speakingEndpoint({ orchestrator: { ...usualLines.orchestrator, gate: held.opened } })
    const options = { cwd, env: endpoint.env }
    const first = startQuaero(['ask', question, '-t', 'shared', '--json'], options)
    await endpoint.asked('orchestrator')

    const second = await quaero(['ask', 'What of the Zanzibar lighthouse?', '-t', 'shared', '--json'], options)
    expect([second.code, second.err]).toEqual([5, expect.stringMatching(/"shared" is busy.+or ask on another thread/)])
    expect(jsonOutputs.error.parse(JSON.parse(second.out)).error.code).toBe('thread_busy')
    const elsewhere = await quaero(['ask', question, '-t', 'own', '-m', 'extractive', '--json'], options)
    expect(JSON.parse(elsewhere.out)).toMatchObject({ status: 'completed', threadId: 'own' })

    held.open()
    const { code, out } = await first.ended
    expect([code, JSON.parse(out)]).toMatchObject([0, { status: 'completed', turn: 1 }])
    expect(endpoint.calls()).toEqual(['orchestrator', 'research', 'research', 'synthesis'])
    const { runs } = JSON.parse((await quaero(['runs', 'list', '--thread', 'shared', '--json'], { cwd })).out)
    expect(runs).toMatchObject([{ question, status: 'completed' }])
    expect(await storedText(cwd)).not.toContain('Zanzibar')
  })
})

describe('a run that another process cancels', () => {
  it('ends at once, for good, with nothing of an answer', { tags: ['U5'] }, async () => {
    const cwd = await libraryFolder()
    const held = gate()
    const endpoint = await speakingEndpoint({ synthesis: { ...usualLines.synthesis, gate: held.opened } })
    const options = { cwd, env: endpoint.env }
    const first = startQuaero(['ask', question, '-t', 'shared', '--json'], options)
    await endpoint.asked('synthesis')
    const { runs } = JSON.parse((await quaero(['runs', 'list', '--json'], { cwd })).out)
    expect((await quaero(['runs', 'cancel', runs[0].runId], { cwd })).code).toBe(0)
    const { code, out } = await first.ended
    held.open()
    expect([code, JSON.parse(out)]).toMatchObject([130, { status: 'cancelled', answer: '' }])
  })
})

describe('a process that is killed', () => {
  it('leaves a run that is listed, and resumed without a finished call made again', {
    tags: ['F51', 'F54'],
  }, async () => {
    const { cwd, runId, endpoint } = await killedWhileWriting()
    const { runs } = jsonOutputs['runs-list'].parse(JSON.parse((await quaero(['runs', 'list', '--json'], { cwd })).out))
    expect(runs).toMatchObject([{ runId, status: 'interrupted', question }])
    const shown = await quaero(['runs', 'show', runId, '--json'], { cwd })
    expect(jsonOutputs['runs-show'].parse(JSON.parse(shown.out)).status).toBe('interrupted')

    const resumed = await quaero(['runs', 'resume', runId, '--json'], { cwd, env: endpoint.env })
    expect(resumed.code).toBe(0)
    const result = jsonOutputs.ask.parse(JSON.parse(resumed.out))
    expect(result).toMatchObject({ runId, status: 'completed', answer: expect.stringContaining('81.1 million pages') })
    expect(result.citations).toMatchObject([{ quote: 'holds 81.1 million pages' }])
    expect(endpoint.calls()).toEqual(['orchestrator', 'research', 'research', 'synthesis', 'synthesis'])
    const { messages } = JSON.parse((await quaero(['threads', 'show', 'shared', '--json'], { cwd })).out)
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant'])
  })

  it('frees its thread at once', { tags: ['slow', 'F51'] }, async () => {
    const { cwd } = await killedWhileWriting()
    const next = await quaero(['ask', question, '-t', 'shared', '-m', 'extractive', '--json'], { cwd })
    expect([next.code, JSON.parse(next.out)]).toMatchObject([0, { status: 'completed', turn: 2, threadId: 'shared' }])
  })

  it('keeps the question although nothing was done yet, and the run is resumed from its start', {
    tags: ['F50'],
  }, async () => {
    const { cwd, runId, endpoint } = await killedDuring('orchestrator')
    const resumed = await quaero(['runs', 'resume', runId, '--json'], { cwd, env: endpoint.env })
    expect(JSON.parse(resumed.out)).toMatchObject({ runId, status: 'completed', question })
    expect(endpoint.calls()).toEqual(['orchestrator', 'orchestrator', 'research', 'research', 'synthesis'])
  })

  it('leaves a run that can be cancelled for good', { tags: ['slow'] }, async () => {
    const { cwd, runId } = await killedWhileWriting()
    expect((await quaero(['runs', 'cancel', runId], { cwd })).code).toBe(0)
    const { runs } = JSON.parse((await quaero(['runs', 'list', '--json'], { cwd })).out)
    expect(runs).toMatchObject([{ runId, status: 'cancelled' }])
    const resumed = await quaero(['runs', 'resume', runId, '--json'], { cwd })
    expect([resumed.code, JSON.parse(resumed.out)]).toMatchObject([1, { error: { code: 'run_ended' } }])
  })
})

function killedWhileWriting() {
  return killedDuring('synthesis')
}

async function killedDuring(speaker: 'orchestrator' | 'synthesis') {
  const cwd = await libraryFolder()
  return { cwd, ...(await killedRun(question, speaker, { cwd })) }
}
