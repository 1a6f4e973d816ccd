import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ReactOptions, type ReactOutcome, reactLoop } from '../../../../src/agents/loop/react-loop.ts'
import { EndpointUnavailable } from '../../../../src/models/port/errors.ts'
import { type Line, scriptedModel } from '../../../../src/models/scripted.ts'
import { defineTool, type Tool } from '../../../../src/tools/tool.ts'
import { calls, gate } from '../../../fixtures/workflow.ts'
import { chatOf, inGraph } from '../in-graph.ts'
import { observation } from '../observation.ts'

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.strictObject({ text: z.string() }),
  run: async ({ text }) => `echo ${text}`,
})

/** Runs a loop over the script and these tools. */
async function loop(lines: readonly Line[], tools: readonly Tool[] = [echo], options: Partial<ReactOptions> = {}) {
  const model = scriptedModel(lines)
  const all: ReactOptions = {
    chat: chatOf(model),
    agentTask: { agent: 'research', question: 'q' },
    prompt: { id: 'p', version: 1, system: '', user: '' },
    temperature: null,
    tools,
    question: 'q',
    iteration: 2,
    documents: null,
    toolTimeoutMs: 60_000,
    observationCharacters: 1000,
    ...options,
  }
  const { result, log } = await inGraph<ReactOutcome>((context) => reactLoop(context, [new HumanMessage('q')], all))
  return { outcome: result, log, heard: model.heard, types: log.map(({ type }) => type) }
}

const results = (messages: readonly BaseMessage[] | undefined) =>
  (messages ?? []).flatMap((message) => (ToolMessage.isInstance(message) ? [message] : []))
const invalid = (args: string) =>
  new AIMessage({ content: '', invalid_tool_calls: [{ name: 'echo', args, id: 'x', error: 'not JSON' }] })

describe('a loop of reasoning and acting', () => {
  it('ends when the model asks for no tool, an empty list of calls included, with its last words', {
    tags: ['R19'],
  }, async () => {
    const { outcome, heard } = await loop([
      calls(['echo', { text: 'a' }]),
      new AIMessage({ content: 'Done.', tool_calls: [] }),
    ])
    expect(outcome).toEqual({ finalText: 'Done.', readIds: [], observations: [], toolHistory: ['echo'], error: null })
    expect(results(heard[1]).map(({ text }) => text)).toEqual(['echo a'])
  })

  it('returns the last text where there is no final one', { tags: ['R19'] }, async () => {
    const thinking = (text: string) =>
      new AIMessage({ content: text, tool_calls: [{ id: text, name: 'echo', args: { text } }] })
    const down = new EndpointUnavailable('It is down.')
    expect((await loop([thinking('First.'), thinking('Second.'), down])).outcome).toMatchObject({
      finalText: 'Second.',
      error: { code: 'endpoint_unavailable' },
    })
    expect((await loop([thinking('First.'), ''])).outcome.finalText).toBe('First.')
    expect((await loop([''])).outcome.finalText).toBeNull()
  })

  it('stops a tool that takes too long, tells the tool and the model, and goes on', { tags: ['F39'] }, async () => {
    let stopped = false
    const hanging: Tool = {
      ...echo,
      run: (_, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            stopped = true
          })
        }),
    }
    const { outcome, heard } = await loop([calls(['echo', { text: 'a' }]), 'Done.'], [hanging], { toolTimeoutMs: 20 })
    expect(results(heard[1])[0]?.text).toBe('Error (tool_timeout): echo took longer than 0.02 s.')
    expect(stopped).toBe(true)
    expect(outcome.finalText).toBe('Done.')
  })

  it('ends with the final result of a tool, without asking the model again', { tags: ['L10'] }, async () => {
    const final: Tool = { ...echo, run: async () => ({ content: 'ok', final: 'The answer.' }) }
    const { outcome, heard } = await loop([calls(['echo', { text: 'a' }])], [final])
    expect(outcome.finalText).toBe('The answer.')
    expect(heard).toHaveLength(1)
  })

  it('cuts a long result in the middle, says by how much, and keeps the passages whole', {
    tags: ['L5', 'F46'],
  }, async () => {
    const text = `begin${'x'.repeat(5000)}end`
    const long: Tool = { ...echo, run: async () => ({ content: text, observations: [observation({ text })] }) }
    const { outcome, heard } = await loop([calls(['echo', { text: 'a' }]), 'Done.'], [long], {
      observationCharacters: 200,
    })
    const seen = results(heard[1])[0]?.text ?? ''
    expect(seen).toMatch(/^beginx{95}\n\[… 4808 characters left out …\]\nx{97}end$/)
    expect(outcome.observations[0]?.text).toBe(text)
  })

  it('ends when the same call is made three times running, before the third runs', {
    tags: ['L4', 'F40'],
  }, async () => {
    const again = () => calls(['echo', { text: 'a' }])
    const { outcome, types } = await loop([again(), again(), again()])
    expect(outcome.error).toMatchObject({ code: 'limit_reached', limit: 'noProgress', value: 3 })
    expect(types.filter((type) => type === 'tool.started')).toHaveLength(2)
    const other = calls(['echo', { text: 'b' }])
    expect((await loop([again(), again(), other, again(), 'Done.'])).outcome).toMatchObject({
      finalText: 'Done.',
      error: null,
    })
  })

  it('asks again for calls that cannot be read, twice, then ends', { tags: ['L3', 'F34'] }, async () => {
    const { heard, outcome } = await loop([invalid('{"a'), invalid('{"b'), invalid('{"c')])
    expect(heard).toHaveLength(3)
    expect(heard[1]?.at(-1)?.text).toMatch(/echo: .+ valid JSON/)
    expect(outcome.error).toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('3 tool calls in a row'),
    })
    const mended = await loop([invalid('{"a'), invalid('{"b'), calls(['echo', { text: 'a' }]), invalid('{"c'), 'Done.'])
    expect(mended.outcome).toMatchObject({ finalText: 'Done.', toolHistory: ['echo'], error: null })
  })

  it('keeps what was gathered when the model fails', { tags: ['R22'] }, async () => {
    const finds: Tool = { ...echo, run: async () => ({ content: 'found', observations: [observation()] }) }
    const { outcome } = await loop([calls(['echo', { text: 'a' }]), new Error('socket')], [finds])
    expect(outcome).toMatchObject({ toolHistory: ['echo'], error: { code: 'unexpected' } })
    expect(outcome.observations).toHaveLength(1)
  })

  it('lists the tools in the order of first use, and each passage once', { tags: ['R17'] }, async () => {
    const finds = (name: string, ...ids: readonly string[]): Tool => ({
      ...echo,
      name,
      run: async () => ({ content: name, observations: ids.map((passageId) => observation({ passageId })) }),
    })
    const text = { text: 'a' }
    const { outcome } = await loop(
      [calls(['two', text, '1']), calls(['one', text, '2'], ['two', { text: 'b' }, '3']), 'Done.'],
      [finds('one', 'p2', 'p3'), finds('two', 'p1', 'p2')],
    )
    expect(outcome.toolHistory).toEqual(['two', 'one'])
    expect(outcome.observations.map(({ passageId }) => passageId)).toEqual(['p1', 'p2', 'p3'])
  })

  it('tells a tool who calls it, for which question, and what was found before', { tags: ['H6'] }, async () => {
    const contexts: unknown[] = []
    const curious: Tool = {
      ...echo,
      run: async (_, { runId, threadId, agent, question, iteration, documents, callId, observations }) => {
        contexts.push({
          runId,
          threadId,
          agent,
          question,
          iteration,
          documents,
          callId,
          observations: [...observations],
        })
        return { content: '', observations: [observation()] }
      },
    }
    const asks = ['1', '2'].map((id) => calls(['echo', { text: id }, id]))
    await loop([...asks, 'Done.'], [curious], { documents: ['halden'] })
    const common = {
      runId: 'run-1',
      threadId: 't',
      agent: 'research',
      question: 'q',
      iteration: 2,
      documents: ['halden'],
    }
    expect(contexts).toEqual([
      { ...common, callId: '1', observations: [] },
      { ...common, callId: '2', observations: [observation()] },
    ])
  })
})

describe('a round of calls', () => {
  it('runs side by side, and gives its results in the order of the calls', async () => {
    const { opened, open } = gate()
    const order: string[] = []
    const waiting: Tool = {
      ...echo,
      name: 'waiting',
      run: async () => {
        await opened
        order.push('waiting')
        return 'waited'
      },
    }
    const opening: Tool = {
      ...echo,
      name: 'opening',
      run: async () => {
        order.push('opening')
        open()
        return 'opened'
      },
    }
    const text = { text: 'a' }
    const { heard } = await loop([calls(['waiting', text], ['opening', text]), 'Done.'], [waiting, opening])
    expect(order).toEqual(['opening', 'waiting'])
    expect(results(heard[1]).map(({ text: said, tool_call_id }) => [said, tool_call_id])).toEqual([
      ['waited', 'waiting-1'],
      ['opened', 'opening-2'],
    ])
  })

  it('is over only when all its calls are, even if a hook fails one of them', async () => {
    const { opened, open } = gate()
    const slow: Tool = { ...echo, name: 'slow', run: () => opened.then(() => 'late') }
    const order: string[] = []
    const failing = inGraph(
      (context) =>
        reactLoop(context, [], {
          chat: chatOf(scriptedModel([calls(['echo', { text: 'a' }], ['slow', { text: 'b' }])])),
          agentTask: { agent: 'research', question: 'q' },
          prompt: { id: 'p', version: 1, system: '', user: '' },
          temperature: null,
          tools: [echo, slow],
          question: 'q',
          iteration: 1,
          documents: null,
          toolTimeoutMs: 60_000,
          observationCharacters: 1000,
        }),
      {
        emit: async ({ type }) => void order.push(type),
        hooks: [
          {
            name: 'strict',
            tool: async (request, next) => {
              if (request.tool === 'slow') return next(request)
              queueMicrotask(open)
              throw new Error('no')
            },
          },
        ],
      },
    )
    await expect(failing).rejects.toThrow('The tool hook of "strict" failed: no')
    expect(order.slice(-3)).toEqual(['tool.failed', 'tool.completed', 'round.failed'])
  })
})
