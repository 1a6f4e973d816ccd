import { describe, expect, it } from 'vitest'
import { ask } from '../../../src/cli/commands/ask.ts'
import { runsResume } from '../../../src/cli/commands/run-events.ts'
import { runsCancel, runsList } from '../../../src/cli/commands/runs.ts'
import { threadsDelete, threadsList } from '../../../src/cli/commands/threads.ts'
import { exitCodeOfError } from '../../../src/cli/output/exit-codes.ts'
import { shortId } from '../../../src/cli/shared/ids.ts'
import { UsageError } from '../../../src/index.ts'
import { capturedOutput, runWith, typedInput } from './captured-terminal.ts'
import { fakeQuaero, plainRun } from './fake-quaero.ts'

const first = '3f2a9c01-aaaa-4bbb-8ccc-000000000001'
const like = '3f2a9c01-abaa-4bbb-8ccc-000000000002'
const other = '77aa0011-aaaa-4bbb-8ccc-000000000003'

describe('an id that is shown', () => {
  it('has 8 characters, or as many as no other shares', () => {
    expect(shortId(other, [first, like, other])).toBe('77aa0011')
    expect(shortId(first, [first, like, other])).toBe('3f2a9c01-aa')
    expect(shortId(like, [first, like, other])).toBe('3f2a9c01-ab')
  })

  it('is whole if a person chose it, and keeps the name of a user', () => {
    expect(shortId('notes-of-the-meeting', [])).toBe('notes-of-the-meeting')
    expect(shortId(`ada_${first}`, [`ada_${first}`])).toBe('ada_3f2a9c01')
  })

  it('is short in tables and after an answer, and whole in JSON', async () => {
    const run = plainRun({ runId: first, threadId: other })
    const thread = {
      threadId: other,
      title: 'Why?',
      turns: 1,
      userId: null,
      metadata: {},
      createdAt: '',
      updatedAt: '',
    }
    const engine = { runs: [run, run], runIds: [first, like], threadIds: [other], threads: [thread] }
    const asked = capturedOutput()
    const { quaero } = fakeQuaero(engine)
    await runWith(ask, quaero, typedInput(), asked, { question: 'Why?' })
    expect(asked.err()).toContain('thread 77aa0011 · run 3f2a9c01-aa\n')
    const json = capturedOutput()
    await runWith(ask, quaero, typedInput(), json, { question: 'Why?', json: true })
    expect(JSON.parse(json.out())).toMatchObject({ runId: first, threadId: other })
    const table = capturedOutput()
    await runWith(threadsList, quaero, typedInput(), table, {})
    expect(table.out()).toMatch(/^77aa0011 {2}1 /m)
  })
})

describe('an id that is given', () => {
  it('may be any beginning that no other shares', async () => {
    const { quaero, calls } = fakeQuaero({ runIds: [first, like, other], threadIds: [other, 'notes'] })
    const output = capturedOutput()
    await runWith(runsCancel, quaero, typedInput(), output, { runId: '77' })
    await runWith(threadsDelete, quaero, typedInput(), output, { threadId: 'no' })
    await runWith(runsList, quaero, typedInput(), output, { thread: '77aa' }).catch(() => {})
    expect(calls).toEqual([
      { name: 'cancel', id: other },
      { name: 'delete', id: 'notes' },
      { name: 'list runs', threadId: other },
    ])
  })

  it('is refused with the candidates if it begins several', async () => {
    const { quaero, calls } = fakeQuaero({ runIds: [first, like, other] })
    const refused = runWith(runsCancel, quaero, typedInput(), capturedOutput(), { runId: '3f2a9c01' })
    await expect(refused).rejects.toThrow(`"3f2a9c01" may be 2 runs: ${first}, ${like}. Give more of the id.`)
    await expect(refused).rejects.toThrow(UsageError)
    expect([exitCodeOfError('usage'), calls]).toEqual([2, []])
  })

  it('is itself, even if others begin with it', async () => {
    const { quaero, calls } = fakeQuaero({ threadIds: ['notes', 'notes-2'] })
    await runWith(threadsDelete, quaero, typedInput(), capturedOutput(), { threadId: 'notes' })
    expect(calls).toEqual([{ name: 'delete', id: 'notes' }])
  })

  it('names an approval by its beginning too', async () => {
    const pendingApprovals = [{ id: 'call-7f', name: 'web_search', args: {} }]
    const { quaero, calls } = fakeQuaero({ runs: [plainRun()], runIds: ['run-1'], status: { pendingApprovals } })
    await runWith(runsResume, quaero, typedInput(), capturedOutput(), { runId: 'run', approve: ['call'] })
    expect(calls).toMatchObject([{ runId: 'run-1', answers: { 'call-7f': { approved: true } } }])
  })
})

describe('the thread of a question', () => {
  it.each([
    ['77aa0011', other],
    ['77aa', '77aa'],
    ['notes', 'notes'],
    ['notes-of-may', 'notes-of-may'],
  ])('is %s: a new one, unless that is most of a generated id', async (thread, threadId) => {
    const { quaero, calls } = fakeQuaero({ runs: [plainRun()], threadIds: [other, 'notes-of-may-2026'] })
    await runWith(ask, quaero, typedInput(), capturedOutput(), { question: 'Why?', thread })
    expect(calls[0]).toMatchObject({ options: { threadId } })
  })
})
