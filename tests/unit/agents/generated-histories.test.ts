/** @module-tag slow */
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages'
import { Annotation, MemorySaver, START, StateGraph } from '@langchain/langgraph'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { historyLines } from '../../../src/agents/loop/history.ts'
import { reactLoop } from '../../../src/agents/loop/react-loop.ts'
import { type AddedMessage, type Context, type Event, silentContext, statusOf } from '../../../src/events/index.ts'
import type { Plugin } from '../../../src/index.ts'
import { EndpointUnavailable } from '../../../src/models/port/errors.ts'
import { type Line, scriptedModel } from '../../../src/models/scripted.ts'
import { hookCalls } from '../../../src/runs/hooks/hook-calls.ts'
import { limits } from '../../../src/runs/hooks/limits.ts'
import { hooksOf } from '../../../src/runs/hooks/plugins.ts'
import { summarise } from '../../../src/runs/hooks/summarise.ts'
import { defineTool } from '../../../src/tools/tool.ts'
import { assertValidRequest, toWire } from '../../fixtures/valid-history.ts'

/** `QUAERO_TEST_CASES=10000` is the figure that is promised; a run of the suite takes as many as it has time for. */
const cases = Number(process.env.QUAERO_TEST_CASES ?? 600)
const seed = process.env.QUAERO_TEST_SEED

const id = fc.constantFrom('a', 'b', 'call_1', 'call_1-2', '', undefined)
const call = fc.record({
  id,
  name: fc.constantFrom('echo', 'echo', 'broken', 'long', 'ends', 'fly'),
  args: fc.constantFrom<Record<string, unknown>>({ text: 'a' }, { text: 'b' }, { words: 1 }, {}),
})
const words = fc.constantFrom('', 'Let me look.')
const malformed = fc.constantFrom('{"a', '[]', '').map((args) => ({ name: 'echo', args, id: 'x', error: 'no object' }))
const reply = fc.oneof(
  { weight: 8, arbitrary: fc.record({ words, calls: fc.array(call, { minLength: 1, maxLength: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ words, malformed, calls: fc.array(call, { maxLength: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ words }) },
  { weight: 1, arbitrary: fc.constant({ fails: true as const }) },
)
type Reply = typeof reply extends fc.Arbitrary<infer T> ? T : never

const roles = ['user', 'assistant', 'system'] as const
const added = fc.array(
  fc.constantFrom(...roles).map((role): AddedMessage => ({ role, text: `added by a hook as ${role}` })),
  { maxLength: 2 },
)
const moments = fc.record({ beforeModel: added, afterModel: added, beforeRound: added, afterRound: added })
const run = fc.record({
  replies: fc.array(reply, { minLength: 1, maxLength: 7 }),
  moments: fc.option(moments, { nil: null, freq: 3 }),
  /** What a hook makes of the calls of a reply. */
  calls: fc.constantFrom('kept', 'kept', 'dropped', 'doubled', 'without ids', 'one more'),
  decision: fc.constantFrom(undefined, undefined, { refuse: 'no' }, { answer: '' }, { args: { text: 'edited' } }),
  denied: fc.boolean(),
  summarises: fc.boolean(),
  rounds: fc.constantFrom(null, null, 2),
  /** The process dies at these events, each time in a new attempt. */
  cuts: fc.array(fc.nat({ max: 40 }), { maxLength: 3 }),
})
type Run = typeof run extends fc.Arbitrary<infer T> ? T : never

const tool = (name: string, work: () => Promise<string | { content: string; final: string }>) =>
  defineTool({ name, description: name, input: z.strictObject({ text: z.string() }), run: work })
const tools = [
  tool('echo', async () => ''),
  tool('broken', () => Promise.reject(new Error('no'))),
  tool('long', async () => 'x'.repeat(3000)),
  tool('ends', async () => ({ content: 'ok', final: 'That is it.' })),
]

function line(spoken: Reply): Line {
  if ('fails' in spoken) return new EndpointUnavailable('It is down.', { retryAfterMs: 0 })
  const { words: content, calls = [], malformed: unread } = { calls: undefined, malformed: undefined, ...spoken }
  return new AIMessage({
    content,
    tool_calls: calls.map(({ id: given, ...rest }) => ({ ...rest, ...(given !== undefined && { id: given }) })),
    invalid_tool_calls: unread ? [unread] : [],
  })
}

/** Hooks that meddle at every moment where they may. */
function meddling({ moments: at, calls, decision }: Run): Plugin {
  const addAll = (messages: readonly AddedMessage[] = []) => ({
    with: ({ add }: { readonly add: (message: AddedMessage) => void }) => messages.forEach(add),
  })
  return {
    name: 'meddling',
    beforeModel: addAll(at?.beforeModel).with,
    afterModel: (said) => {
      addAll(at?.afterModel).with(said)
      const { toolCalls } = said
      if (calls === 'kept' || toolCalls.length === 0) return undefined
      if (calls === 'dropped') return { toolCalls: toolCalls.slice(1) }
      if (calls === 'doubled') return { toolCalls: [...toolCalls, ...toolCalls] }
      if (calls === 'without ids') return { toolCalls: toolCalls.map((each) => ({ ...each, id: '' })) }
      return { toolCalls: [...toolCalls, { id: 'call_1', name: 'echo', args: { text: 'c' } }] }
    },
    beforeRound: addAll(at?.beforeRound).with,
    beforeTool: () => decision,
    afterRound: addAll(at?.afterRound).with,
    round: (request, next) =>
      next({ ...request, refusals: Object.fromEntries([[request.calls[0]?.id ?? '', 'denied']]) }),
  }
}

const history = historyLines([
  { role: 'user', text: 'What is a corpus?' },
  { role: 'assistant', text: 'A collection.' },
  { role: 'user', text: 'Which are there?' },
])
const prompt = [
  new SystemMessage('You gather evidence.'),
  new HumanMessage(`Conversation so far:\n${history.join('\n')}\n\nQuestion:\nq`),
]

/** Runs the loop to its end, through all its deaths, and tells what was wrong with what the model was sent. */
async function play(plan: Run): Promise<{ readonly problems: string[]; readonly sent: number; readonly died: number }> {
  const problems: string[] = []
  let sent = 0
  const check = (messages: readonly BaseMessage[]) => {
    sent += 1
    try {
      assertValidRequest(messages.map(toWire), { isAdded: ({ content }) => /added by a hook/.test(String(content)) })
    } catch (error) {
      problems.push(String(error))
    }
  }
  const lines = plan.replies.map(
    (each): Line =>
      (messages) => {
        check(messages)
        const said = line(each)
        return typeof said === 'function' ? said(messages) : (said as AIMessage)
      },
  )
  const model = scriptedModel(
    { research: lines, hook: plan.replies.map(() => 'In short.') },
    {
      usage: { inputTokens: 900, outputTokens: 1 },
    },
  )
  const chat = { kind: 'language' as const, name: 'scripted', model, contextWindow: 1000, price: null }
  const { round: denying, ...plugin } = meddling(plan)
  const log: Event[] = []
  const bounds = { modelCalls: null, toolCalls: null, tokens: null, costUsd: null, wallClockMs: null }
  const hooks = [
    limits({ limits: { ...bounds, rounds: plan.rounds }, status: () => statusOf(log) }),
    ...(plan.summarises ? [summarise({ atPercent: 50, keepMessages: 2, prompt: shortPrompt })] : []),
    ...hooksOf([plan.denied ? { ...plugin, ...(denying && { round: denying }) } : plugin]),
  ]
  const cuts = [...plan.cuts]
  let died = 0

  async function attempt(): Promise<void> {
    const controller = new AbortController()
    const dies = cuts.shift()
    let events = 0
    const context: Context = {
      ...silentContext('run-1'),
      threadId: 't',
      agent: 'research',
      hooks,
      signal: controller.signal,
      log: () => log,
      callsBefore: new Set(
        log.flatMap((each) => (each.type === 'round.started' ? each.payload.calls : [])).map((each) => each.id),
      ),
      callModel: hookCalls({ chatFor: async () => chat }),
      interruption: () => (controller.signal.aborted ? 'shutdown' : undefined),
      emit: async (event) => {
        events += 1
        if (events - 1 === dies) controller.abort(new Error('killed'))
        controller.signal.throwIfAborted()
        log.push(event)
      },
    }
    const work = () =>
      reactLoop(context, prompt, {
        chat,
        history,
        agentTask: { agent: 'research', question: 'q' },
        prompt: { id: 'p', version: 1, system: '', user: '' },
        temperature: null,
        tools,
        question: 'q',
        iteration: 2,
        documents: null,
        toolTimeoutMs: 60_000,
        observationCharacters: 1000,
      })
    const done = await inNode(work, died > 0)
    if (done) return
    died += 1
    await attempt()
  }

  const saver = new MemorySaver()
  let working: Promise<unknown> = Promise.resolve()
  async function inNode(work: () => Promise<unknown>, isResumed: boolean): Promise<boolean> {
    const graph = new StateGraph(Annotation.Root({}))
      .addNode('node', async () => {
        working = work()
        await working
        return {}
      })
      .addEdge(START, 'node')
      .compile({ checkpointer: saver })
    const config = { configurable: { thread_id: 't' }, durability: 'sync' as const }
    await graph.invoke(isResumed ? null : {}, config).catch(() => {})
    return working.then(
      () => true,
      (error: unknown) => {
        if (error instanceof Error && error.message === 'killed') return false
        throw error
      },
    )
  }

  await attempt()
  return { problems, sent, died }
}

const shortPrompt = {
  id: 's',
  version: 1,
  inputs: ['messages', 'characters'],
  system: 'Shorten.',
  user: '{{messages}}',
}

it('every request of a loop keeps the strictest order, whatever models, hooks and crashes do', {
  tags: ['H4', 'E10', 'F37', 'F53'],
  timeout: 1_800_000,
}, async () => {
  const total = { sent: 0, died: 0 }
  await fc.assert(
    fc.asyncProperty(run, async (plan) => {
      const { problems, sent, died } = await play(plan)
      total.sent += sent
      total.died += died
      expect(problems).toEqual([])
    }),
    { numRuns: cases, ...(seed && { seed: Number(seed) }) },
  )
  // The cases would prove nothing if loops ended at their first call, or nobody died.
  expect(total.sent).toBeGreaterThan(2 * cases)
  expect(total.died).toBeGreaterThan(cases / 4)
})
