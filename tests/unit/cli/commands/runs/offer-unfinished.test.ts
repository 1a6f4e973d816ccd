import { describe, expect, it } from 'vitest'
import { ask } from '../../../../../src/cli/commands/ask.ts'
import { chat } from '../../../../../src/cli/commands/chat.ts'
import type { RunSummary } from '../../../../../src/index.ts'
import { capturedOutput, runWith, typedInput } from '../../captured-terminal.ts'
import { fakeQuaero, plainRun } from '../../fake-quaero.ts'

const unfinished: RunSummary = {
  runId: 'run-0',
  threadId: 't1',
  status: 'interrupted',
  question: 'What was asked before?',
  startedAt: null,
  endedAt: null,
}

/** An engine whose thread has left this run unfinished, and plans for the runs that are asked for. */
function engineWith(...summaries: readonly RunSummary[]) {
  return fakeQuaero({ summaries, runs: [plainRun({ runId: 'run-0', answer: 'The older one.' }), plainRun()] })
}

const namesOf = (calls: readonly { readonly name: string }[]) => calls.map(({ name }) => name)

describe('a thread with an unfinished run', () => {
  it('at a terminal the run is offered, goes on if it is wanted, and the question follows', {
    tags: ['E10'],
  }, async () => {
    const { quaero, calls } = engineWith(unfinished)
    const output = capturedOutput()
    const asked: string[] = []
    const confirm = async (question: string) => asked.push(question) > 0
    const code = await runWith(ask, quaero, typedInput('', { confirm }), output, { question: 'New?', thread: 't1' })
    expect(asked).toEqual(['"What was asked before?" was not finished. Resume it first?'])
    expect([code, namesOf(calls)]).toEqual([0, ['resume', 'stream']])
    expect(output.out()).toMatch(/The older one\.[\s\S]*87\.2/)
  })

  it('is left as it is if nobody wants it', { tags: ['E10'] }, async () => {
    const { quaero, calls } = engineWith({ ...unfinished, status: 'requires_action' })
    const confirm = async () => false
    await runWith(ask, quaero, typedInput('', { confirm }), capturedOutput(), { question: 'New?', thread: 't1' })
    expect(namesOf(calls)).toEqual(['stream'])
  })

  it.each([
    ['in a pipe', {}, {}],
    ['with --json', { json: true }, { confirm: async () => true }],
  ])('is reported with the command that resumes it: %s', { tags: ['E10'] }, async (_, flags, input) => {
    const { quaero, calls } = engineWith(unfinished)
    const output = capturedOutput()
    await runWith(ask, quaero, typedInput('', input), output, {
      question: 'New?',
      thread: 't1',
      dataDir: 'kept',
      ...flags,
    })
    expect(output.err()).toContain('Resume it with: quaero runs resume run-0 --data-dir kept\n')
    expect(namesOf(calls)).toEqual(['stream'])
  })

  it('is not offered while a process works on it, nor asked for on a new thread', { tags: ['E10'] }, async () => {
    const { quaero, calls } = engineWith({ ...unfinished, status: 'running' })
    const output = capturedOutput()
    await runWith(ask, quaero, typedInput(), output, { question: 'New?', thread: 't1' })
    await runWith(ask, quaero, typedInput(), output, { question: 'Another?' })
    expect(output.err()).not.toContain('Resume')
    expect(namesOf(calls)).toEqual(['stream', 'stream'])
  })

  it('is offered before the first line of a chat; Enter is yes', { tags: ['E10'] }, async () => {
    const { quaero, calls } = engineWith(unfinished)
    const output = capturedOutput({ stderrIsTerminal: true })
    await runWith(chat, quaero, typedInput('\nNew?\n', { isTerminal: true }), output, {
      thread: 't1',
      quiet: true,
    })
    expect(output.err()).toContain('Resume it first? [Y/n]')
    expect(namesOf(calls)).toEqual(['resume', 'stream'])
  })

  it('in a chat a question typed in place of yes or no is asked, and the run stays as it is', {
    tags: ['E10'],
  }, async () => {
    const { quaero, calls } = engineWith(unfinished)
    const input = typedInput('What is new?\n', { isTerminal: true })
    await runWith(chat, quaero, input, capturedOutput(), { thread: 't1', quiet: true })
    expect(calls).toMatchObject([{ name: 'stream', question: 'What is new?' }])
  })

  it.each(['n', 'NO'])('in a chat %j is an answer and no question', { tags: ['E10'] }, async (no) => {
    const { quaero, calls } = engineWith(unfinished)
    const input = typedInput(`${no}\nWhat is new?\n`, { isTerminal: true })
    await runWith(chat, quaero, input, capturedOutput(), { thread: 't1', quiet: true })
    expect(calls).toMatchObject([{ name: 'stream', question: 'What is new?' }])
  })
})
