/** The workflow on servers that speak the protocol in ways of their own, and on models that cannot do all of it. */
import { describe, expect, it } from 'vitest'
import type { Event, Quaero } from '../../src/index.ts'
import { quaero as command, startQuaero } from '../fixtures/command-line.ts'
import { type Dialect, type DialectOptions, dialectEndpoint } from '../fixtures/dialects/dialect.ts'
import { dialects } from '../fixtures/dialects/index.ts'
import { ollama } from '../fixtures/dialects/ollama.ts'
import { vllm } from '../fixtures/dialects/vllm.ts'
import type { EndpointReply } from '../fixtures/openai-endpoint.ts'
import { quickAndSlow } from '../fixtures/quick-rows.ts'
import { usualLines } from '../fixtures/speaking-endpoint.ts'
import { libraryFolder, openQuaero, route } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const each = dialects.map((dialect) => [dialect.name, dialect] as const)
const bare: DialectOptions = { toolless: true, schemaless: true }

type Settings = NonNullable<Parameters<typeof openQuaero>[0]>['settings']

function on({ url }: { readonly url: string }, settings: Settings = {}, dataDir?: string): Promise<Quaero> {
  const endpoint = { baseUrl: url, ...settings?.endpoint }
  return openQuaero({
    model: 'openai:test-model',
    settings: { ...settings, endpoint },
    ...(dataDir !== undefined && { dataDir }),
  })
}

async function logOf(quaero: Quaero, runId: string): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of quaero.runs.events(runId)) events.push(event)
  return events
}

async function noticesOf(quaero: Quaero, runId: string) {
  return (await logOf(quaero, runId)).flatMap((event) => (event.type === 'notice' ? [event.payload] : []))
}

for (const { rows, tags } of quickAndSlow(each)) describe.each(rows)('on %s', { tags }, worksOn)

function worksOn(_: string, dialect: Dialect): void {
  it('a question is answered with a verified footnote, and its reasoning stays its own', async () => {
    const content = `<think>P1 says it.</think>${usualLines.synthesis.content}`
    const orchestrator = { content: `<think>{"route": "clarification"}</think>${usualLines.orchestrator.content}` }
    const lines = { orchestrator, synthesis: { content } }
    const endpoint = await dialectEndpoint(dialect, { reasoning: 'Let me think.', lines })
    const quaero = await on(endpoint)
    const { status, answer, citations, usage } = await quaero.ask(question)
    expect(status).toBe('completed')
    expect(answer).toContain('It holds 81.1 million pages.')
    expect(answer).not.toMatch(/think|P1 says/)
    expect(citations).toMatchObject([{ quote: 'holds 81.1 million pages', verified: true }])
    expect(usage).toMatchObject({ modelCalls: 4, toolCalls: 1, inputTokens: 400, outputTokens: 40 })
    expect(endpoint.calls()).toEqual(['orchestrator', 'research', 'research', 'synthesis'])
  })

  it('a cost that it does not tell is unknown, and a call without an id is made', {
    tags: ['F32', 'F37'],
  }, async () => {
    const endpoint = await dialectEndpoint(dialect, { terse: true })
    const price = { 'test-model': { input: 1, output: 1, contextWindow: null } }
    const { status, usage } = await (await on(endpoint, { prices: price })).ask(question)
    expect(status).toBe('completed')
    expect(usage).toMatchObject({ costUsd: null, toolCalls: 1 })
  })

  it('a model without tools and schemas answers with a verified footnote, and is asked for neither again', async () => {
    const endpoint = await dialectEndpoint(dialect, bare)
    const quaero = await on(endpoint)
    const first = await quaero.ask(question, { threadId: 't' })
    expect(first).toMatchObject({
      status: 'completed',
      error: null,
      citations: [{ quote: 'holds 81.1 million pages' }],
    })
    expect(first.answer).not.toMatch(/tool|schema/)
    expect(endpoint.calls()).toEqual(['orchestrator', 'orchestrator', 'research', 'searches', 'synthesis'])

    const second = await quaero.ask(question, { threadId: 't' })
    expect(second).toMatchObject({ status: 'completed', citations: [{ quote: 'holds 81.1 million pages' }] })
    expect(endpoint.calls().slice(5)).toEqual(['orchestrator', 'searches', 'synthesis'])
    expect(endpoint.requests.slice(5).some(({ tools, response_format }) => tools || response_format)).toBe(false)

    const told = [{ code: 'structured_output_unsupported' }, { code: 'tools_unsupported' }]
    expect(await noticesOf(quaero, first.runId)).toMatchObject(told)
    expect(await noticesOf(quaero, second.runId)).toMatchObject(told.map((each) => ({ ...each, known: true })))
  })

  it('settings that say so spare the refused requests', async () => {
    const endpoint = await dialectEndpoint(dialect, bare)
    const quaero = await on(endpoint, { endpoint: { toolCalling: 'off', structuredOutput: 'off' } })
    const { status, citations, runId } = await quaero.ask(question)
    expect({ status, citations: citations.length }).toEqual({ status: 'completed', citations: 1 })
    expect(endpoint.calls()).toEqual(['orchestrator', 'searches', 'synthesis'])
    expect(await noticesOf(quaero, runId)).toMatchObject([{ known: true }, { known: true }])
  })
}

describe('a model without tools', () => {
  it('is searched for with the question itself, where it names no searches', async () => {
    const lines = { searches: { content: 'I am sorry. I cannot search for you. Please try something else.' } }
    const quaero = await on(await dialectEndpoint(ollama, { ...bare, lines }))
    const { runId, citations } = await quaero.ask(question)
    expect(citations).toHaveLength(1)
    expect(await searchesIn(quaero, runId)).toEqual([question])
  })

  it('is searched for with the question itself, where it cannot be asked, after the usual number of tries', async () => {
    const searches: EndpointReply = { status: 503, headers: { 'retry-after': '0' } }
    const endpoint = await dialectEndpoint(ollama, { ...bare, lines: { searches } })
    const quaero = await on(endpoint)
    const { runId, status, citations } = await quaero.ask(question)
    expect({ status, citations: citations.length }).toEqual({ status: 'completed', citations: 1 })
    expect(await searchesIn(quaero, runId)).toEqual([question])
    expect(endpoint.calls().filter((each) => each === 'research' || each === 'searches')).toHaveLength(4)
  })

  it('has up to three searches made, each of them a call like any other', async () => {
    const lines = { searches: { content: '1. "Marble corpus size"\n- Marble corpus pages\n\n* Lund group\nA fourth' } }
    const quaero = await on(await dialectEndpoint(ollama, { ...bare, lines }))
    const { runId, usage } = await quaero.ask(question)
    expect(await searchesIn(quaero, runId)).toEqual(['Marble corpus size', 'Marble corpus pages', 'Lund group'])
    expect(usage.toolCalls).toBe(3)
  })

  it('has its searches approved, and a run that is resumed elsewhere goes the same way', { tags: ['E8'] }, async () => {
    const endpoint = await dialectEndpoint(vllm, bare)
    const dataDir = await libraryFolder()
    const first = await on(endpoint, { tools: { trust: 'strict' } }, dataDir)
    const { runId, status, approvals } = await first.ask(question)
    expect({ status, approvals }).toMatchObject({ status: 'requires_action', approvals: [{ tool: 'pdf_retrieval' }] })
    await first.close()

    // Nothing is remembered here, and nothing needs to be: what was found out is part of the run.
    const second = await on(endpoint, { tools: { trust: 'strict' } }, dataDir)
    const ended = await second.resume(runId, { [approvals[0]?.id ?? '']: { approved: true } })
    expect(ended).toMatchObject({ status: 'completed', citations: [{ verified: true }] })
    expect(endpoint.calls()).toEqual(['orchestrator', 'orchestrator', 'research', 'searches', 'synthesis'])
    expect(await second.replay(runId)).toMatchObject({ answer: ended.answer, status: 'completed' })
  })

  it('a run that was stopped on the plain way is finished on it, whatever is set by then', {
    tags: ['Q6'],
  }, async () => {
    const endpoint = await dialectEndpoint(vllm, {
      ...bare,
      lines: { synthesis: { stall: 'before' } },
    })
    const dataDir = await libraryFolder()
    const off = { endpoint: { toolCalling: 'off', structuredOutput: 'off' } } as const
    const first = await on(endpoint, { ...off, shutdown: { deadlineSeconds: 0.1 } }, dataDir)
    const asked = first.ask(question)
    await endpoint.asked('synthesis')
    const closed = first.close()
    const { runId, status } = await asked
    await closed
    expect(status).toBe('interrupted')

    const willing = await dialectEndpoint(vllm, bare)
    const second = await on(willing, {}, dataDir)
    expect(await second.resume(runId)).toMatchObject({ status: 'completed', citations: [{ verified: true }] })
    expect(willing.calls()).toEqual(['synthesis'])
  })

  it('works as a specialist for a model that has them', async () => {
    const lines = {
      research: [
        {
          toolCalls: [
            { name: 'delegate', args: { specialist: 'counter', task: 'Find the size of the Marble corpus' } },
          ],
        },
        { content: 'The first passage says it.' },
      ],
      specialist: { ...ollama.refusals.tools },
    }
    const endpoint = await dialectEndpoint(ollama, { lines })
    const specialists = { counter: { description: 'Counts pages.', model: 'openai:gemma3' } }
    const endpointSettings = { endpoint: { baseUrl: endpoint.url }, specialists }
    const quaero = await openQuaero({ settings: { model: 'openai:test-model', ...endpointSettings } })
    const { status, citations, runId } = await quaero.ask(question)
    expect({ status, citations: citations.length }).toEqual({ status: 'completed', citations: 1 })
    expect(endpoint.calls()).toEqual(['orchestrator', 'research', 'specialist', 'searches', 'research', 'synthesis'])
    const log = await logOf(quaero, runId)
    const told = log.find(({ type, agent }) => type === 'tool.completed' && agent === 'research')
    expect(told).toMatchObject({ payload: { content: expect.stringContaining('holds 81.1 million pages') } })
  })
})

describe('a model without JSON schemas', () => {
  const decision = route({ standaloneQuestion: 'How many pages has Marble?' })

  it('has its decision found among its words', { tags: ['F45'] }, async () => {
    const content = `I think {this} is clear:\n\`\`\`json\n${decision}\n\`\`\`\nShall I go on?`
    const endpoint = await dialectEndpoint(vllm, { schemaless: true, lines: { orchestrator: { content } } })
    expect(await (await on(endpoint)).ask(question)).toMatchObject({ standaloneQuestion: 'How many pages has Marble?' })
    expect(endpoint.calls().slice(0, 3)).toEqual(['orchestrator', 'orchestrator', 'research'])
  })

  it('is asked once more for what cannot be read, and the run says once what it does not take', {
    tags: ['F45'],
  }, async () => {
    const orchestrator = [{ content: 'never' }, { content: 'To research, I would say.' }, { content: decision }]
    const endpoint = await dialectEndpoint(vllm, { schemaless: true, lines: { orchestrator } })
    const quaero = await on(endpoint)
    const { runId, standaloneQuestion } = await quaero.ask(question)
    expect(standaloneQuestion).toBe('How many pages has Marble?')
    expect(endpoint.calls().slice(0, 4)).toEqual(['orchestrator', 'orchestrator', 'orchestrator', 'research'])
    expect(await noticesOf(quaero, runId)).toMatchObject([{ code: 'structured_output_unsupported' }])
  })
})

describe('a model that writes its tool calls as text', () => {
  const call = '{"name": "pdf_retrieval", "arguments": {"query": "Marble corpus pages"}}'
  const asParameters = '{"name": "pdf_retrieval", "parameters": {"query": "Marble corpus pages"}}'

  it.each([
    ['follows words, as Hermes writes it', { content: `Let me look it up.\n<tool_call>\n${call}\n</tool_call>` }],
    ['is written as Mistral does', { content: `[TOOL_CALLS] [${call}]` }],
    ['is JSON', { content: asParameters }],
    ['stands in a fence', { content: `\`\`\`json\n${asParameters}\n\`\`\`` }],
    ['is cut', { content: `<tool_call>${call}`, finishReason: 'length' }],
    ['breaks off', { content: '<tool_call>{"name": "pdf_retrieval", "arguments": {"query": "Marb' }],
    ['names no tool', { content: '<tool_call>{"name": "rm", "arguments": {"path": "/"}}</tool_call>' }],
    ['does not fit', { content: '<tool_call>{"name": "pdf_retrieval", "arguments": {"q": 1}}</tool_call>' }],
  ])('is asked for searches instead where the call %s', { tags: ['F20'] }, async (_, research) => {
    const endpoint = await dialectEndpoint(ollama, { lines: { research } })
    const quaero = await on(endpoint)
    const { runId, status, citations, usage } = await quaero.ask(question)
    expect({ status, citations: citations.length }).toEqual({ status: 'completed', citations: 1 })
    expect(await searchesIn(quaero, runId)).toEqual(['Marble corpus pages'])
    expect(endpoint.calls()).toEqual(['orchestrator', 'research', 'searches', 'synthesis'])
    // What could not be used was paid for all the same.
    expect(usage).toMatchObject({ modelCalls: 4, inputTokens: 400 })
    expect(await noticesOf(quaero, runId)).toMatchObject([{ code: 'tools_unsupported' }])
  })
})

describe('a model whose server leaves its reasoning in the text, without the mark that begins it', () => {
  it('shows none of it in its answer, and what was streamed of it is superseded', { tags: ['U2'] }, async () => {
    const synthesis = { content: `P1 says it.\n</think>\n\n${usualLines.synthesis.content}` }
    const endpoint = await dialectEndpoint(vllm, { lines: { synthesis } })
    const quaero = await on(endpoint, { clarification: { ask: 'never' } })
    const { runId, answer } = await quaero.ask(question)
    expect(answer).not.toContain('P1 says')
    const said = (await logOf(quaero, runId)).filter((event) => event.type === 'message.completed')
    expect(said.at(-1)?.payload).toMatchObject({ scope: 'thread', text: answer, superseded: true })
  })
})

describe('the command', () => {
  const notTaken = /^Without (tool calls|a JSON schema), the model is asked for .+ in plain words/gm

  it('says once what the model does not take, not in every turn, and the run remembers it', async () => {
    const cwd = await libraryFolder()
    const endpoint = await dialectEndpoint(ollama, bare)
    const options = { cwd, env: endpoint.env }
    const chat = await command(['chat', '-t', 't'], { ...options, stdin: `${question}\n${question}\n/exit\n` })
    expect(chat.code).toBe(0)
    expect(chat.err.match(notTaken)).toHaveLength(2)
    expect(chat.out).not.toMatch(/plain words/)
    expect(endpoint.calls()).toHaveLength(8)

    const { runs } = JSON.parse((await command(['runs', 'list', '--json'], { cwd })).out)
    for (const { runId } of runs) {
      const { out } = await command(['runs', 'show', runId], { cwd })
      expect(out).toContain('Note: Without tool calls, the model is asked for searches in plain words')
      expect(out).toContain('does not support tools')
    }
  })

  it('is killed with -9 on the plain way, and goes on without a finished call made again', {
    tags: ['Q6'],
  }, async () => {
    const cwd = await libraryFolder()
    const stalling = { synthesis: [{ stall: 'before' }, usualLines.synthesis] } as const
    const endpoint = await dialectEndpoint(ollama, { ...bare, lines: stalling })
    const options = { cwd, env: endpoint.env }
    const running = startQuaero(['ask', question, '--jsonl'], options)
    await endpoint.asked('synthesis')
    running.child.kill('SIGKILL')
    const { out } = await running.ended
    const { runId } = JSON.parse(out.slice(0, out.indexOf('\n')))

    const resumed = await command(['runs', 'resume', runId, '--json'], options)
    expect([resumed.code, JSON.parse(resumed.out)]).toMatchObject([0, { status: 'completed', runId }])
    const before = ['orchestrator', 'orchestrator', 'research', 'searches', 'synthesis']
    expect(endpoint.calls()).toEqual([...before, 'synthesis'])
    // What a resumed run comes by once more is in its log once.
    const { events } = JSON.parse((await command(['runs', 'events', runId, '--json'], { cwd })).out)
    expect(events.filter(({ type }: Event) => type === 'notice')).toHaveLength(2)
  })
})

async function searchesIn(quaero: Quaero, runId: string): Promise<unknown[]> {
  const events = await logOf(quaero, runId)
  return events.flatMap((event) => (event.type === 'tool.started' ? [event.payload.args.query] : []))
}
