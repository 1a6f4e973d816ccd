import { describe, expect, it } from 'vitest'
import { quaero, startQuaero } from '../fixtures/command-line.ts'
import { speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { gate, libraryFolder } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'

interface Line {
  readonly type: string
  readonly runId: string
  readonly position?: number
  readonly payload: Record<string, unknown>
}

const linesIn = (out: string) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
const positionsIn = (out: string) => linesIn(out).flatMap(({ position = 0 }) => (position > 0 ? [position] : []))

/** A run that another process works on, held back where it writes the answer. */
async function heldRun() {
  const cwd = await libraryFolder()
  const held = gate()
  const endpoint = await speakingEndpoint({ synthesis: { ...usualLines.synthesis, gate: held.opened } })
  const options = { cwd, env: endpoint.env }
  const asking = startQuaero(['ask', question, '-t', 'shared', '--idempotency-key', 'k', '--jsonl'], options)
  await endpoint.asked('synthesis')
  const { runs } = JSON.parse((await quaero(['runs', 'list', '--unfinished', '--json'], { cwd })).out)
  expect(runs).toMatchObject([{ status: 'running', question }])
  return { cwd, options, endpoint, asking, runId: String(runs[0].runId), goOn: held.open }
}

describe('a run of another process', () => {
  it('is followed to its end from any position, and a repeat of the request waits for it', {
    tags: ['U6', 'F58'],
  }, async () => {
    const { cwd, options, endpoint, asking, runId, goOn } = await heldRun()
    const follower = startQuaero(['runs', 'events', runId, '--follow', '--after', '5', '--jsonl'], { cwd })
    const whole = startQuaero(['runs', 'events', runId, '--follow'], { cwd })
    const repeat = startQuaero(['ask', question, '--idempotency-key', 'k', '--json'], options)
    const seen = new Promise<void>((resolve) => follower.child.stdout?.once('data', () => resolve()))
    await seen
    goOn()
    const { out } = await asking.ended
    const followed = await follower.ended
    const last = positionsIn(out).at(-1) ?? 0
    expect([followed.code, positionsIn(followed.out)]).toEqual([0, Array.from({ length: last - 5 }, (_, i) => i + 6)])
    expect(linesIn(followed.out).at(-1)?.type).toBe('run.completed')
    expect((await whole.ended).out.trim().split('\n')).toHaveLength(last)
    const repeated = await repeat.ended
    expect(JSON.parse(repeated.out)).toMatchObject({ runId, status: 'completed', threadId: 'shared' })
    const other = await quaero(['ask', 'Another?', '--idempotency-key', 'k', '--json'], options)
    expect([other.code, JSON.parse(other.out).error.code]).toEqual([2, 'idempotency_key_reused'])
    expect(endpoint.calls()).toEqual(['orchestrator', 'research', 'research', 'synthesis'])
  })

  it('goes on when its request is repeated after its process was killed, and pays for nothing twice', {
    tags: ['F58', 'Q6'],
  }, async () => {
    const { options, endpoint, asking, runId, goOn } = await heldRun()
    asking.child.kill('SIGKILL')
    await asking.ended
    goOn()
    const again = ['ask', question, '-t', 'shared', '--idempotency-key', 'k', '--json']
    const repeats = await Promise.all([quaero(again, options), quaero(again, options)])
    for (const { code, out } of repeats) {
      expect([code, JSON.parse(out)]).toMatchObject([0, { runId, status: 'completed', threadId: 'shared' }])
    }
    expect(endpoint.calls()).toEqual(['orchestrator', 'research', 'research', 'synthesis', 'synthesis'])
  })

  it('ends for its followers when its process is killed, and is listed, offered and resumed', {
    tags: ['slow', 'U6', 'E10'],
  }, async () => {
    const { cwd, asking, runId, goOn } = await heldRun()
    const follower = startQuaero(['runs', 'events', runId, '--follow', '--jsonl'], { cwd })
    await new Promise<void>((resolve) => follower.child.stdout?.once('data', () => resolve()))
    asking.child.kill('SIGKILL')
    const followed = await follower.ended
    expect([followed.code, followed.err]).toEqual([
      130,
      expect.stringContaining(`quaero runs resume ${runId.slice(0, 8)}`),
    ])
    expect(linesIn(followed.out).at(-1)).toMatchObject({
      type: 'status.changed',
      payload: { to: 'interrupted', trigger: 'crashed' },
    })
    goOn()
    const { runs } = JSON.parse((await quaero(['runs', 'list', '--unfinished', '--json'], { cwd })).out)
    expect(runs).toMatchObject([{ runId, status: 'interrupted' }])

    const next = await quaero(['ask', 'Who released it?', '-t', 'shared', '-m', 'extractive'], { cwd })
    expect([next.code, next.err]).toEqual([0, expect.stringContaining(`quaero runs resume ${runId.slice(0, 8)}`)])
    const chat = await quaero(['chat', '-t', 'shared', '-m', 'extractive'], { cwd, stdin: '/exit\n' })
    expect(chat.err).toContain(`quaero runs resume ${runId.slice(0, 8)}`)
    const resumed = await quaero(['runs', 'resume', runId, '-m', 'extractive', '--jsonl'], { cwd })
    expect(linesIn(resumed.out)[0]).toMatchObject({ type: 'run.started', payload: { attempt: 2 } })
    const { messages } = JSON.parse((await quaero(['threads', 'show', 'shared', '--json'], { cwd })).out)
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(messages[0].content).toBe(question)
    expect((await quaero(['doctor', '--verify', '--json'], { cwd })).code).toBe(0)
    expect((await quaero(['runs', 'list', '--unfinished'], { cwd })).err).toContain('Every run has ended.')
  })
})
