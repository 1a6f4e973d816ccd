import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { chat as chatCommand } from '../../../../src/cli/commands/chat.ts'
import type { Input } from '../../../../src/cli/output/terminal.ts'
import { stopNotice } from '../../../../src/cli/shared/stop-signals.ts'
import { UsageError } from '../../../../src/index.ts'
import { capturedOutput, type FlagsOf, runWith, typedInput } from '../captured-terminal.ts'
import { addedPaper, addReport, type FakeEngine, fakeQuaero, type PlannedRun, plainRun } from '../fake-quaero.ts'

describe('quaero chat', () => {
  it('takes each line from a pipe as a turn on one thread', async () => {
    const runs = [plainRun({ answer: 'One.' }), plainRun({ runId: 'run-2', answer: 'Two.' })]
    const { code, out, calls } = await chat('first?\n\nsecond?\n', {}, { runs })
    expect(code).toBe(0)
    expect(out.indexOf('One.')).toBeLessThan(out.indexOf('Two.'))
    expect(calls).toMatchObject([
      { question: 'first?', options: {} },
      { question: 'second?', options: { threadId: 'thread-1' } },
    ])
    expect(calls[0]).not.toHaveProperty('options.threadId')
  })

  it('takes the next line as the reply to a question back', async () => {
    const asked = plainRun({ status: 'clarification_needed', answer: '', clarification: 'Which one?' })
    const { out, calls } = await chat('it?\nthe second\n', {}, { runs: [asked, plainRun({ runId: 'run-2' })] })
    expect(out).toContain('Which one?\n')
    expect(calls[1]).toMatchObject({ question: 'the second', options: { threadId: 'thread-1' } })
  })

  it('goes on with a thread that is named', async () => {
    const { calls } = await chat('and?\n', { thread: 't1' }, { runs: [plainRun()] })
    expect(calls).toMatchObject([{ options: { threadId: 't1' } }])
  })

  it('adds documents once and leaves it to the thread to remember them', async () => {
    const engine = { runs: [plainRun(), plainRun({ runId: 'run-2' })], report: addReport([addedPaper]) }
    const { calls } = await chat('one?\ntwo?\n', { documents: ['papers'] }, engine)
    expect(calls.map(({ name }) => name)).toEqual(['add', 'stream', 'stream'])
    expect(calls[1]).toMatchObject({ options: { documents: ['papers/zhang.pdf'] } })
    expect(calls[2]).not.toHaveProperty('options.documents')
  })

  it('leaves on /exit, and asks nothing after it', async () => {
    const { calls } = await chat('/exit\nignored?\n', {}, {})
    expect(calls).toEqual([])
  })

  it('shows its help, its thread, and what it does not know', async () => {
    const { err } = await chat('/help\n/thread\nwhy?\n/thread\n/frobnicate\n', { quiet: true }, { runs: [plainRun()] })
    expect(err).toMatch(/^\/exit +leave$/m)
    expect(err).toMatch(/it gives the thread its id/)
    expect(err).toMatch(/^thread-1$/m)
    expect(err).toMatch(/Unknown command \/frobnicate/)
  })

  it('prints the footnotes of the last answer again', async () => {
    const { out, err } = await chat('/sources\nwhy?\n/sources\n', {}, { runs: [plainRun()] })
    expect(err).toContain('Ask a question first\n')
    expect(out.match(/^\[1\] \(Zhang et al., 2021, p. 5\) — "reaches 87.2 %" \(zhang.pdf\)$/gm)).toHaveLength(2)
  })

  it('begins a new conversation on /new, with the documents of its start', async () => {
    const engine = { runs: [plainRun(), plainRun(), plainRun()], report: addReport([addedPaper]) }
    const { calls } = await chat('one?\ntwo?\n/new\nthree?\n', { documents: ['papers'] }, engine)
    const documents = ['papers/zhang.pdf']
    expect(calls.slice(1)).toMatchObject([
      { options: { documents } },
      { options: { threadId: 'thread-1' } },
      { options: { documents } },
    ])
    expect(calls.at(-1)).not.toHaveProperty('options.threadId')
  })

  it('changes the model, and keeps the one before if the new one cannot be had', async () => {
    const output = capturedOutput()
    const { quaero } = fakeQuaero({})
    const opened: (string | undefined)[] = []
    const reopen = async (model?: string) => {
      opened.push(model)
      if (model === 'nonsense') throw new UsageError('There is no such model')
      return quaero
    }
    const lines = typedInput('/model\n/model extractive\n/model nonsense\n/model\n')
    await runWith(chatCommand, { open: async () => quaero, reopen }, lines, output, {})
    expect(opened).toEqual(['extractive', 'nonsense', 'extractive'])
    expect(output.err()).toMatch(
      /The model of the settings\nextractive answers .*\nThere is no such model\nextractive\n/,
    )
  })

  it('opens only footnotes that are there', async () => {
    const { err } = await chat('/open\nwhy?\n/open 7\n', {}, { runs: [plainRun()] })
    expect(err).toMatch(/Ask a question first\n[\s\S]*Name one of the footnotes: \/open 1\n/)
  })

  it('goes on after a question that is refused', async () => {
    const engine = { refusal: new UsageError('The question is too long'), runs: [plainRun()] }
    const { code, out, err } = await chat('too long\nshorter?\n', {}, engine)
    expect(err).toContain('The question is too long\n')
    expect(out).toContain('87.2')
    expect(code).toBe(0)
  })

  it('returns the exit code of its last turn', async () => {
    const { code } = await chat('why?\n', {}, { runs: [plainRun({ status: 'limit_reached' })] })
    expect(code).toBe(3)
  })

  it('ends with 130 on Ctrl-C', { tags: ['L8'] }, async () => {
    const { code, calls } = await chat('why?\n', {}, { runs: [plainRun()] }, { signal: AbortSignal.abort() })
    expect([code, calls.length]).toEqual([130, 0])
  })
})

describe('Ctrl-C in a chat', () => {
  it('says how to go on with the thread', { tags: ['L8'] }, async () => {
    const stopping = new AbortController()
    const { quaero } = fakeQuaero({ runs: [stoppedBy(stopping, plainRun({ status: 'interrupted', answer: '' }))] })
    const output = capturedOutput()
    const input = typedInput('why?\n', { signal: stopping.signal })
    expect(await runWith(chatCommand, quaero, input, output, {})).toBe(130)
    expect(output.err()).toContain('Continue with: quaero chat -t thread-1\n')
  })

  it('says that work stops only while there is work', { tags: ['L8'] }, async () => {
    const notices: (string | null)[] = []
    let notice: () => string | null = () => 'unset'
    const { quaero } = fakeQuaero({ runs: [seenBy(() => notices.push(notice()), plainRun({ answer: 'One.' }))] })
    const lines = new PassThrough()
    const onStop: Input['onStop'] = (given) => {
      notice = given
    }
    const input = { ...typedInput(''), stdin: lines, onStop }
    const code = runWith(chatCommand, quaero, input, capturedOutput(), {})
    await vi.waitFor(() => expect(notice()).toBeNull())
    lines.end('why?\n')
    await code
    expect(notices).toEqual([stopNotice])
  })
})

describe('a chat that starts', () => {
  it('reads its documents with progress before the first question', async () => {
    const engine = { runs: [plainRun({ answer: 'One.' })], report: addReport([addedPaper]) }
    const { out, err } = await chat('first?\n', { documents: ['papers'] }, engine)
    expect(err).toContain('1/1 papers/zhang.pdf')
    expect(out).toContain('One.')
  })
})

describe('an approval within a chat', () => {
  const approvals = [{ id: 'a1', tool: 'web_search', args: { query: 'x' } }]
  const waiting = plainRun({ status: 'requires_action', answer: '', approvals })

  it.each([
    ['y', { approved: true }],
    ['no', { approved: false }],
    ['', { approved: false }],
    ['search the library instead', { approved: false, reason: 'search the library instead' }],
  ])('is answered by the next line: %j', { tags: ['L8'] }, async (reply, answer) => {
    const { calls } = await chat(`why?\n${reply}\n`, {}, { runs: [waiting, plainRun()] }, { isTerminal: true })
    expect(calls[1]).toMatchObject({ name: 'resume', answers: { a1: answer } })
  })

  it('is never taken from a pipe', async () => {
    const { code, calls } = await chat('why?\n', {}, { runs: [waiting] })
    expect([code, calls.length]).toEqual([4, 1])
  })
})

async function chat(lines: string, flags: FlagsOf<typeof chatCommand>, engine: FakeEngine, input: Partial<Input> = {}) {
  const { quaero, calls } = fakeQuaero(engine)
  const output = capturedOutput()
  const code = await runWith(chatCommand, quaero, typedInput(lines, input), output, flags)
  return { code, calls, out: output.out(), err: output.err() }
}

/** The run, with something done when its first event is read. */
function seenBy(see: () => void, run: PlannedRun): PlannedRun {
  const [first, ...rest] = run.events
  if (!first) throw new Error('a run has events')
  const seen = Object.defineProperty({ ...first }, 'runId', {
    get: () => {
      see()
      return first.runId
    },
  })
  return { ...run, events: [seen, ...rest] }
}

function stoppedBy(stopping: AbortController, run: PlannedRun): PlannedRun {
  return seenBy(() => stopping.abort(), run)
}
