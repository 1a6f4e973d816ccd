import { describe, expect, it } from 'vitest'
import { runsEvents, runsResume } from '../../../../../src/cli/commands/run-events.ts'
import { runsCancel, runsList, runsReplay, runsShow } from '../../../../../src/cli/commands/runs.ts'
import { LimitReached } from '../../../../../src/errors.ts'
import type { Event, RunSummary } from '../../../../../src/index.ts'
import { capturedOutput, type FlagsOf, runWith, typedInput } from '../../captured-terminal.ts'
import { fakeQuaero, line, plainRun, runResult } from '../../fake-quaero.ts'

const summary: RunSummary = {
  runId: 'run-1',
  threadId: 't1',
  status: 'interrupted',
  question: 'What accuracy is reached?',
  startedAt: '2026-01-02T03:04:05.678Z',
  endedAt: null,
}
const created = { ...line('run.created', { threadId: 't1', turn: 1, question: '?', documents: null }), position: 1 }
const failed = { ...line('run.failed', { code: 'x', message: 'it\u009b31m broke', recoverable: false }), position: 2 }
// The log holds stored events only, which these are.
const log = [created, failed] as unknown as readonly (Event & { readonly position: number })[]
const pendingApprovals = ['a1', 'a2'].map((id) => ({ id, name: 'web_search', args: { query: id } }))

describe('quaero runs', () => {
  it('lists runs in a table, those of one thread if it is named', async () => {
    const output = capturedOutput()
    const { quaero, calls } = fakeQuaero({ summaries: [summary] })
    await runWith(runsList, quaero, typedInput(), output, { thread: 't1' })
    expect(calls).toEqual([{ name: 'list runs', threadId: 't1' }])
    expect(output.out()).toContain('run-1  t1      interrupted  2026-01-02 03:04  What accuracy is reached?\n')
  })

  it('lists runs with --json, the newest first', async () => {
    const output = capturedOutput()
    const newer = { ...summary, runId: 'run-2' }
    await runWith(runsList, fakeQuaero({ summaries: [summary, newer] }).quaero, typedInput(), output, { json: true })
    expect(JSON.parse(output.out())).toEqual({ runs: [newer, summary] })
  })

  it('shows the result of a run, with --json as ask prints it', async () => {
    const { quaero } = fakeQuaero({ runs: [plainRun()] })
    const shown = capturedOutput()
    await runWith(runsShow, quaero, typedInput(), shown, { runId: 'run-1' })
    expect(shown.out()).toContain('Run run-1, turn 1 of thread thread-1: completed\nWhat accuracy is reached?\n')
    expect(shown.out()).toContain('It reaches 87.2 %. [1]')
    const json = capturedOutput()
    await runWith(runsShow, quaero, typedInput(), json, { runId: 'run-1', json: true })
    expect(JSON.parse(json.out())).toEqual(runResult())
  })

  const approvals = [{ id: 'a1', tool: 'web_search', args: { query: 'x' } }]
  const waits =
    'Waits for approval a1: web_search {"query":"x"}\nAnswer with: quaero runs resume run-1 --data-dir kept --approve a1\n' +
    'Not to be asked again, set "tools: { allow: [web_search] }" in the file of --config, or ask with --approve all.'

  it.each([
    ['requires_action', waits],
    ['interrupted', 'Resume with: quaero runs resume run-1 --data-dir kept'],
    ['running', 'Still running. Follow it with: quaero runs events run-1 --follow --data-dir kept'],
  ] as const)(
    'says on stderr how to go on with a run that is %s, when it is shown or replayed',
    { tags: ['E10'] },
    async (state, said) => {
      const status = state === 'running' ? 'interrupted' : state
      const planned = plainRun({ status, answer: '', approvals: state === 'requires_action' ? approvals : [] })
      const { quaero } = fakeQuaero({ runs: [planned], status: { state } })
      for (const look of [runsShow, runsReplay]) {
        const output = capturedOutput()
        expect(await runWith(look, quaero, typedInput(), output, { runId: 'run-1', dataDir: 'kept' })).toBe(0)
        expect(output.err()).toBe(`${said}\n`)
      }
    },
  )

  it('says nothing of going on with a run that has ended, nor with --json', async () => {
    for (const [status, json] of [
      ['completed', false],
      ['interrupted', true],
    ] as const) {
      const { quaero } = fakeQuaero({ runs: [plainRun({ status })], status: { state: status } })
      for (const look of [runsShow, runsReplay]) {
        const output = capturedOutput()
        await runWith(look, quaero, typedInput(), output, { runId: 'run-1', json })
        expect(output.err()).toBe('')
      }
    }
  })

  it.each([
    ['wallClockMs', 400, 'The limit of 0.4 s for the whole run is reached.', '--timeout'],
    ['modelCalls', 2, 'The limit of 2 model calls is reached.', '--max-steps'],
    ['costUsd', 0.05, 'The limit of $0.05 is reached.', '--max-cost'],
    ['toolCalls', 1, 'The limit of 1 tool call is reached.', null],
    ['noProgress', 3, 'The same tool call was made 3 times in a row.', null],
  ] as const)(
    'names the limit %s in the words and with the flag that a person knows',
    async (limit, value, said, flag) => {
      const ending = { reason: new LimitReached(limit, value).message, limit, value }
      const { quaero } = fakeQuaero({ runs: [plainRun({ status: 'limit_reached', ending })] })
      const output = capturedOutput()
      await runWith(runsShow, quaero, typedInput(), output, { runId: 'run-1' })
      expect(output.err()).toBe(
        `${said} This is the best answer so far.${flag ? ` Raise the limit with ${flag}.` : ''}\n`,
      )
    },
  )

  it('names a thread that does not exist', async () => {
    const list = runWith(runsList, fakeQuaero({}).quaero, typedInput(), capturedOutput(), { thread: 'nope' })
    await expect(list).rejects.toMatchObject({ code: 'thread_not_found', message: /There is no thread "nope"/ })
  })

  it('a run that is followed continues after Ctrl-C, and a message says so', { tags: ['L8'] }, async () => {
    let notice: () => string | null = () => null
    const onStop = (given: () => string | null) => {
      notice = given
    }
    const { quaero } = fakeQuaero({})
    const followed = Object.assign(quaero, { follow: async function* () {} })
    const input = typedInput('', { onStop, signal: AbortSignal.abort() })
    expect(await runWith(runsEvents, followed, input, capturedOutput(), { runId: 'run-1', follow: true })).toBe(130)
    expect(notice()).toMatch(/the run continues/)
  })

  it('prints the log as a plain table', { tags: ['S21'] }, async () => {
    const output = capturedOutput()
    await runWith(runsEvents, fakeQuaero({ log }).quaero, typedInput(), output, { runId: 'run-1' })
    const [, first, second] = output.out().split('\n')
    expect(first).toMatch(/^1 {2}03:04:05\.678 {2}run\.created .*"threadId":"t1"/)
    expect(second).toContain('"message":"it broke"')
  })

  it('prints the log with --jsonl, each line with run and thread', async () => {
    const output = capturedOutput()
    await runWith(runsEvents, fakeQuaero({ log }).quaero, typedInput(), output, { runId: 'run-1', jsonl: true })
    const lines = output
      .out()
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text))
    expect(lines).toEqual(log.map((event) => ({ ...event, runId: 'run-1', threadId: 't1' })))
  })

  it('prints the log as one object with --json', async () => {
    const output = capturedOutput()
    await runWith(runsEvents, fakeQuaero({ log }).quaero, typedInput(), output, { runId: 'run-1', json: true })
    expect(JSON.parse(output.out()).events).toHaveLength(2)
  })

  it('cancels the run that is named', async () => {
    const { quaero, calls } = fakeQuaero({})
    expect(await runWith(runsCancel, quaero, typedInput(), capturedOutput(), { runId: 'run-1' })).toBe(0)
    expect(calls).toEqual([{ name: 'cancel', id: 'run-1' }])
  })
})

describe('quaero runs resume', () => {
  it('goes on with a run and ends as ask does', { tags: ['L8'] }, async () => {
    const output = capturedOutput()
    const { quaero, calls } = fakeQuaero({ runs: [plainRun({ status: 'limit_reached' })] })
    const flags = { runId: 'run-1', maxSteps: 5, json: true }
    expect(await runWith(runsResume, quaero, typedInput(), output, flags)).toBe(3)
    expect(JSON.parse(output.out()).status).toBe('limit_reached')
    expect(calls).toMatchObject([{ name: 'resume', answers: {}, options: { limits: { modelCalls: 5 } } }])
  })

  it('answers the approvals that are named, with the reason for those denied', async () => {
    const flags = { runId: 'run-1', approve: ['a1'], deny: ['a2'], reason: 'too much' }
    const { calls } = await resume(flags)
    expect(calls).toMatchObject([{ answers: { a1: { approved: true }, a2: { approved: false, reason: 'too much' } } }])
  })

  it('passes on an answer to an approval that is not pending, which the engine refuses', async () => {
    expect((await resume({ runId: 'run-1', approve: ['old', 'a1', 'a2'] })).calls).toMatchObject([
      { answers: { old: { approved: true } } },
    ])
  })

  it.each([
    ['all', true],
    ['none', false],
  ])('answers all that is pending, and all that follows, with "%s"', async (word, approved) => {
    const { calls } = await resume({ runId: 'run-1', approve: [word] })
    expect(calls).toMatchObject([{ answers: { a1: { approved }, a2: { approved } }, options: { approve: word } }])
  })

  it('asks a person about what the flags leave open', async () => {
    const input = typedInput('', { askApproval: async () => ({ approved: false }) })
    const { calls } = await resume({ runId: 'run-1', approve: ['a1'] }, input)
    expect(calls).toMatchObject([{ answers: { a1: { approved: true }, a2: { approved: false } } }])
  })

  it.each([
    ['of the run, where the settings name another', 'openai:small', {}, ['openai:small']],
    ['of the flag', 'openai:small', { model: 'extractive' }, []],
    ['of the settings, where the run had it too', 'extractive', {}, []],
    ['of the settings, where that of the run has no name', 'FakeListChatModel', {}, []],
  ])('goes on with the model %s', async (_, model, flags, expected) => {
    const { quaero, calls } = fakeQuaero({ runs: [plainRun({ model, status: 'interrupted' })] })
    const reopened: (string | undefined)[] = []
    const place = {
      open: async () => quaero,
      reopen: async (name?: string) => {
        reopened.push(name)
        return quaero
      },
    }
    await runWith(runsResume, place, typedInput(), capturedOutput(), { runId: 'run-1', ...flags })
    expect([reopened, calls.map(({ name }) => name)]).toEqual([expected, ['resume']])
  })

  it('refuses one approval both ways', async () => {
    await expect(resume({ runId: 'run-1', approve: ['a1'], deny: ['a1'] })).rejects.toThrow(/both/)
  })
})

async function resume(flags: FlagsOf<typeof runsResume>, input = typedInput()) {
  const { quaero, calls } = fakeQuaero({ runs: [plainRun()], status: { pendingApprovals } })
  return { code: await runWith(runsResume, quaero, input, capturedOutput(), flags), calls }
}
