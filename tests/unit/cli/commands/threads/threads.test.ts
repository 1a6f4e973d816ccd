import { describe, expect, it } from 'vitest'
import {
  threadsDelete,
  threadsExport,
  threadsList,
  threadsLog,
  threadsReset,
  threadsShow,
} from '../../../../../src/cli/commands/threads.ts'
import type { ThreadMessage, ThreadRecord } from '../../../../../src/index.ts'
import { capturedOutput, runWith, typedInput } from '../../captured-terminal.ts'
import { fakeQuaero, runResult } from '../../fake-quaero.ts'

const thread: ThreadRecord = {
  threadId: 't1',
  title: 'What accuracy\u001b[31m is reached?',
  turns: 2,
  userId: null,
  metadata: {},
  createdAt: '2026-01-02T03:04:05.678Z',
  updatedAt: '2026-01-03T03:04:05.678Z',
}
const messages: readonly ThreadMessage[] = [
  { role: 'user', content: 'What accuracy is reached?', runId: 'run-1', createdAt: thread.createdAt },
  {
    role: 'assistant',
    content: 'It reaches 87.2 %. [1]',
    runId: 'run-1',
    createdAt: thread.updatedAt,
    citations: runResult().citations,
  },
]

describe('quaero threads', () => {
  it('lists id, turns, times and title in plain aligned columns', { tags: ['S21'] }, async () => {
    const output = capturedOutput()
    await runWith(threadsList, fakeQuaero({ threads: [thread] }).quaero, typedInput(), output, {})
    expect(output.out()).toBe(
      [
        'Thread  Turns  Created           Updated           Title',
        't1      2      2026-01-02 03:04  2026-01-03 03:04  What accuracy is reached?\n',
      ].join('\n'),
    )
  })

  it('lists with --json', async () => {
    const output = capturedOutput()
    await runWith(threadsList, fakeQuaero({ threads: [thread] }).quaero, typedInput(), output, { json: true })
    expect(JSON.parse(output.out())).toEqual({ threads: [thread] })
  })

  it('shows a transcript with its footnotes and their quotes', async () => {
    const output = capturedOutput()
    await runWith(threadsShow, fakeQuaero({ messages }).quaero, typedInput(), output, { threadId: 't1' })
    expect(output.out()).toContain('You, 2026-01-02 03:04:\nWhat accuracy is reached?\n\nQuaero, ')
    expect(output.out()).toContain('It reaches 87.2 %. [1]\n\n[1] (Zhang et al., 2021, p. 5) — "')
  })

  it('shows a transcript with --json', async () => {
    const output = capturedOutput()
    await runWith(threadsShow, fakeQuaero({ messages }).quaero, typedInput(), output, { threadId: 't1', json: true })
    expect(JSON.parse(output.out())).toEqual({ threadId: 't1', messages })
  })

  it('exports in the format that is named', async () => {
    const output = capturedOutput()
    const flags = { threadId: 't1', format: 'json' } as const
    await runWith(threadsExport, fakeQuaero({ messages }).quaero, typedInput(), output, flags)
    expect(JSON.parse(output.out())).toMatchObject({
      threadId: 't1',
      messages: [{ role: 'user' }, { role: 'assistant' }],
    })
  })

  it('exports the documents of the library without credentials', { tags: ['T10'] }, async () => {
    const output = capturedOutput()
    const [cited] = runResult().citations
    const described = { title: 'On Bearer abcdefgh12345678', authors: ['sk-planted-9f8e7d6c5b'], year: 2021 }
    const documents = [
      {
        documentId: cited?.documentId ?? '',
        ...described,
        source: 'a.pdf',
        format: 'pdf',
        pages: 9,
        passages: 90,
        tags: [],
        addedAt: null,
      } as const,
    ]
    const flags = { threadId: 't1', format: 'bibtex' } as const
    await runWith(threadsExport, fakeQuaero({ messages, documents }).quaero, typedInput(), output, flags)
    expect(output.out()).toContain('title = {{On Bearer [redacted]}}')
    expect(output.out()).not.toContain('planted')
  })

  it('deletes and resets the thread that is named', async () => {
    const { quaero, calls } = fakeQuaero({})
    await runWith(threadsDelete, quaero, typedInput(), capturedOutput(), { threadId: 't1' })
    await runWith(threadsReset, quaero, typedInput(), capturedOutput(), { threadId: 't2' })
    expect(calls).toEqual([
      { name: 'delete', id: 't1' },
      { name: 'reset', id: 't2' },
    ])
  })

  it('says which turns the session log lacks, and how they are resumed', { tags: ['E10'] }, async () => {
    const run = { threadId: 't1', question: '?', startedAt: null, endedAt: null }
    const states = ['completed', 'interrupted', 'running'] as const
    const summaries = states.map((status, i) => ({ ...run, runId: `run-${i + 1}`, status }))
    const output = capturedOutput()
    const flags = { threadId: 't1', format: 'text', dataDir: 'kept' } as const
    expect(await runWith(threadsLog, fakeQuaero({ summaries }).quaero, typedInput(), output, flags)).toBe(0)
    expect(output.err()).toBe(
      'Turn 2 was interrupted. Resume it with: quaero runs resume run-2 --data-dir kept\nTurn 3 is still running.\n',
    )
  })
})
