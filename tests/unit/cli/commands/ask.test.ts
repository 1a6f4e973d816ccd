import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readProven } from '../../../../src/claims/verify/verify-file.ts'
import { ask as askCommand } from '../../../../src/cli/commands/ask.ts'
import type { Output } from '../../../../src/cli/output/terminal.ts'
import { ThreadBusy, UsageError } from '../../../../src/index.ts'
import { capturedOutput, type FlagsOf, runWith, typedInput } from '../captured-terminal.ts'
import {
  addedPaper,
  addReport,
  completed,
  created,
  type FakeEngine,
  failedPaper,
  fakeQuaero,
  line,
  type PlannedRun,
  plainRun,
  runResult,
} from '../fake-quaero.ts'

const question = 'What accuracy is reached?'
const terminal = { stdoutIsTerminal: true, stderrIsTerminal: true }

describe('quaero ask', () => {
  it('prints the answer on stdout and nothing else there', async () => {
    const { code, out, err } = await ask({ question })
    expect(code).toBe(0)
    expect(out).toContain('It reaches 87.2 %. [1]')
    expect(out).not.toContain('thread-1')
    expect(err).toContain('thread thread-1 · run run-1')
  })

  it('names who asks with --user, and nobody without', { tags: ['T6'] }, async () => {
    expect((await ask({ question, user: 'ada' })).calls).toMatchObject([{ options: { userId: 'ada' } }])
    const [call] = (await ask({ question })).calls
    expect(call).not.toHaveProperty(['options', 'userId'])
  })

  it('says nothing but the answer when quiet', async () => {
    expect((await ask({ question, quiet: true })).err).toBe('')
  })

  it('prints one object with --json', async () => {
    const { out } = await ask({ question, json: true })
    expect(JSON.parse(out)).toEqual({ ...runResult(), digest: expect.any(String) })
  })

  it('prints with --json what verify calls unchanged, whatever characters it has', { tags: ['Q19'] }, async () => {
    const [sentence] = runResult().sentences
    const answer = `\u202e“é😀” <b>\u009b & "\\u202e" ${sentence?.text}`
    const { out } = await ask({ question, json: true }, { runs: [plainRun({ answer })] })
    expect(readProven('a.json', new TextEncoder().encode(out)).changes).toEqual([])
    const changed = new TextEncoder().encode(out.replace('😀', '😁'))
    expect(readProven('a.json', changed).changes).toHaveLength(1)
  })

  it('writes no control character in JSON, and loses none of them', { tags: ['S21'] }, async () => {
    const result = { answer: 'a\u009b31mb\u007f' }
    const { out } = await ask({ question, json: true }, { runs: [plainRun(result)] })
    expect(out).not.toMatch(/[\u007f-\u009f]/)
    expect(JSON.parse(out).answer).toBe(result.answer)
  })

  it('prints the event stream with --jsonl, from run.created to the ending, each line with run and thread', {
    tags: ['U1'],
  }, async () => {
    const events = [created, line('agent.started', { name: 'research', iteration: 0 }), completed]
    const { out } = await ask({ question, jsonl: true }, { runs: [{ events, result: runResult() }] })
    const lines = out
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text))
    expect(lines).toEqual(events)
    expect(lines.every(({ runId, threadId }) => runId === 'run-1' && threadId === 'thread-1')).toBe(true)
    expect([lines[0].type, lines.at(-1).type]).toEqual(['run.created', 'run.completed'])
  })

  it('tells on stderr what is being done', async () => {
    const events = [
      created,
      line('agent.started', { name: 'research', iteration: 0 }),
      line('tool.started', { callId: 'c', tool: 'pdf_retrieval', args: { query: 'accuracy' } }),
      line('model.retried', { code: 'rate_limited', message: 'rate limited', attempt: 1, of: 2, waitMs: 2000 }),
      completed,
    ]
    const { out, err } = await ask({ question }, { runs: [{ events, result: runResult() }] })
    expect(err).toContain('Looking for evidence\npdf_retrieval {"query":"accuracy"}\n')
    expect(err).toContain('rate limited; retrying in 2 s (1/2)\n')
    expect(out).not.toContain('pdf_retrieval')
  })

  it('passes on the limits, the thread and the approval mode', async () => {
    const flags = { question, maxSteps: 5, maxCost: 0.5, timeout: 2.5, thread: 't1', approve: 'none' } as const
    const { calls } = await ask(flags)
    expect(calls).toMatchObject([
      {
        name: 'stream',
        question,
        options: { threadId: 't1', approve: 'none', limits: { modelCalls: 5, costUsd: 0.5, wallClockMs: 2500 } },
      },
    ])
  })

  it('leaves the limits that are not named to the configuration', async () => {
    expect((await ask({ question })).calls[0]).toMatchObject({ options: { limits: {} } })
  })

  it.each(['completed', 'limit_reached', 'cancelled'] as const)(
    'returns the exit code of a run that is %s',
    async (status) => {
      const codes = { completed: 0, limit_reached: 3, cancelled: 130 }
      expect((await ask({ question }, { runs: [plainRun({ status })] })).code).toBe(codes[status])
    },
  )

  it('names the limit that was met and shows the best answer so far', async () => {
    const ending = { reason: 'The limit of 5 model calls is reached.', limit: 'modelCalls', value: 5 }
    const { out, err } = await ask({ question }, { runs: [plainRun({ status: 'limit_reached', ending })] })
    expect(out).toContain('87.2')
    expect(err).toContain(
      'The limit of 5 model calls is reached. This is the best answer so far. Raise the limit with --max-steps.',
    )
  })

  it('prints why a run failed on stderr, and no answer', async () => {
    const error = { code: 'key_rejected', message: 'the key is rejected by 127.0.0.1' }
    const { code, out, err } = await ask({ question }, { runs: [plainRun({ status: 'failed', answer: '', error })] })
    expect([code, out]).toEqual([78, ''])
    expect(err).toContain('the key is rejected by 127.0.0.1')
  })

  it('prints the question that is asked back, and how to reply', async () => {
    const clarification = 'Which data set do you mean?'
    const run = plainRun({ status: 'clarification_needed', answer: '', clarification })
    const { code, out, err } = await ask({ question }, { runs: [run] })
    expect([code, out]).toEqual([0, `${clarification}\n`])
    expect(err).toContain('quaero ask -t thread-1')
  })

  it('lets errors from before the run pass, and prints nothing', async () => {
    const refusal = new ThreadBusy('Thread t1 is busy')
    const output = capturedOutput()
    const { quaero } = fakeQuaero({ refusal })
    await expect(runWith(askCommand, quaero, typedInput(), output, { question, json: true })).rejects.toBe(refusal)
    expect(output.out()).toBe('')
  })
})

describe('the question of quaero ask', () => {
  it.each([undefined, '-'])('is read from stdin where it is %s', async (absent) => {
    expect((await ask({ question: absent }, {}, `  ${question}\n`)).calls).toMatchObject([{ question }])
  })

  it('is found behind the paths of -d, which take it for one of them', async () => {
    const { calls } = await ask({ documents: ['papers', question] })
    expect(calls).toMatchObject([
      { name: 'add', paths: ['papers'] },
      { name: 'stream', question },
    ])
  })

  it('may be emoji', async () => {
    expect((await ask({ question: '🦊?' })).calls).toMatchObject([{ question: '🦊?' }])
  })

  it('is missed where stdin is empty', async () => {
    await expect(ask({})).rejects.toThrow(UsageError)
  })

  it('is missed, without waiting, where stdin is a terminal', async () => {
    const { quaero } = fakeQuaero({})
    const waiting = runWith(askCommand, quaero, typedInput('', { isTerminal: true }), capturedOutput(), {})
    await expect(waiting).rejects.toThrow(/There is no question/)
  })

  it('is refused where stdin never ends', async () => {
    await expect(ask({}, {}, 'x'.repeat(5 * 1024 * 1024))).rejects.toThrow(/too long/)
  })
})

describe('the thread of quaero ask', () => {
  const threads = ['late', 'early'].map((threadId) => ({
    threadId,
    title: '',
    turns: 1,
    userId: null,
    metadata: {},
    createdAt: '2026-01-02T03:04:05.678Z',
    updatedAt: '2026-01-02T03:04:05.678Z',
  }))

  it('is the latest one with --continue', async () => {
    const { calls } = await ask({ question, continue: true }, { threads })
    expect(calls).toMatchObject([{ options: { threadId: 'late' } }])
  })

  it('is missed where there is none to continue', async () => {
    await expect(ask({ question, continue: true })).rejects.toThrow(/no thread to continue/)
  })

  it('cannot be named and the latest at once', async () => {
    await expect(ask({ question, continue: true, thread: 't1' }, { threads })).rejects.toThrow(UsageError)
  })
})

describe('the documents of quaero ask', () => {
  it('are added with progress on stderr, and the run is limited to those that could be read', async () => {
    const report = addReport([addedPaper, failedPaper], ['papers/data.xyz'])
    const { calls, out, err } = await ask({ question, documents: ['papers'] }, { report })
    expect(calls).toMatchObject([
      { name: 'add', paths: ['papers'] },
      { name: 'stream', options: { documents: ['papers/zhang.pdf'] } },
    ])
    expect(err).toContain('1/2 papers/zhang.pdf\n2/2 papers/broken.pdf\n')
    expect(err).toContain('papers/broken.pdf could not be read: it is not a PDF\n')
    expect(err).toContain('Skipped 1 file (of another type, or a link out of its folder): papers/data.xyz\n')
    expect(out).not.toContain('papers/broken.pdf')
  })

  it('are left to the engine to judge where none could be read', async () => {
    const { calls } = await ask({ question, documents: ['papers'] }, { report: addReport([failedPaper]) })
    expect(calls[1]).toMatchObject({ options: { documents: ['papers'] } })
  })

  it('are not asked about after Ctrl-C', { tags: ['F55'] }, async () => {
    const { quaero, calls } = fakeQuaero({})
    const input = typedInput('', { signal: AbortSignal.abort() })
    await expect(runWith(askCommand, quaero, input, capturedOutput(), { question, documents: ['x'] })).rejects.toThrow()
    expect(calls.map(({ name }) => name)).toEqual(['add'])
  })
})

describe('a run that stops on Ctrl-C', () => {
  it('exits with 130 and prints how to resume it', { tags: ['L8', 'F55'] }, async () => {
    const { code, err } = await ask({ question }, { runs: [plainRun({ status: 'interrupted', answer: '' })] })
    expect(code).toBe(130)
    expect(err).toContain('Resume with: quaero runs resume run-1\n')
  })

  it('prints the resume command even when quiet, with the place where the run is kept', { tags: ['L8'] }, async () => {
    const flags = { question, quiet: true, dataDir: "it's here", config: 'my.yaml' }
    const { err } = await ask(flags, { runs: [plainRun({ status: 'interrupted', answer: '' })] })
    expect(err).toBe("Resume with: quaero runs resume run-1 --data-dir 'it'\\''s here' --config my.yaml\n")
  })
})

describe('a run that waits for approval', () => {
  const approvals = [
    { id: 'a1', tool: 'web_search', args: { query: 'accuracy' } },
    { id: 'a2', tool: 'web_search', args: { query: 'data\u009b31m' } },
  ]
  const waiting = plainRun({ status: 'requires_action', answer: '', approvals })
  const answers = new Map([
    ['a1', { approved: true }],
    ['a2', { approved: false, reason: 'too much' }],
  ])
  const askApproval = async ({ id }: { readonly id: string }) => answers.get(id) ?? null

  it('exits with 4 in a pipe and prints how to answer', { tags: ['L8'] }, async () => {
    const { code, out, err } = await ask({ question }, { runs: [waiting] })
    expect([code, out]).toEqual([4, ''])
    expect(err).toContain('Waits for approval a1: web_search {"query":"accuracy"}')
    expect(err).toContain('Answer with: quaero runs resume run-1 --approve a1 --approve a2')
    expect(err).not.toContain('\u009b')
  })

  it('asks a person about each call, then resumes once with all answers', { tags: ['L8'] }, async () => {
    const engine = { runs: [waiting, plainRun()] }
    const { code, out, calls } = await ask({ question, approve: 'ask' }, engine, '', { input: { askApproval } })
    expect(code).toBe(0)
    expect(out).toContain('87.2')
    expect(calls[1]).toMatchObject({ name: 'resume', runId: 'run-1', answers: Object.fromEntries(answers) })
  })

  it('stays as it is where the person does not answer', async () => {
    const input = { askApproval: async () => null }
    const { code, calls } = await ask({ question, approve: 'ask' }, { runs: [waiting] }, '', { input })
    expect([code, calls.length]).toEqual([4, 1])
  })

  it.each([{ json: true }, { jsonl: true }, { approve: 'none' as const }])('asks nobody with %j', async (flags) => {
    const { code } = await ask({ question, ...flags }, { runs: [waiting] }, '', { input: { askApproval } })
    expect(code).toBe(4)
  })
})

describe('an answer on a terminal', { tags: ['U2'] }, () => {
  it('is shown once, when it is checked; until then the progress counts what is written', async () => {
    const { out, err } = await ask({ question }, { runs: [drafted()] }, '', { output: terminal })
    expect(out).toMatch(/^It reaches 87\.2 %\. \[1\]\n/)
    expect(out.match(/It reaches/g)).toHaveLength(1)
    expect(err).not.toContain('reaches')
    expect(stripVTControlCharacters(err)).toContain('Writing the answer: 16 characters')
  })

  it('is counted anew where it is written anew', async () => {
    const again = line('message.delta', { messageId: 'm', scope: 'thread', text: 'It is', soFar: true })
    const { err } = await ask({ question }, { runs: [drafted(again)] }, '', { output: terminal })
    expect(stripVTControlCharacters(err)).toContain('Writing the answer: 5 characters')
  })

  it('is not counted in a pipe', async () => {
    const { out, err } = await ask({ question }, { runs: [drafted()] })
    expect(out.match(/It reaches/g)).toHaveLength(1)
    expect(err).not.toContain('characters')
  })
})

/** A run whose answer is streamed in two pieces, after a working note. */
function drafted(...more: readonly ReturnType<typeof line>[]): PlannedRun {
  const message = { messageId: 'm', role: 'assistant', scope: 'thread' }
  const note = { messageId: 'n', role: 'assistant', scope: 'scratch' }
  const events = [
    created,
    line('message.created', note),
    line('message.delta', { messageId: 'n', scope: 'scratch', text: 'note to self' }),
    line('message.completed', { ...note, text: 'note to self', superseded: false }),
    line('message.created', message),
    line('message.delta', { messageId: 'm', scope: 'thread', text: 'It' }),
    line('message.delta', { messageId: 'm', scope: 'thread', text: ' reaches 87.2.' }),
    ...more,
    line('message.completed', { ...message, text: 'It reaches 87.2 %. [1]', superseded: false }),
    completed,
  ]
  return { events, result: runResult() }
}

async function ask(
  flags: FlagsOf<typeof askCommand>,
  engine: FakeEngine = {},
  stdin = '',
  { input, output }: { input?: Parameters<typeof typedInput>[1]; output?: Partial<Output> } = {},
) {
  const { quaero, calls } = fakeQuaero({ runs: [plainRun()], ...engine })
  const captured = capturedOutput(output)
  const code = await runWith(askCommand, quaero, typedInput(stdin, input), captured, flags)
  return { code, calls, out: captured.out(), err: captured.err() }
}
