import { describe, expect, it, onTestFinished } from 'vitest'
import type { Quaero } from '../../../../src/index.ts'
import {
  assertValidHistory,
  type ChatRequest,
  type EndpointReply,
  startEndpoint,
} from '../../../fixtures/openai-endpoint.ts'
import { openQuaero, route } from '../../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const contextWindow = 4000

/** A reply whose call filled so many percent of the context window. */
const filling = (percent: number, reply: EndpointReply): EndpointReply => ({
  ...reply,
  usage: { prompt_tokens: (percent * contextWindow) / 100, completion_tokens: 10 },
})
const searches = (query: string): EndpointReply => ({ toolCalls: [{ name: 'pdf_retrieval', args: { query } }] })
const answer = { content: 'It holds 81.1 million pages.<cite id="P1">holds 81.1 million pages</cite>' }

const openings = {
  orchestrator: 'You route questions',
  research: 'You gather evidence',
  synthesis: 'You answer a question from numbered passages',
}
type Speaker = keyof typeof openings

/** The real workflow over HTTP; each speaker has lines of its own, the last of which is repeated. */
async function workflow(
  lines: Partial<Record<Speaker, readonly EndpointReply[]>>,
  options: Parameters<typeof openQuaero>[0] = {},
) {
  const asked: { readonly speaker: Speaker; readonly request: ChatRequest }[] = []
  const usual = { orchestrator: [{ content: route() }], research: [{ content: 'Done.' }], synthesis: [answer] }
  const all = { ...usual, ...lines }
  const endpoint = await startEndpoint((request) => {
    assertValidHistory(request.messages)
    const system = String(request.messages[0]?.content)
    const speaker = (Object.keys(openings) as Speaker[]).find((each) => system.includes(openings[each]))
    if (!speaker) throw new Error(system)
    asked.push({ speaker, request })
    const own = all[speaker]
    return own[Math.min(of(speaker).length, own.length) - 1] ?? {}
  })
  const of = (speaker: Speaker) =>
    asked.filter((each) => each.speaker === speaker).map(({ request }) => request.messages)
  onTestFinished(endpoint.close)
  const prices = { 'test-model': { input: 1, output: 1, contextWindow } }
  const settings = {
    endpoint: { baseUrl: endpoint.url, retries: 0 },
    prices,
    history: { trimAtPercent: 70 },
    ...options.settings,
  }
  const quaero = await openQuaero({ model: 'openai:test-model', ...options, settings })
  return { quaero, of, speakers: () => asked.map(({ speaker }) => speaker) }
}

async function logOf(quaero: Quaero, runId: string) {
  const log = []
  for await (const event of quaero.runs.events(runId)) log.push(event)
  return log
}

/** Rounds of which the third fills the window. */
const rounds = [
  filling(20, searches('Marble corpus pages')),
  filling(60, searches('Marble corpus size')),
  filling(75, searches('Halden filter')),
  filling(30, searches('Halden method')),
  filling(40, { content: 'Done.' }),
]
const shape = (messages: ChatRequest['messages'] = []) =>
  messages.map(({ role, content, tool_calls: calls }) =>
    calls ? 'calls' : /left out/.test(String(content)) ? 'left out' : role,
  )
const trimmedIn = async (quaero: Quaero, runId: string) =>
  (await logOf(quaero, runId)).flatMap((event) => (event.type === 'model.trimmed' ? [event.payload] : []))

describe('a loop that fills the context window', () => {
  it('goes on without its oldest round; the question, and the newest calls with their results, stay', {
    tags: ['H7'],
  }, async () => {
    const { quaero, of, speakers } = await workflow({ research: rounds })
    const result = await quaero.ask(question)
    expect(result).toMatchObject({ status: 'completed', citations: [{ quote: 'holds 81.1 million pages' }] })
    expect(of('research').map(shape)).toEqual([
      ['system', 'user'],
      ['system', 'user', 'calls', 'tool'],
      ['system', 'user', 'calls', 'tool', 'calls', 'tool'],
      ['system', 'user', 'left out', 'calls', 'tool', 'calls', 'tool'],
      ['system', 'user', 'left out', 'calls', 'tool', 'calls', 'tool', 'calls', 'tool'],
    ])
    const [, , third, fourth, fifth] = of('research')
    expect(fourth?.slice(0, 2)).toEqual(third?.slice(0, 2))
    expect(fourth?.[2]?.content).toContain('pdf_retrieval {"query":"Marble corpus pages"}')
    expect(fifth?.slice(0, 7)).toEqual(fourth)
    expect(result.usage.modelCalls).toBe(speakers().length)
    const trimmed = await trimmedIn(quaero, result.runId)
    expect(trimmed).toMatchObject([{ sent: 3000, leftOut: { rounds: 1 } }])
    expect(trimmed[0]?.message).toMatch(
      /^The call \(3000 tokens\) fills more than 70 % of the model's context window; 1 tool round left out: \d+ characters/,
    )
  })

  it('says after each call how full it is: to hooks, in the log, in the status and in the result', {
    tags: ['H7'],
  }, async () => {
    const told: [string | null, number | null][] = []
    const { quaero } = await workflow(
      { research: rounds, synthesis: [filling(12.5, answer)] },
      { hooks: { afterModel: ({ contextPercent }, { agent }) => void told.push([agent, contextPercent]) } },
    )
    const { runId, contextPercent } = await quaero.ask(question)
    expect(told.filter(([agent]) => agent === 'research')).toEqual(
      [20, 60, 75, 30, 40].map((percent) => ['research', percent]),
    )
    const logged = (await logOf(quaero, runId)).flatMap((event) =>
      event.type === 'model.completed' && event.agent === 'research' ? [event.payload.contextPercent] : [],
    )
    expect(logged).toEqual([20, 60, 75, 30, 40])
    expect([contextPercent, (await quaero.status(runId)).contextPercent]).toEqual([12.5, 12.5])
  })

  it('stays short when the run is stopped behind that call and resumed', { tags: ['H7'] }, async () => {
    const stop = new AbortController()
    let calls = 0
    const hooks = {
      name: 'stop',
      beforeModel: (_: unknown, { agent }: { agent: string | null }) => {
        if (agent !== 'research') return
        calls += 1
        if (calls === 5) stop.abort()
      },
    }
    const { quaero, of } = await workflow({ research: rounds }, { hooks })
    const { runId, status } = await quaero.ask(question, { signal: stop.signal })
    expect(status).toBe('interrupted')
    expect((await quaero.resume(runId)).status).toBe('completed')
    expect(of('research').map(shape).at(-1)?.slice(0, 5)).toEqual(['system', 'user', 'left out', 'calls', 'tool'])
    expect(await trimmedIn(quaero, runId)).toHaveLength(1)
  })

  it.each([
    ['below the threshold', { history: { trimAtPercent: 80 } }],
    ['where nobody set one', { history: {} }],
    [
      'where the window of the model is not known',
      { prices: { 'test-model': { input: 1, output: 1, contextWindow: null } } },
    ],
  ])('is left alone %s', { tags: ['H7'] }, async (_, settings) => {
    const { quaero } = await workflow({ research: rounds }, { settings })
    expect(await trimmedIn(quaero, (await quaero.ask(question)).runId)).toEqual([])
  })
})

describe('a thread that fills the context window', () => {
  it('is told without its older messages, and with the newest word for word', { tags: ['H7', 'R15'] }, async () => {
    const { quaero, of } = await workflow({})
    const told = 'Please keep in mind that marble is '.repeat(100)
    const { threadId } = await quaero.ask(`${told} red. ${question}`)
    await quaero.ask(`${told} blue. ${question}`, { threadId })
    await quaero.ask(`${told} green. ${question}`, { threadId })
    await quaero.ask(question, { threadId })
    await quaero.ask(question, { threadId })
    const prompt = String(of('orchestrator').at(-1)?.[1]?.content)
    expect(prompt).toMatch(/earlier messages? left out/)
    expect(prompt).not.toContain('marble is  red')
    expect(prompt).toMatch(/\nUser: How many pages.+\nAssistant: It holds/)
    expect(prompt).toContain(question)
  })
})
