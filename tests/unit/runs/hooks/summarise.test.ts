import { describe, expect, it, onTestFinished } from 'vitest'
import { type Quaero, summarise, UsageError } from '../../../../src/index.ts'
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
  synthesis: 'You work with numbered passages',
  summary: 'You shorten the older part',
}
type Speaker = keyof typeof openings

/** The real workflow over HTTP; each speaker has lines of its own, the last of which is repeated. */
async function workflow(
  lines: Partial<Record<Speaker, readonly EndpointReply[]>>,
  options: Parameters<typeof openQuaero>[0] = {},
) {
  const asked: { readonly speaker: Speaker; readonly request: ChatRequest }[] = []
  const usual = { orchestrator: [{ content: route() }], research: [{ content: 'Done.' }], synthesis: [answer] }
  const all = { ...usual, summary: [{ content: 'Searched for one and two; P1 says it.' }], ...lines }
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
    history: { summariseAtPercent: 70, keepMessages: 2 },
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

/** Three rounds, the second of which fills the window. */
const rounds = [
  filling(20, searches('Marble corpus pages')),
  filling(60, searches('Marble corpus size')),
  filling(75, searches('Halden filter')),
  filling(30, searches('Halden method')),
  filling(40, { content: 'Done.' }),
]
const shape = (messages: ChatRequest['messages'] = []) =>
  messages.map(({ role, content, tool_calls: calls }) =>
    calls ? 'calls' : /stood here|left out/.test(String(content)) ? 'summary' : role,
  )

describe('a loop that fills the context window', () => {
  it('goes on with a summary of its older rounds; the question, and calls with their results, stay', {
    tags: ['H7'],
  }, async () => {
    const { quaero, of, speakers } = await workflow({ research: rounds })
    const result = await quaero.ask(question)
    expect(result).toMatchObject({ status: 'completed', citations: [{ quote: 'holds 81.1 million pages' }] })
    expect(of('research').map(shape)).toEqual([
      ['system', 'user'],
      ['system', 'user', 'calls', 'tool'],
      ['system', 'user', 'calls', 'tool', 'calls', 'tool'],
      ['system', 'user', 'summary', 'calls', 'tool'],
      ['system', 'user', 'summary', 'calls', 'tool', 'calls', 'tool'],
    ])
    const [, , third, fourth, fifth] = of('research')
    expect(fourth?.slice(0, 2)).toEqual(third?.slice(0, 2))
    expect(fourth?.[2]?.content).toContain('4 earlier messages stood here.')
    expect(fourth?.[2]?.content).toContain('Searched for one and two; P1 says it.')
    expect(fifth?.slice(0, 5)).toEqual(fourth)
    const [toSummarise] = of('summary')
    expect(toSummarise?.[1]?.content).toMatch(
      /Call of pdf_retrieval: \{"query":"Marble corpus pages"\}.+Result of pdf_retrieval: /s,
    )
    expect(toSummarise?.[1]?.content).not.toContain('"query":"Halden')
    expect(speakers().filter((each) => each === 'summary')).toHaveLength(1)
    expect(result.usage.modelCalls).toBe(speakers().length)
    const own = (await logOf(quaero, result.runId)).filter(
      (event) => event.type === 'model.started' && event.payload.askedBy?.hook === 'summarise',
    )
    expect(own).toHaveLength(1)
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
      [20, 60, 75, 2.5, 30, 40].map((percent) => ['research', percent]),
    )
    const logged = (await logOf(quaero, runId)).flatMap((event) =>
      event.type === 'model.completed' && event.agent === 'research' ? [event.payload.contextPercent] : [],
    )
    expect(logged).toEqual([20, 60, 75, 2.5, 30, 40])
    expect([contextPercent, (await quaero.status(runId)).contextPercent]).toEqual([12.5, 12.5])
  })

  it('leaves the older rounds out, and says how much, where the summary would break a limit or fails', {
    tags: ['H7'],
  }, async () => {
    const down = { status: 500 }
    const failing = await workflow({ research: rounds, summary: [down] })
    const result = await failing.quaero.ask(question)
    expect(result).toMatchObject({ status: 'completed', error: null })
    expect(failing.of('research')[3]?.[2]?.content).toMatch(/^\[4 earlier messages, \d+ characters, were left out/)
    const notices = (await logOf(failing.quaero, result.runId)).filter(({ type }) => type === 'notice')
    expect(notices).toMatchObject([{ payload: { code: 'history_trimmed' } }])

    const limited = await workflow({ research: rounds })
    const { status, usage, citations } = await limited.quaero.ask(question, { limits: { modelCalls: 6 } })
    expect([status, usage.modelCalls, citations.length]).toEqual(['limit_reached', 6, 1])
    expect(limited.speakers()).toEqual(['orchestrator', ...Array(4).fill('research'), 'synthesis'])
    expect(shape(limited.of('research')[3])).toContain('summary')
  })

  it('pays for a summary once, wherever the run is stopped behind it and resumed', { tags: ['H7'] }, async () => {
    for (const stopAt of [4, 5]) {
      const stop = new AbortController()
      let calls = 0
      const hooks = {
        name: 'stop',
        beforeModel: (_: unknown, { agent }: { agent: string | null }) => {
          if (agent !== 'research') return
          calls += 1
          // The summary's own call comes through here too.
          if (calls === stopAt + 1) stop.abort()
        },
      }
      const { quaero, of, speakers } = await workflow({ research: rounds }, { hooks })
      const { runId, status } = await quaero.ask(question, { signal: stop.signal })
      expect([stopAt, status]).toEqual([stopAt, 'interrupted'])
      expect((await quaero.resume(runId)).status).toBe('completed')
      expect(of('research').map(shape).slice(3)).toEqual([
        ['system', 'user', 'summary', 'calls', 'tool'],
        ['system', 'user', 'summary', 'calls', 'tool', 'calls', 'tool'],
      ])
      expect(speakers().filter((each) => each === 'summary')).toHaveLength(1)
    }
  })

  it('is left alone below the threshold, and where nobody switched the hook on', { tags: ['H7'] }, async () => {
    const quiet = await workflow({ research: rounds }, { settings: { history: { summariseAtPercent: 80 } } })
    await quiet.quaero.ask(question)
    expect(quiet.speakers()).not.toContain('summary')
    const off = await workflow({ research: rounds }, { settings: { history: {} } })
    await off.quaero.ask(question)
    expect(off.speakers()).not.toContain('summary')
  })

  it('is left alone where the window of the model is not known, and says once a run what to set', {
    tags: ['H7'],
  }, async () => {
    const prices = { 'test-model': { input: 1, output: 1, contextWindow: null } }
    const history = { summariseAtPercent: 70, keepMessages: 2 }
    const unknown = await workflow({ research: rounds }, { settings: { history, prices } })
    const { runId, status } = await unknown.quaero.ask(question)
    expect([status, unknown.speakers().includes('summary')]).toEqual(['completed', false])
    const message =
      'Nothing is summarised: the context window of "openai:test-model" is not known. ' +
      'Set it, in tokens: prices: { "test-model": { input, output, contextWindow } }.'
    const noticesOf = async (quaero: Quaero, id: string) =>
      (await logOf(quaero, id)).flatMap((event) => (event.type === 'notice' ? [event.payload] : []))
    expect(await noticesOf(unknown.quaero, runId)).toEqual([{ code: 'context_window_unknown', message }])

    // The extractive model is given no conversation that could fill it.
    const extractive = await openQuaero({ model: 'extractive', settings: { history } })
    expect(await noticesOf(extractive, (await extractive.ask(question)).runId)).toEqual([])
  })

  it('is shortened by the same hook given in code, which refuses a share that is none', { tags: ['H7'] }, async () => {
    const { quaero, speakers } = await workflow(
      { research: rounds },
      { settings: { history: {} }, hooks: [summarise({ atPercent: 70, keepMessages: 2 })] },
    )
    await quaero.ask(question)
    expect(speakers().filter((each) => each === 'summary')).toHaveLength(1)
    expect(() => summarise({ atPercent: 0 })).toThrow(UsageError)
    expect(() => summarise({ atPercent: 101 })).toThrow(UsageError)
  })
})

describe('a thread that fills the context window', () => {
  it('is told in short, once a turn, with its newest messages word for word', { tags: ['H7', 'R15'] }, async () => {
    const { quaero, of, speakers } = await workflow({ summary: [{ content: 'They spoke of nine colours.' }] })
    const told = 'Please keep in mind that marble is '.repeat(100)
    const { threadId } = await quaero.ask(`${told} red. ${question}`)
    await quaero.ask(`${told} blue. ${question}`, { threadId })
    expect(speakers()).not.toContain('summary')
    await quaero.ask(`${told} green. ${question}`, { threadId })
    await quaero.ask(question, { threadId })
    const before = speakers().length
    expect(speakers().filter((each) => each === 'summary').length).toBeGreaterThan(0)
    const summaries = of('summary').length
    await quaero.ask(question, { threadId })
    expect(of('summary').length - summaries).toBe(1)
    expect(speakers().slice(before)).toContain('synthesis')
    for (const speaker of ['orchestrator', 'research', 'synthesis'] as const) {
      const prompt = String(of(speaker).at(-1)?.[1]?.content)
      expect(prompt).toContain('They spoke of nine colours.')
      expect(prompt).not.toContain('marble is')
      expect(prompt).toMatch(/<\/document>\nUser: How many pages.+\nAssistant: It holds/)
      expect(prompt).toContain(question)
    }
  })
})
