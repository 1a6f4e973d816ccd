import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import type { AddedMessage, Plugin, Quaero, RunResult } from '../../../src/index.ts'
import { type ChatRequest, type EndpointReply, startEndpoint } from '../../fixtures/openai-endpoint.ts'
import { assertValidRequest } from '../../fixtures/valid-history.ts'
import { openQuaero, route } from '../../fixtures/workflow.ts'

/** Whole conversations are slow; the generated loops of `tests/unit/agents` are the many. */
const cases = Number(process.env.QUAERO_TEST_CASES ?? 12)
const seed = process.env.QUAERO_TEST_SEED
const question = 'How many pages does the Marble corpus hold?'

const toolCall = fc.record({
  name: fc.constantFrom('pdf_retrieval', 'pdf_retrieval', 'read_passages', 'fly'),
  args: fc.constantFrom<unknown>({ query: 'Marble corpus pages' }, { query: 'size' }, { words: 1 }, '{"query":"a', [1]),
  id: fc.constantFrom('call_1', 'call_2', '', null),
})
const research = fc.oneof(
  { weight: 4, arbitrary: fc.record({ toolCalls: fc.array(toolCall, { minLength: 1, maxLength: 3 }) }) },
  { weight: 2, arbitrary: fc.constant<EndpointReply>({ content: 'Done.' }) },
  { weight: 1, arbitrary: fc.constant<EndpointReply>({ status: 500 }) },
)
/** A person asks, and the run is left alone, or ended at one of its events; what waits is answered. */
const action = fc.record({
  end: fc.constantFrom('not', 'not', 'stop', 'cancel'),
  at: fc.nat({ max: 30 }),
  approve: fc.boolean(),
  /** An interrupted run is gone on with, or left behind by the next question. */
  resume: fc.boolean(),
})
const conversation = fc.record({
  replies: fc.array(research, { minLength: 1, maxLength: 8 }),
  actions: fc.array(action, { minLength: 1, maxLength: 4 }),
  role: fc.constantFrom<AddedMessage['role']>('user', 'assistant'),
  clarifies: fc.boolean(),
  strict: fc.boolean(),
})
type Conversation = typeof conversation extends fc.Arbitrary<infer T> ? T : never

const isAdded = ({ content }: { readonly content?: unknown }) => String(content).includes('added by a hook')

/** An endpoint as strict as any: what breaks a rule of the protocol is answered with 400, and kept. */
async function strictEndpoint({ replies, clarifies }: Conversation) {
  const refused: string[] = []
  let asked = 0
  const answer = ({ messages, tools, response_format: format }: ChatRequest): EndpointReply => {
    try {
      assertValidRequest(messages, { isAdded })
    } catch (error) {
      refused.push(String(error))
      return { status: 400, body: { error: { message: String(error) } } }
    }
    if (format)
      return { content: route(clarifies && asked === 0 ? { route: 'clarification', missingContext: ['x'] } : {}) }
    if (tools) return replies[asked++ % replies.length] ?? {}
    asked += 1
    return { content: 'It holds 81.1 million pages.<cite id="P1">holds 81.1 million pages</cite>' }
  }
  const endpoint = await startEndpoint(answer)
  onTestFinished(endpoint.close)
  return { url: endpoint.url, refused, requests: endpoint.requests }
}

function meddling(role: AddedMessage['role']): Plugin {
  const add = (moment: { readonly add: (message: AddedMessage) => void }) =>
    moment.add({ role, text: 'added by a hook' })
  return {
    afterUserInput: add,
    beforeModel: add,
    afterModel: ({ add: addBehind }) => addBehind({ role, text: 'added by a hook' }),
    beforeRound: add,
    afterRound: add,
    onComplete: (completion) => {
      if (completion.status === 'completed') add(completion)
    },
  }
}

async function act(
  quaero: Quaero,
  { end, at, approve, resume }: Conversation['actions'][number],
): Promise<RunResult[]> {
  const stop = new AbortController()
  let events = 0
  let runId = ''
  for await (const event of quaero.stream(question, { threadId: 'thread', signal: stop.signal })) {
    runId = event.runId
    events += 1
    if (events !== at + 3) continue
    if (end === 'stop') stop.abort()
    // It may be over by now.
    if (end === 'cancel') await quaero.cancel(runId).catch(() => {})
  }
  const results = [await quaero.runs.show(runId)]
  const waits = () => results.at(-1)?.approvals ?? []
  if (results[0]?.status === 'interrupted' && resume) results.push(await quaero.resume(runId))
  while (waits().length > 0 && resume) {
    results.push(await quaero.resume(runId, Object.fromEntries(waits().map(({ id }) => [id, { approved: approve }]))))
  }
  return results
}

it('an endpoint that refuses what breaks the protocol refuses nothing, whatever people, models and hooks do', {
  tags: ['H4', 'F53'],
  timeout: 1_800_000,
}, async () => {
  const seen = new Set<string>()
  let requests = 0
  await fc.assert(
    fc.asyncProperty(conversation, async (plan) => {
      const endpoint = await strictEndpoint(plan)
      const quaero = await openQuaero({
        model: 'openai:test-model',
        hooks: meddling(plan.role),
        settings: {
          endpoint: { baseUrl: endpoint.url, retries: 0 },
          tools: { trust: plan.strict ? 'strict' : 'open' },
          limits: { rounds: 4 },
          clarification: { maxInARow: 1 },
        },
      })
      for (const each of plan.actions) {
        for (const { status } of await act(quaero, each)) seen.add(status)
      }
      await quaero.close()
      requests += endpoint.requests.length
      expect(endpoint.refused).toEqual([])
    }),
    { numRuns: cases, endOnFailure: true, ...(seed && { seed: Number(seed) }) },
  )
  // The cases would prove nothing if nobody came so far.
  expect(requests).toBeGreaterThan(cases)
  expect(seen).toContain('completed')
})
