import { ToolMessage } from '@langchain/core/messages'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Quaero } from '../../../src/api.ts'
import type { Plugin } from '../../../src/index.ts'
import { EndpointUnavailable } from '../../../src/models/port/errors.ts'
import type { Script } from '../../../src/models/scripted.ts'
import { defineTool, type Tool } from '../../../src/tools/tool.ts'
import { calls, cited, gate, libraryFolder, openWorkflow, route, search } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const marble = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const counter = { description: 'Counts pages of corpora.' }
const checker = { description: 'Checks figures of filters.' }
const ask = (...asked: readonly (readonly [specialist: string, task: string])[]) =>
  calls(...asked.map(([specialist, task]) => ['delegate', { specialist, task }] as const))
const turn = {
  orchestrator: [route()],
  research: [ask(['counter', 'Count the pages of the Marble corpus.']), 'The counter found it.'],
  counter: [search('Marble corpus pages'), 'It holds 81.1 million pages.'],
  synthesis: [marble],
}

type Options = Parameters<typeof openWorkflow>[1]

/** A workflow with two specialists, and what can be asked of it in these tests. */
async function workflow(script: Script = turn, { settings = {}, ...options }: Options = {}) {
  const { quaero, model } = await openWorkflow(script, {
    settings: { specialists: { counter, checker }, tools: { trust: 'open' }, ...settings },
    ...options,
  })
  const log = async (runId: string) => {
    const events = []
    for await (const event of quaero.runs.events(runId)) events.push(event)
    return events
  }
  const told = () =>
    model.heard.flatMap((messages) => messages.filter((each) => ToolMessage.isInstance(each)).map(({ text }) => text))
  return { quaero, model, log, told }
}

/** A run's log, read until somebody stops. */
async function* follow({ runs }: Quaero, runId: string) {
  for (let position = 0; ; ) {
    for await (const event of runs.events(runId, position)) {
      position = event.position
      yield event
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A tool that writes down each of its calls; sensitive, if it is to be asked about. */
function noting(done: string[]): Tool {
  return defineTool({
    name: 'note',
    description: 'Writes a note.',
    input: z.strictObject({ text: z.string() }),
    sensitive: true,
    run: async ({ text }) => {
      done.push(text)
      return `noted ${text}`
    },
  })
}
const note = (text: string) => calls(['note', { text }])

describe('a specialist', () => {
  it('is asked through a tool that lists the specialists, and its finds stand behind footnotes', {
    tags: ['U4'],
  }, async () => {
    const { quaero, model } = await workflow()
    const result = await quaero.ask(question)
    expect(result).toMatchObject({ status: 'completed', answer: 'It holds 81.1 million pages. [1]' })
    expect(result.citations).toMatchObject([{ verified: true, quote: 'holds 81.1 million pages' }])
    const [, , own] = model.heard
    expect(own?.map(({ text }) => text).join('\n')).toContain('Count the pages of the Marble corpus.')
    expect(model.heard[4]?.at(-1)?.text).toBe('It holds 81.1 million pages.')
    const tool = quaero.tools.list().find(({ name }) => name === 'delegate')
    expect(tool?.description).toContain('counter: Counts pages of corpora.\nchecker: Checks figures of filters.')
  })

  it('works in spans of its own inside the call, which carry its name', { tags: ['U4'] }, async () => {
    const { quaero, log } = await workflow()
    const events = await log((await quaero.ask(question)).runId)
    const started = events.find((each) => each.type === 'agent.started' && each.payload.name === 'counter')
    const call = events.find(({ id }) => id === started?.causationId)
    expect(call).toMatchObject({ type: 'tool.started', agent: 'research', payload: { tool: 'delegate' } })
    const inside = events.filter(({ agent }) => agent === 'counter').map(({ type }) => type)
    expect(inside).toEqual([
      'agent.started',
      ...['model.started', 'message.created', 'message.completed', 'model.completed'],
      ...['round.started', 'tool.started', 'tool.completed', 'round.completed', 'message.created', 'message.completed'],
      ...['model.started', 'message.created', 'message.completed', 'model.completed'],
      'agent.completed',
    ])
    const completed = events.find((each) => each.type === 'tool.completed' && each.causationId === call?.id)
    expect(completed?.payload).toMatchObject({ status: 'success', content: 'It holds 81.1 million pages.' })
    expect((await quaero.verify()).discrepancies).toEqual([])
  })

  it('keeps its messages to itself', { tags: ['U4'] }, async () => {
    const { quaero, log, model } = await workflow()
    const { runId, threadId } = await quaero.ask(question)
    const said = (await log(runId)).flatMap((each) =>
      each.agent === 'counter' && each.type === 'message.completed' ? [each.payload.scope] : [],
    )
    expect(said).toEqual(['scratch', 'scratch', 'scratch'])
    expect((await quaero.threads.messages(threadId)).map(({ role }) => role)).toEqual(['user', 'assistant'])
    // Research hears the closing words, and nothing of what they were drawn from.
    const research = model.heard[4] ?? []
    expect(research.map((each) => each.text).join()).toContain('It holds 81.1 million pages.')
    expect(research.map((each) => each.text).join()).not.toContain('It was released in 2021')
  })

  it('is known to hooks by its name, and in the trace', { tags: ['U4'] }, async () => {
    const seen: string[] = []
    const hooks = {
      name: 'watches',
      beforeTool: ({ name }: { name: string }, { agent }: { agent: string | null }) =>
        void seen.push(`${agent} ${name}`),
    }
    const { quaero } = await workflow(turn, { hooks })
    await quaero.ask(question)
    expect(seen).toEqual(['research delegate', 'counter pdf_retrieval'])
  })

  it('has the tools that its settings name, and delegates only where that is allowed', {
    tags: ['U4'],
  }, async () => {
    const lines = {
      ...turn,
      counter: [ask(['checker', 'Check it.']), note('a'), 'Nothing.'],
      synthesis: ['<abstain/>'],
    }
    const done: string[] = []
    const { quaero, told } = await workflow(lines, {
      tools: [noting(done)],
      settings: { specialists: { counter: { ...counter, tools: ['pdf_retrieval', 'delegate'] }, checker } },
    })
    await quaero.ask(question)
    expect(told()).toContain('Error (unknown_tool): There is no tool "delegate". The tools are: pdf_retrieval.')
    expect(told()).toContain('Error (unknown_tool): There is no tool "note". The tools are: pdf_retrieval.')
    expect(done).toEqual([])
  })

  it('may ask another where the depth allows it', { tags: ['U4'] }, async () => {
    const lines = {
      ...turn,
      counter: [ask(['checker', 'Check it.']), 'Checked.'],
      checker: [search('Marble'), 'Right.'],
    }
    const { quaero, log } = await workflow(lines, { settings: { delegation: { maxDepth: 2 } } })
    const { runId, citations } = await quaero.ask(question)
    expect(citations).toHaveLength(1)
    const agents = (await log(runId)).flatMap((each) => (each.type === 'agent.started' ? [each.payload.name] : []))
    expect(agents).toEqual(['orchestrator', 'research', 'counter', 'checker', 'synthesis'])
  })

  it('tells the model where no more tasks may be handed over, and goes on', { tags: ['U4'] }, async () => {
    const lines = {
      ...turn,
      research: [ask(['counter', 'One.'], ['counter', 'Two.']), ask(['counter', 'Three.']), 'Done.'],
      counter: [search('Marble'), 'Found.'],
    }
    const { quaero, told } = await workflow(lines, { settings: { delegation: { maxPerRun: 1 } } })
    expect((await quaero.ask(question)).status).toBe('completed')
    const refusals = told().filter((text) =>
      text.startsWith('Error (delegation_refused): This run may hand over 1 task, '),
    )
    expect(new Set(refusals).size).toBe(1)
    expect(refusals.length).toBeGreaterThanOrEqual(2)
  })

  it('counts the tasks that were handed over, not those that could not be', { tags: ['U4'] }, async () => {
    const lines = {
      ...turn,
      research: [
        ask(['nobody', 'One.']),
        // Beside it in the same round, and told off or refused while it waits.
        ask(['nobody', 'Two.'], ['counter', ''], ['checker', 'Three.']),
        ask(['checker', 'Four.']),
        'Done.',
      ],
      checker: [search('Marble corpus pages'), 'Found.'],
    }
    const refused = { refuse: 'not that one' }
    const hooks: Plugin = { beforeTool: ({ args }) => (args.task === 'Three.' ? refused : undefined) }
    const settings = { delegation: { maxPerRun: 1 } }
    const { quaero, told, log } = await workflow(lines, { settings, hooks })
    const { runId } = await quaero.ask(question)
    const tasks = (await log(runId)).flatMap((each) =>
      each.type === 'agent.started' && each.payload.task !== undefined ? [each.payload.task] : [],
    )
    expect(tasks).toEqual(['Four.'])
    expect(told().join()).not.toContain('may hand over')

    const valid = { ...lines, research: [ask(['nobody', 'One.'], ['checker', 'Two.']), 'Done.'] }
    const beside = await workflow(valid, { settings })
    const result = await beside.quaero.ask(question)
    expect(result.citations).toHaveLength(1)
    expect(beside.told().join()).not.toContain('may hand over')
  })

  it.each([
    // Orchestrator, research, one call of the specialist; the fourth is kept for the answer.
    ['modelCalls', 4, 4],
    // The call that hands over, one search of the specialist; its second is one too many.
    ['toolCalls', 2, 5],
    ['rounds', 2, 5],
    ['tokens', 301, 5],
  ] as const)(
    'counts towards the limit of %s, which ends the run with what was found',
    { tags: ['L1', 'L2', 'L9'] },
    async (limit, most, heard) => {
      const lines = {
        ...turn,
        counter: [search('Marble corpus pages'), search('Marble'), 'It holds 81.1 million pages.'],
      }
      const { quaero, model, told } = await workflow(lines, {
        settings: { limits: { [limit]: most } },
        usage: { inputTokens: 90, outputTokens: 10 },
      })
      const result = await quaero.ask(question)
      expect(result).toMatchObject({ status: 'limit_reached', ending: { limit, value: most } })
      expect(result.citations).toHaveLength(1)
      expect(model.heard).toHaveLength(heard)
      expect(told().join()).not.toContain('had to stop early')
    },
  )

  it('ends by itself where it makes no progress, and research goes on', { tags: ['L4'] }, async () => {
    const again = () => search('Marble corpus pages')
    const { quaero, told } = await workflow({ ...turn, counter: [again(), again(), again()] })
    expect(await quaero.ask(question)).toMatchObject({ status: 'completed', ending: null, citations: [{ marker: 1 }] })
    expect(told().join()).toContain(
      'counter had to stop early (limit_reached): The same tool call was made 3 times in a row.',
    )
  })

  it('pauses beside another that works, is stopped, and is not asked about a second time', {
    tags: ['E10', 'E8'],
  }, async () => {
    const dataDir = await libraryFolder()
    const done: string[] = []
    const stop = new AbortController()
    const asked = gate()
    const options = { dataDir, tools: [noting(done)], settings: { tools: { trust: 'careful' as const } } }
    const first = await workflow(
      {
        ...turn,
        research: [ask(['counter', 'Count.'], ['checker', 'Check.'])],
        counter: [note('a')],
        checker: [
          () => {
            asked.open()
            return new Promise<string>(() => {})
          },
        ],
      },
      options,
    )
    const running = first.quaero.ask(question, { signal: stop.signal })
    await asked.opened
    const [run] = await first.quaero.runs.list()
    for await (const each of follow(first.quaero, run?.runId ?? '')) if (each.type === 'approval.requested') break
    stop.abort()
    const { runId, status, approvals } = await running
    expect([status, approvals.length]).toEqual(['interrupted', 1])
    await first.quaero.close()
    const second = await workflow({ research: ['Done.'], counter: ['Counted.'], checker: ['Checked.'] }, options)
    const resumed = await second.quaero.resume(runId, { [approvals[0]?.id ?? '']: { approved: true } })
    expect(resumed.status).toBe('completed')
    expect(done).toEqual(['a'])
    expect((await second.log(runId)).filter(({ type }) => type === 'approval.requested')).toHaveLength(1)
  })

  it('returns what it found before its model failed, and reports the failure', async () => {
    const lines = { ...turn, counter: [search('Marble corpus pages'), new EndpointUnavailable('It is down.')] }
    const { quaero, told } = await workflow(lines, { settings: { endpoint: { retries: 0 } } })
    expect((await quaero.ask(question)).citations).toHaveLength(1)
    expect(told()).toContain('counter had to stop early (endpoint_unavailable): It is down.')
  })

  it('keeps the text of an unknown exception from the model, whether or not it found something', {
    tags: ['H8'],
  }, async () => {
    for (const before of [[search('Marble corpus pages')], []]) {
      const lines = { ...turn, counter: [...before, new Error('/home/ann/.key sk-12345')] }
      const { quaero, told } = await workflow(lines)
      expect((await quaero.ask(question)).status).toBe('completed')
      expect(told().join()).toContain('counter had to stop early (unexpected): its work failed.')
      expect(told().join()).not.toContain('sk-12345')
    }
  })

  it('ends with the run when that is cancelled', async () => {
    const asked = gate()
    const never = gate()
    const lines = {
      ...turn,
      counter: [
        () => {
          asked.open()
          return never.opened.then(() => 'Never said.')
        },
      ],
    }
    const { quaero, log } = await workflow(lines)
    const running = quaero.ask(question, { threadId: 't1' })
    await asked.opened
    const [run] = await quaero.runs.list()
    await quaero.cancel(run?.runId ?? '')
    expect((await running).status).toBe('cancelled')
    const ends = (await log(run?.runId ?? '')).filter(({ type }) => type.endsWith('.interrupted'))
    expect(ends.map(({ type, agent }) => `${type} ${agent ?? ''}`.trim())).toEqual([
      'model.interrupted counter',
      'agent.interrupted counter',
      ...['tool.interrupted research', 'round.interrupted research', 'agent.interrupted research', 'run.interrupted'],
    ])
    never.open()
  })

  it('is cancelled with the run also while another waits for an approval', { tags: ['U5', 'U4'] }, async () => {
    const asked = gate()
    const lines = {
      ...turn,
      research: [ask(['counter', 'Count.'], ['checker', 'Check.'])],
      counter: [note('a')],
      checker: [
        () => {
          asked.open()
          return new Promise<string>(() => {})
        },
      ],
    }
    const { quaero } = await workflow(lines, { tools: [noting([])], settings: { tools: { trust: 'careful' } } })
    const running = quaero.ask(question, { threadId: 't1' })
    await asked.opened
    const [run] = await quaero.runs.list()
    const runId = run?.runId ?? ''
    for await (const each of follow(quaero, runId)) if (each.type === 'approval.requested') break
    await quaero.cancel(runId)
    expect((await running).status).toBe('cancelled')
    await expect(quaero.resume(runId)).rejects.toThrow(/has ended/)
  })

  it('returns what it has when the time of the run is up', async () => {
    const never = gate()
    const lines = { ...turn, counter: [search('Marble corpus pages'), { say: 'Never.', gate: never.opened }] }
    const { quaero } = await workflow(lines)
    const result = await quaero.ask(question, { limits: { wallClockMs: 400 } })
    never.open()
    expect(result).toMatchObject({ status: 'limit_reached', ending: { limit: 'wallClockMs' } })
    expect((await quaero.verify()).discrepancies).toEqual([])
  })
})

describe('a run that stops inside a specialist', () => {
  const twice = [ask(['counter', 'Count.'], ['checker', 'Check.']), 'Done.']

  it('puts no warning of Node.js before a person, however deep the spans nest', { tags: ['U4'] }, async () => {
    const warnings: string[] = []
    const listen = ({ name }: Error) => void warnings.push(name)
    process.on('warning', listen)
    onTestFinished(() => void process.off('warning', listen))
    const deep = {
      ...turn,
      counter: [ask(['checker', 'Check.']), 'Done.'],
      checker: [search('a', 'b', 'c', 'd'), 'Right.'],
    }
    const { quaero } = await workflow(deep, { settings: { delegation: { maxDepth: 2 } } })
    await quaero.ask(question)
    await new Promise((resolve) => setImmediate(resolve))
    expect(warnings).toEqual([])
  })

  it('resumes two specialists at once, each where it stood, in whatever order they came', {
    tags: ['E10', 'U4'],
  }, async () => {
    const dataDir = await libraryFolder()
    const done: string[] = []
    const stop = new AbortController()
    const checked = gate()
    const stopping = () => {
      stop.abort()
      return 'Never heard.'
    }
    const first = await workflow(
      {
        ...turn,
        research: twice,
        // The second is ahead when the run stops, and was behind in the number of its calls.
        counter: [{ say: note('counter'), gate: checked.opened }, stopping],
        checker: [
          note('checker 1'),
          note('checker 2'),
          () => {
            checked.open()
            return new Promise<string>(() => {})
          },
        ],
      },
      { dataDir, tools: [noting(done)] },
    )
    const stopped = await first.quaero.ask(question, { signal: stop.signal })
    expect(stopped.status).toBe('interrupted')
    await first.quaero.close()
    expect(done).toEqual(['checker 1', 'checker 2', 'counter'])
    const second = await workflow(
      {
        research: ['Done.'],
        counter: [search('Marble corpus pages'), 'Counted.'],
        checker: ['Checked.'],
        synthesis: [marble],
      },
      { dataDir, tools: [noting(done)] },
    )
    const resumed = await second.quaero.resume(stopped.runId)
    expect(resumed).toMatchObject({ status: 'completed', answer: 'It holds 81.1 million pages. [1]' })
    expect(done).toEqual(['checker 1', 'checker 2', 'counter'])
    const results = second.model.heard.at(-2)?.flatMap((each) => (ToolMessage.isInstance(each) ? [each.text] : []))
    expect(results).toEqual(['Counted.', 'Checked.'])
  })

  it('waits for the approvals of two specialists at once, each its own, whose calls have the same ids', {
    tags: ['E8', 'U4'],
  }, async () => {
    const done: string[] = []
    const lines = {
      ...turn,
      research: twice,
      counter: [note('counter'), 'Counted.'],
      checker: [note('checker'), 'Checked.'],
    }
    const { quaero, told } = await workflow(lines, {
      tools: [noting(done)],
      settings: { tools: { trust: 'careful' } },
    })
    const { runId, approvals } = await quaero.ask(question)
    expect(approvals.map(({ args }) => args)).toEqual([{ text: 'counter' }, { text: 'checker' }])
    expect(new Set(approvals.map(({ id }) => id)).size).toBe(2)
    const [one, two] = approvals.map(({ id }) => id)
    const between = await quaero.resume(runId, { [one ?? '']: { approved: true } })
    expect(between.status).toBe('requires_action')
    expect(done).toEqual([])
    const ended = await quaero.resume(runId, { [two ?? '']: { approved: false, reason: 'no need' } })
    expect(ended.status).toBe('completed')
    expect(done).toEqual(['counter'])
    expect(told()).toContain('The person refused this call: no need.')
  })

  it('asks for one round after the other, each time in another engine, and counts each call once', {
    tags: ['E8', 'U4'],
  }, async () => {
    const dataDir = await libraryFolder()
    const done: string[] = []
    const again = calls(['note', { text: 'b' }, 'second'])
    const next = async (script: Script) =>
      (await workflow(script, { dataDir, tools: [noting(done)], settings: { tools: { trust: 'careful' } } })).quaero
    const first = await next({ ...turn, counter: [note('a')] })
    const one = await first.ask(question)
    await first.close()
    const second = await next({ counter: [again] })
    const two = await second.resume(one.runId, { [one.approvals[0]?.id ?? '']: { approved: true } })
    expect(two).toMatchObject({ status: 'requires_action', approvals: [{ args: { text: 'b' } }] })
    await second.close()
    const third = await next({ counter: ['Nothing.'], research: ['Done.'], synthesis: ['<abstain/>'] })
    const three = await third.resume(one.runId, {
      [two.approvals[0]?.id ?? '']: { approved: true, args: { text: 'c' } },
    })
    // The call that hands over, and two notes.
    expect(three).toMatchObject({ status: 'completed', usage: { toolCalls: 3, modelCalls: 6 } })
    expect(done).toEqual(['a', 'c'])
  })

  it('asks in turn for the call that hands over, and for the calls inside it', { tags: ['E8', 'U4'] }, async () => {
    const { quaero } = await workflow(turn, { settings: { tools: { trust: 'strict' } } })
    const first = await quaero.ask(question)
    expect(first.approvals).toMatchObject([{ id: 'delegate-1', tool: 'delegate' }])
    const second = await quaero.resume(first.runId, { 'delegate-1': { approved: true } })
    expect(second.approvals).toMatchObject([{ id: expect.stringMatching(/^pdf_retrieval-1-[0-9a-f]{8}$/) }])
    const third = await quaero.resume(first.runId, { [second.approvals[0]?.id ?? '']: { approved: true } })
    expect(third).toMatchObject({ status: 'completed', citations: [{ marker: 1 }] })
  })
})

describe('without a key', () => {
  it('the answer is found without specialists, which nobody asks', { tags: ['U4', 'Q4'] }, async () => {
    const { quaero, log } = await workflow({}, { model: 'extractive' })
    const { runId, status, citations } = await quaero.ask(question)
    expect([status, citations.length]).toEqual(['completed', 1])
    const tools = (await log(runId)).flatMap((each) => (each.type === 'tool.started' ? [each.payload.tool] : []))
    expect([...new Set(tools)]).toEqual(['pdf_retrieval', 'read_passages'])
  })
})
