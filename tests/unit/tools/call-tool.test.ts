import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { InvalidToolInput, ToolEnded, ToolTimeout } from '../../../src/errors.ts'
import { event } from '../../../src/events/index.ts'
import { callTool, type ToolFacts } from '../../../src/tools/call-tool.ts'
import { defineTool, type Tool, type ToolContext } from '../../../src/tools/tool.ts'
import { gate } from '../../fixtures/workflow.ts'
import { toolContext } from './tool-context.ts'

function facts(overrides: Partial<ToolFacts> = {}): ToolFacts {
  const { previousTools: _, trace: _trace, toString: _toString, ...rest } = toolContext()
  return { ...rest, log: () => [], ...overrides }
}

function toolOf(run: (context: ToolContext) => Promise<string>, overrides: Partial<Tool> = {}): Tool {
  const tool = defineTool({ name: 'probe', description: 'Looks.', input: z.looseObject({}), run: (_, it) => run(it) })
  return { ...tool, ...overrides }
}

/** Calls a tool that keeps its context, and hands that over once the call has ended. */
async function contextAfter(run: (context: ToolContext) => Promise<string>, given: Partial<ToolFacts> = {}) {
  let kept: ToolContext | undefined
  const tool = toolOf((context) => {
    kept = context
    return run(context)
  })
  const outcome = await callTool(tool, {}, facts(given), 30).catch((error: unknown) => error)
  if (!kept) throw new Error('The tool did not run.')
  return { kept, outcome }
}

describe('the context of a tool', () => {
  it('tells the tools before it, and prints the trace so far', { tags: ['H6', 'H20'] }, async () => {
    const origin = { correlationId: 'run' }
    const started = (tool: string, callId: string) =>
      event('tool.started', { callId, tool, args: { q: 'a b' } }, origin)
    const done = (causationId: string) =>
      event('tool.completed', { status: 'success', content: 'found\n\nit' }, { ...origin, causationId })
    const created = event('run.created', { threadId: 't', turn: 2, question: 'Why?', documents: null }, origin)
    const first = { ...started('search', '1'), agent: 'research', timestamp: '2026-01-01T00:00:00.000Z' }
    const ended = { ...done(first.id), timestamp: '2026-01-01T00:00:01.500Z' }
    const log = [created, first, ended, started('read', '2'), started('search', '3'), started('probe', 'call')]
    const seen = await callTool(
      toolOf(async (context) => `${context.previousTools.join(' ')} | ${context}`),
      {},
      facts({ log: () => log as never }),
      1000,
    )
    expect(seen.content).toBe('search read | 2.0 asked: Why?\n2.0 research, tool search {"q":"a b"}, 1500 ms: found it')
  })

  it.each<[string, (context: ToolContext) => Promise<string>, RegExp]>([
    ['returned', async () => 'done', /^\[object Object\]$/],
    ['failed', () => Promise.reject(new Error('broken')), /broken/],
    ['ran out of time', () => new Promise(() => {}), /took longer/],
  ])('is gone when the tool has %s', { tags: ['H20'] }, async (_, run, expected) => {
    const { kept, outcome } = await contextAfter(run)
    expect(String(outcome)).toMatch(expected)
    const reads: readonly (() => unknown)[] = [
      () => kept.runId,
      () => kept.signal,
      () => kept.trace(),
      () => kept.toString(),
      () => kept.delegate('a', 'b'),
      () => ({ ...kept }),
    ]
    for (const read of reads) expect(read).toThrow(ToolEnded)
    expect(() => kept.question).toThrow('The call of "probe" has ended, and its context is gone with it.')
  })

  it('cannot be kept in parts: its functions end with it, and its signal is aborted', { tags: ['H20'] }, async () => {
    const parts: (() => unknown)[] = []
    let signal: AbortSignal | undefined
    const tool = toolOf(async (context) => {
      signal = context.signal
      parts.push(context.trace, context.toString, () => context.delegate('a', 'b'))
      return signal.aborted ? 'aborted' : 'open'
    })
    expect((await callTool(tool, {}, facts(), 1000)).content).toBe('open')
    for (const part of parts) expect(part).toThrow(ToolEnded)
    expect(signal?.aborted).toBe(true)
  })
})

describe('a tool call', () => {
  it('has the time of the tool, if the tool names one', { tags: ['F39'] }, async () => {
    const hanging = toolOf(() => new Promise(() => {}), { timeoutMs: 10 })
    await expect(callTool(hanging, {}, facts(), 60_000)).rejects.toThrow(ToolTimeout)
  })

  it('is waited for where the tool has no limit of time, even when it is to stop', async () => {
    const stop = new AbortController()
    const finish = gate()
    const patient = toolOf(() => finish.opened.then(() => 'done'), { timeoutMs: null })
    const call = callTool(patient, {}, facts({ signal: stop.signal }), 1)
    stop.abort(new Error('stopped'))
    finish.open()
    expect((await call).content).toBe('done')
  })

  it('does not begin where it is to stop already, or its arguments do not fit', async () => {
    let begun = false
    const tool = toolOf(async () => {
      begun = true
      return 'done'
    })
    await expect(callTool(tool, {}, facts({ signal: AbortSignal.abort(new Error('stopped')) }), 1)).rejects.toThrow(
      'stopped',
    )
    await expect(callTool(tool, [], facts(), 1000)).rejects.toThrow(InvalidToolInput)
    expect(begun).toBe(false)
  })
})
