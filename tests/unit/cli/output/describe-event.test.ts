import { expect, it } from 'vitest'
import { describeEvent, describeStored } from '../../../../src/cli/output/watch-run.ts'
import { redactor } from '../../../../src/redact.ts'
import { line } from '../fake-quaero.ts'

it.each([
  ['ingest.started', { source: 'a.pdf' }, { text: 'Reading a.pdf', stays: false }],
  ['agent.started', { name: 'synthesis', iteration: 1 }, { text: 'Writing the answer', stays: false }],
  ['agent.started', { name: 'chemist', iteration: 1 }, { text: 'chemist at work', stays: false }],
  [
    'agent.started',
    { name: 'chemist', iteration: 1, task: 'Find\nthe yield.' },
    { text: 'Specialist chemist: Find the yield.', stays: false },
  ],
  ['notice', { code: 'x', message: 'Tracing is off' }, { text: 'Tracing is off', stays: true }],
  [
    'tool.failed',
    { code: 'x', message: 'too slow', recoverable: true },
    { text: 'A tool failed: too slow', stays: true },
  ],
  ['ingest.started', { source: 'a\nDone\u202e.pdf' }, { text: 'Reading a Done.pdf', stays: false }],
  ['notice', { code: 'x', message: 'one\ntwo' }, { text: 'one two', stays: true }],
  ['run.started', { attempt: 1, question: '?', model: 'extractive' }, null],
] as const)('%s %j is told as %j', (type, payload, described) => {
  expect(describeEvent(line(type, payload), redactor([]))).toEqual(described)
})

it('what is cut of a call, a task or a payload is hidden before', { tags: ['T10'] }, () => {
  const hide = redactor(['Quince-Canary-4711'])
  const words = `${'x'.repeat(96)} Quince-Canary-4711`
  const args = { query: words, note: 'My key:\nsk-planted-9f8e7d6c5b', password: 'hunter hunter' }
  const event = line('tool.started', { tool: 'pdf_retrieval', args })
  expect(describeEvent(event, hide)?.text).not.toContain('Quince')
  expect(
    describeEvent(line('agent.started', { name: 'chemist', iteration: 1, task: `xxxxxx${words}` }), hide)?.text,
  ).not.toContain('Quince')
  const row = describeStored({ ...event, position: 1 } as Parameters<typeof describeStored>[0], hide).join(' ')
  expect(row).not.toMatch(/Quince|planted|hunter/)
})
