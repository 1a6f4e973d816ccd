import { once } from 'node:events'
import type { AIMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { UsageError } from '../../../../src/errors.ts'
import {
  type AskOptions,
  BaseAgent,
  type Plugin,
  type Quaero,
  type QuaeroOptions,
  traceOf,
} from '../../../../src/index.ts'
import type { Script } from '../../../../src/models/scripted.ts'
import { defineTool } from '../../../../src/tools/tool.ts'
import { calls, cited, openWorkflow, route, search } from '../../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const answer = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const turn = { orchestrator: [route()], research: [search('Marble corpus pages'), 'Done.'], synthesis: [answer] }
const note = defineTool({
  name: 'note',
  description: 'Writes a note.',
  input: z.strictObject({ text: z.string() }),
  run: async ({ text }) => `noted ${text}`,
})
const broken = defineTool({ ...note, name: 'broken', run: () => Promise.reject(new Error('no disk')) })
const withNote = (...research: (AIMessage | string)[]) => ({ ...turn, research: [...research, ...turn.research] })

/** A plugin that writes down each of its moments. */
function recorder(told: string[], name = 'recorder', mark = ''): Plugin {
  return {
    name,
    onReady: () => void told.push(`${mark}onReady`),
    afterUserInput: ({ question }) => void told.push(`${mark}afterUserInput ${question.length}`),
    beforeModel: (_, { agent }) => void told.push(`${mark}beforeModel ${agent}`),
    afterModel: (_, { agent }) => void told.push(`${mark}afterModel ${agent}`),
    beforeRound: ({ calls }) => void told.push(`${mark}beforeRound ${calls.length}`),
    beforeTool: ({ name }) => void told.push(`${mark}beforeTool ${name}`),
    onError: ({ during, code }) => void told.push(`${mark}onError ${during} ${code}`),
    afterTool: ({ name, status }) => void told.push(`${mark}afterTool ${name} ${status}`),
    afterRound: ({ failed }) => void told.push(`${mark}afterRound ${failed}`),
    onComplete: ({ status, modelCalls }) => void told.push(`${mark}onComplete ${status} ${modelCalls}`),
    onShutdown: () => void told.push(`${mark}onShutdown`),
  }
}

interface Endings {
  /** Ends the run from outside while its tool is at work. */
  readonly during: (quaero: Quaero, runId: string) => Promise<void>
}

class BrokenAgent extends BaseAgent {
  readonly name = 'synthesis'

  protected process(): Promise<never> {
    return Promise.reject(new Error('no luck'))
  }
}

async function logOf(quaero: Quaero, runId: string) {
  const log = []
  for await (const event of quaero.runs.events(runId)) log.push(event)
  return log
}

describe('hooks at named moments', () => {
  it('come in order, as often as there is something to tell, afterTool also after an error', {
    tags: ['H1', 'H16', 'H24'],
  }, async () => {
    const told: string[] = []
    const script = withNote(calls(['note', { text: 'a' }], ['broken', { text: 'b' }]))
    const { quaero } = await openWorkflow(script, { hooks: recorder(told), tools: [note, broken] })
    await quaero.ask(question)
    await quaero.close()
    expect(told).toEqual([
      'onReady',
      `afterUserInput ${question.length}`,
      ...['beforeModel orchestrator', 'afterModel orchestrator'],
      ...['beforeModel research', 'afterModel research', 'beforeRound 2'],
      ...['beforeTool note', 'beforeTool broken', 'afterTool note success', 'onError tool unexpected'],
      ...['afterTool broken error', 'afterRound 1'],
      ...['beforeModel research', 'afterModel research', 'beforeRound 1'],
      ...['beforeTool pdf_retrieval', 'afterTool pdf_retrieval success', 'afterRound 0'],
      ...['beforeModel research', 'afterModel research'],
      ...['beforeModel synthesis', 'afterModel synthesis'],
      'onComplete completed 5',
      'onShutdown',
    ])
  })

  it('are given singly or as a list; anything else is refused by name', { tags: ['H2'] }, async () => {
    const told: string[] = []
    const { quaero } = await openWorkflow(turn, { hooks: { onReady: () => void told.push('ready') } })
    expect(told).toEqual(['ready'])
    await quaero.close()
    const wrong: readonly unknown[] = [7, null, 'hook', () => {}, { onFire: () => {} }, { run: 'fast' }, [{ name: 1 }]]
    for (const hooks of wrong) {
      await expect(openWorkflow(turn, { hooks: hooks as never }), String(hooks)).rejects.toThrow(UsageError)
    }
    await expect(openWorkflow(turn, { hooks: { onFire: () => {} } as never })).rejects.toThrow(
      /there is no hook "onFire".*beforeModel/,
    )
  })

  it('that throw fail the run, with the name of the plugin', { tags: ['H3'] }, async () => {
    for (const moment of [
      'afterUserInput',
      'beforeModel',
      'afterModel',
      'beforeRound',
      'beforeTool',
      'afterTool',
      'afterRound',
      'onComplete',
    ]) {
      const plugin = {
        name: 'fragile',
        [moment]: () => {
          throw new Error('no luck')
        },
      }
      const { quaero } = await openWorkflow(turn, { hooks: plugin })
      const { status, error } = await quaero.ask(question)
      expect({ moment, status, error }).toEqual({
        moment,
        status: 'failed',
        error: { code: 'hook_failed', message: expect.stringMatching(/hook of "fragile" failed: no luck/) },
      })
    }
  })

  it('onComplete is told once of every ending of an attempt, by the word that the result has', {
    tags: ['H1'],
  }, async () => {
    const vague = { ...turn, orchestrator: [route({ route: 'clarification', missingContext: ['which'] })] }
    const endings: Readonly<Record<string, readonly [Script, Partial<QuaeroOptions & AskOptions & Endings>?]>> = {
      completed: [turn],
      clarification_needed: [{ ...vague, clarification: ['Which one?'] }],
      limit_reached: [turn, { limits: { modelCalls: 3 } }],
      failed: [turn, { agents: { synthesis: new BrokenAgent() } }],
      requires_action: [turn, { settings: { tools: { trust: 'strict' } } }],
      cancelled: [turn, { during: (quaero, runId) => quaero.cancel(runId) }],
      interrupted: [turn, { during: (quaero) => quaero.close() }],
    }
    for (const [ending, [script, { limits = {}, during, ...options } = {}]] of Object.entries(endings)) {
      const told: string[] = []
      const hooks: Plugin = {
        onComplete: ({ status }) => void told.push(status),
        tool: async (request, next, { correlationId, signal }) => {
          if (during) {
            const stopped = once(signal, 'abort')
            void during(quaero, correlationId)
            await stopped
          }
          return next(request)
        },
      }
      const { quaero } = await openWorkflow(script, { hooks, ...options })
      const result = await quaero.ask(question, { limits }).catch(() => null)
      expect(told).toEqual([ending])
      // A closed Quaero has no result to return.
      if (result) expect(result.status).toBe(ending)
    }
  })

  it('onComplete is called for an approval pause, and again when the run has been resumed', {
    tags: ['H1'],
  }, async () => {
    const told: string[] = []
    const hooks: Plugin = { onComplete: ({ status }) => void told.push(status) }
    const { quaero } = await openWorkflow(turn, { hooks, settings: { tools: { trust: 'strict' } } })
    const { runId, approvals } = await quaero.ask(question)
    await quaero.resume(runId, Object.fromEntries(approvals.map(({ id }) => [id, { approved: true }])))
    expect(told).toEqual(['requires_action', 'completed'])
  })

  it('afterTool is told once of every call: done, failed, out of time, unknown, refused by a person or a hook', {
    tags: ['H16'],
  }, async () => {
    const told: unknown[] = []
    const hanging = defineTool({ ...note, name: 'hanging', run: () => new Promise<never>(() => {}) })
    const round = calls(
      ...['note', 'broken', 'hanging', 'fly', 'refused'].map((name) => [name, { text: 'a' }] as const),
      ['note', { words: 1 }],
    )
    const hooks: readonly Plugin[] = [
      {
        name: 'watching',
        onError: ({ during, code }) => void told.push(`onError ${during} ${code}`),
        afterTool: ({ name, status, errorCode }) => void told.push(`${name} ${status} ${errorCode}`),
      },
      { name: 'refusing', beforeTool: ({ name }) => (name === 'refused' ? { refuse: 'no' } : undefined) },
      // A person's refusal comes with the round.
      { name: 'person', round: (request, next) => next({ ...request, refusals: { 'note-1': 'not now' } }) },
    ]
    const { quaero } = await openWorkflow(withNote(round), {
      hooks,
      tools: [note, broken, hanging, { ...note, name: 'refused' }],
      settings: { tools: { timeoutSeconds: 0.05 } },
    })
    await quaero.ask(question)
    expect(told.toSorted()).toEqual([
      'broken error tool_failed',
      'fly not_found unknown_tool',
      'hanging error tool_timeout',
      'note denied approval_denied',
      'note error invalid_tool_input',
      'onError tool invalid_tool_input',
      'onError tool tool_timeout',
      'onError tool unexpected',
      'pdf_retrieval success null',
      'refused denied approval_denied',
    ])
  })

  it('afterTool gets the failure that the model gets, onError what was thrown', { tags: ['H16'] }, async () => {
    const told: string[] = []
    const hooks: Plugin = {
      onError: ({ message }) => void told.push(message),
      afterTool: ({ name, content }) => void (name === 'pdf_retrieval' || told.push(content)),
    }
    const round = calls(['broken', { text: 'a' }], ['fly', {}])
    const { quaero, model } = await openWorkflow(withNote(round), { hooks, tools: [broken] })
    await quaero.ask(question)
    const heard = model.heard[2]?.slice(-2).map(({ text }) => text)
    expect(heard?.[0]).toBe('Error (tool_failed): broken could not do its work.')
    expect(told.toSorted()).toEqual(['no disk', ...(heard ?? [])].toSorted())
  })

  it('all moments of several plugins nest, and so do the spans around them', { tags: ['H16'] }, async () => {
    const told: string[] = []
    const around = (name: string): Plugin => ({
      ...recorder(told, name, `${name} `),
      round: async (request, next) => {
        told.push(`${name} round begins`)
        const result = await next(request)
        told.push(`${name} round ends`)
        return result
      },
    })
    const { quaero } = await openWorkflow(turn, { hooks: [around('1'), around('2')] })
    await quaero.ask(question)
    expect(told.filter((line) => /ound|Tool|UserInput|onComplete/.test(line))).toEqual([
      `1 afterUserInput ${question.length}`,
      `2 afterUserInput ${question.length}`,
      ...['1 beforeRound 1', '1 round begins', '2 beforeRound 1', '2 round begins'],
      ...['1 beforeTool pdf_retrieval', '2 beforeTool pdf_retrieval'],
      ...['2 afterTool pdf_retrieval success', '1 afterTool pdf_retrieval success'],
      ...['2 round ends', '2 afterRound 0', '1 round ends', '1 afterRound 0'],
      ...['2 onComplete completed 4', '1 onComplete completed 4'],
    ])
  })

  it('onComplete sees the totals, which are in the log already', { tags: ['H23'] }, async () => {
    let seen: unknown
    const usage = { inputTokens: 10, outputTokens: 2 }
    const hooks: Plugin = {
      onComplete: ({ modelCalls, toolCalls, inputTokens, outputTokens }, { status }) => {
        seen = { modelCalls, toolCalls, inputTokens, outputTokens, logged: status.modelCalls }
      },
    }
    const { quaero } = await openWorkflow(turn, { hooks, usage })
    await quaero.ask(question)
    expect(seen).toEqual({ modelCalls: 4, toolCalls: 1, inputTokens: 40, outputTokens: 8, logged: 4 })
  })
})

describe('hooks that misbehave', () => {
  it('fail the start by name, and cannot hold up the end', { tags: ['H3', 'H24'] }, async () => {
    const failing = { name: 'early', onReady: () => Promise.reject(new Error('no luck')) }
    await expect(openWorkflow(turn, { hooks: failing })).rejects.toThrow('onReady of "early" failed: no luck')
    const hanging: Plugin = { onShutdown: () => new Promise(() => {}) }
    const { quaero } = await openWorkflow(turn, { hooks: hanging, settings: { shutdown: { deadlineSeconds: 0.05 } } })
    await quaero.close()
  })

  it('are told by name when onComplete fails, and are not asked again', { tags: ['H3'] }, async () => {
    const told: string[] = []
    const hooks: Plugin = {
      name: 'odd',
      onComplete: ({ status, add }) => {
        told.push(status)
        add({ role: 'robot', text: '' } as never)
      },
    }
    const { error } = await (await openWorkflow(turn, { hooks })).quaero.ask(question)
    expect(told).toEqual(['completed'])
    expect(error?.message).toContain('onComplete of "odd" added something that is not a message')
  })

  it('are all told how a run ended that one of them failed at its beginning', { tags: ['H1', 'H3'] }, async () => {
    const told: string[] = []
    const fails = (moment: 'afterUserInput' | 'onError'): Plugin => ({
      ...recorder(told, 'fragile', 'fragile '),
      [moment]: () => Promise.reject(new Error('no luck')),
    })
    const hooks = [recorder(told, 'outer', 'outer '), fails('afterUserInput'), recorder(told, 'inner', 'inner ')]
    const { quaero } = await openWorkflow(turn, { hooks })
    const { error } = await quaero.ask(question)
    expect(error).toEqual({ code: 'hook_failed', message: 'The run hook of "fragile" failed: no luck' })
    expect(told.filter((line) => !line.endsWith('onReady'))).toEqual([
      `outer afterUserInput ${question.length}`,
      ...['inner', 'fragile', 'outer'].flatMap((name) => [
        `${name} onError run hook_failed`,
        `${name} onComplete failed 0`,
      ]),
    ])

    const early = { afterUserInput: () => Promise.reject(new Error('early')) }
    const second = await openWorkflow(turn, { hooks: [fails('onError'), early] })
    told.length = 0
    expect((await second.quaero.ask(question)).error?.message).toContain('hook of "fragile" failed: no luck')
    expect(told).toEqual([`fragile afterUserInput ${question.length}`, 'fragile onComplete failed 0'])
  })

  it('leave what was answered before them in the result, as in the conversation', { tags: ['H3'] }, async () => {
    const hooks: Plugin = { name: 'late', onComplete: () => Promise.reject(new Error('no luck')) }
    const { quaero } = await openWorkflow(turn, { hooks })
    const { runId, threadId, ...result } = await quaero.ask(question)
    const [, said] = await quaero.threads.messages(threadId)
    expect(result).toMatchObject({
      ...{ status: 'failed', error: { code: 'hook_failed' }, answer: 'It holds 81.1 million pages. [1]' },
      ...{ abstained: false, confidence: expect.any(Number), citations: [{ quote: 'holds 81.1 million pages' }] },
    })
    expect([said?.content, said?.citations]).toEqual([result.answer, result.citations])
    expect(await quaero.runs.show(runId)).toMatchObject({ answer: result.answer, confidence: result.confidence })
  })

  it('fail the run where they return no tool result', { tags: ['H3'] }, async () => {
    const answer = { status: 'success' as const, content: 'x', observations: 'no' }
    // As a hook without types may.
    const hooks: Plugin = { name: 'odd', tool: async () => answer as never }
    const { error } = await (await openWorkflow(turn, { hooks })).quaero.ask(question)
    const message = expect.stringMatching(/The tool hook of "odd" returned what does not fit .*observations/)
    expect(error).toMatchObject({ code: 'hook_failed', message })
  })

  // biome-ignore lint/suspicious/noExplicitAny: what a hook without types may do
  const wrong: readonly (readonly [what: string, hooks: any, message: string | RegExp])[] = [
    ['afterUserInput: a text', { afterUserInput: () => 'Hi' }, 'afterUserInput of "odd" returned a text. It can'],
    ['beforeModel: a text', { beforeModel: () => 'Be brief.' }, 'beforeModel of "odd" returned a text. It can return'],
    ['beforeModel: messages', { beforeModel: async () => [] }, 'beforeModel of "odd" returned a list.'],
    [
      'afterModel: no list',
      { afterModel: () => ({ toolCalls: 'none' }) },
      'afterModel of "odd" returned { toolCalls }. It may',
    ],
    [
      'afterModel: half a call',
      { afterModel: () => ({ toolCalls: [{ name: 'x' }] }) },
      /or \{ toolCalls: \[\{ id, name, args/,
    ],
    ['beforeRound: an object', { beforeRound: () => ({ calls: [] }) }, 'beforeRound of "odd" returned { calls }.'],
    [
      'beforeTool: a text',
      { beforeTool: () => 'no' },
      'beforeTool of "odd" returned a text. It may return nothing, or one',
    ],
    ['beforeTool: another word', { beforeTool: () => ({ deny: 'no' }) }, 'beforeTool of "odd" returned { deny }.'],
    ['beforeTool: no text', { beforeTool: () => ({ answer: 5 }) }, 'beforeTool of "odd" returned { answer }.'],
    ['beforeTool: no arguments', { beforeTool: () => ({ args: 'x' }) }, 'beforeTool of "odd" returned { args }.'],
    [
      'afterTool: a number',
      { afterTool: () => 1 },
      'afterTool of "odd" returned a number. It may return nothing, or { c',
    ],
    ['afterTool: no text', { afterTool: () => ({ content: null }) }, 'afterTool of "odd" returned { content }.'],
    ['afterRound: a text', { afterRound: () => 'go on' }, 'afterRound of "odd" returned a text.'],
    ['onComplete: an object', { onComplete: () => ({ answer: 'x' }) }, 'onComplete of "odd" returned { answer }.'],
    [
      'run: nothing',
      { run: async (r: never, next: Next) => void (await next(r)) },
      /The run hook .* returned nothing. Ret/,
    ],
    [
      'agent: nothing',
      { agent: async (r: never, next: Next) => void (await next(r)) },
      /The agent hook of "odd" returned no/,
    ],
    ['agent: its own', { agent: async () => ({ nextAgent: 'research' }) }, /The agent hook of "odd" .*"update"/],
    [
      'model: a text',
      { model: async () => 'Hello.' },
      /The model hook of "odd" returned a text. Return what next\(\) gives/,
    ],
    ['model: no reply', { model: bare }, /The model hook of "odd" returned .*"reply": an AIMessage is needed/],
    ['model: no messages', { model: without('input') }, /The model hook of "odd" passed to next\(\) .*"input"/],
    [
      'model: nothing to ask',
      { model: (_: never, next: Next) => next() },
      /passed to next\(\) nothing. Give next\(\) the req/,
    ],
    ['round: no results', { round: async () => ({ failed: 0 }) }, /The round hook of "odd" .*"messages"/],
    ['round: no calls', { round: without('calls') }, /The round hook of "odd" passed to next\(\) .*"calls"/],
    [
      'tool: nothing',
      { tool: async (r: never, next: Next) => void (await next(r)) },
      /The tool hook of "odd" returned nothing/,
    ],
    [
      'tool: another status',
      { tool: async () => ({ status: 'fine', content: '' }) },
      /The tool hook of "odd" .*"status"/,
    ],
    ['tool: no arguments', { tool: without('args') }, /The tool hook of "odd" passed to next\(\) .*"args"/],
  ]

  it.each(wrong)(
    'fail the run by their name and moment where they return what does not fit: %s',
    { tags: ['H3'] },
    async (_, odd, said) => {
      const hooks: Plugin = { name: 'odd', ...odd }
      const { quaero } = await openWorkflow(turn, { hooks })
      const { status, error } = await quaero.ask(question)
      expect([status, error?.code]).toEqual(['failed', 'hook_failed'])
      expect(error?.message).toMatch(said)
    },
  )

  it('are not held to what an expression leaves behind where nothing is expected', { tags: ['H3'] }, async () => {
    const seen = new Set<string>()
    const hooks = {
      beforeModel: ({ model }: { model: string }) => seen.add(model),
      afterModel: () => seen.size > 99 && { toolCalls: [] },
      afterRound: () => seen.size,
      onComplete: () => null,
    }
    const { quaero } = await openWorkflow(turn, { hooks: hooks as unknown as Plugin })
    expect(await quaero.ask(question)).toMatchObject({ status: 'completed', error: null })
  })
})

describe('messages that hooks add', () => {
  const textsOf = (messages: readonly { readonly text: string }[] | undefined) =>
    (messages ?? []).map(({ text }) => text)

  it('stand where their moment says, and never between calls and their results', { tags: ['H4', 'H17'] }, async () => {
    const hooks: Plugin = {
      beforeModel: ({ add }, { agent }) => agent === 'research' && add({ role: 'system', text: 'now' }),
      afterModel: ({ add, toolCalls }) => toolCalls.length > 0 && add({ role: 'user', text: 'after model' }),
      beforeRound: ({ add }) => add({ role: 'user', text: 'before round' }),
      afterRound: ({ add }) => add({ role: 'assistant', text: 'after round' }),
    } as Plugin
    const { quaero, model } = await openWorkflow(withNote(calls(['note', { text: 'a' }])), { hooks, tools: [note] })
    const { runId, status } = await quaero.ask(question)
    expect(status).toBe('completed')
    const [, first, second, third] = model.heard
    expect(textsOf(first).at(-1)).toBe('now')
    expect(textsOf(second).slice(-6)).toEqual(['', 'noted a', 'after model', 'before round', 'after round', 'now'])
    expect(textsOf(third).filter((text) => text === 'now')).toEqual(['now'])
    const added = (await logOf(quaero, runId)).filter(
      (event) => event.type === 'message.completed' && event.payload.added,
    )
    expect(added.map((event) => event.payload)).toMatchObject(
      Array(2)
        .fill([{ text: 'after model' }, { text: 'before round' }, { text: 'after round' }])
        .flat(),
    )
    expect(await quaero.threads.messages((await quaero.runs.show(runId)).threadId)).toHaveLength(2)
  })

  it('stand before the question and behind the answer of the conversation, marked as added', {
    tags: ['H17'],
  }, async () => {
    const hooks: Plugin = {
      afterUserInput: ({ add }) => add({ role: 'user', text: 'I work on corpora.' }),
      onComplete: ({ add }) => add({ role: 'assistant', text: 'Ask me more.' }),
    }
    const { quaero, model } = await openWorkflow(
      { orchestrator: [route(), route()], research: [...turn.research, ...turn.research], synthesis: [answer, answer] },
      { hooks },
    )
    const { threadId, status } = await quaero.ask(question)
    expect(status).toBe('completed')
    const transcript = await quaero.threads.messages(threadId)
    expect(transcript.map(({ content, added }) => [content.slice(0, 18), added])).toEqual([
      [question.slice(0, 18), undefined],
      ['I work on corpora.', true],
      [expect.stringContaining('It holds'), undefined],
      ['Ask me more.', true],
    ])
    expect(JSON.stringify(model.heard[0])).toContain('I work on corpora.')
    await quaero.ask('And when?', { threadId })
    expect(JSON.stringify(model.heard[4])).toContain('Ask me more.')
    const { messages } = (await quaero.threads.state(threadId)) as { messages: { text: string }[] }
    expect(textsOf(messages).filter((text) => text === 'Ask me more.')).toHaveLength(2)
  })

  it('are refused where none can stand, and where they are no message', { tags: ['H17'] }, async () => {
    for (const moment of ['beforeTool', 'afterTool']) {
      const plugin = {
        name: 'late',
        [moment]: ({ add }: { add: (message: unknown) => void }) => add({ role: 'user', text: 'x' }),
      }
      const { quaero } = await openWorkflow(turn, { hooks: plugin as Plugin })
      expect((await quaero.ask(question)).error, moment).toEqual({
        code: 'hook_failed',
        message: `"late" added a message in ${moment}, where none can be added.`,
      })
    }
    const plugin: Plugin = { name: 'odd', beforeModel: ({ add }) => add({ role: 'robot', text: '' } as never) }
    const { quaero } = await openWorkflow(turn, { hooks: plugin })
    expect((await quaero.ask(question)).error?.message).toContain('added something that is not a message')
  })
})

describe('what hooks decide', () => {
  const decide = (decision: unknown): Plugin => ({
    beforeTool: ({ name }) => (name === 'note' ? decision : undefined) as never,
  })
  const noted = async (hooks: Plugin) => {
    const { quaero, model } = await openWorkflow(withNote(calls(['note', { text: 'a' }])), { hooks, tools: [note] })
    const result = await quaero.ask(question)
    const heard = model.heard[2]?.at(-1)?.text
    const trace = traceOf(await logOf(quaero, result.runId))
    return { heard, entry: trace.find((each) => each.kind === 'tool_execution' && each.name === 'note') }
  }

  it('other arguments, an answer in the place of the tool, or a refusal', { tags: ['H5', 'H19'] }, async () => {
    expect(await noted(decide({ args: { text: 'b' } }))).toMatchObject({
      heard: 'noted b',
      entry: { status: 'success' },
    })
    expect(await noted(decide({ answer: 'Kept.' }))).toMatchObject({ heard: 'Kept.', entry: { status: 'success' } })
    expect(await noted(decide({ refuse: 'not today' }))).toMatchObject({
      heard: 'This call was refused: not today.',
      entry: { status: 'denied', errorType: 'approval_denied' },
    })
  })

  it('what the model is told of a result', { tags: ['H5'] }, async () => {
    const hooks: Plugin = {
      afterTool: ({ name, content }) => (name === 'note' ? { content: `${content}!` } : undefined),
    }
    expect((await noted(hooks)).heard).toBe('noted a!')
  })

  it('which calls are made: changed, added and removed ones', { tags: ['H18'] }, async () => {
    const hooks: Plugin = {
      afterModel: ({ toolCalls }) => {
        const [first] = toolCalls
        if (first?.name !== 'note') return undefined
        const text = first.args.text === 'a' ? 'changed' : 'more'
        return {
          toolCalls: [
            { ...first, args: { text } },
            { id: 'added', name: 'note', args: { text: 'new' } },
          ],
        }
      },
    }
    const { quaero, model } = await openWorkflow(withNote(calls(['note', { text: 'a' }])), { hooks, tools: [note] })
    await quaero.ask(question)
    expect(model.heard[2]?.slice(-2).map(({ text }) => text)).toEqual(['noted changed', 'noted new'])
    const none: Plugin = { afterModel: ({ toolCalls }) => (toolCalls.length > 0 ? { toolCalls: [] } : undefined) }
    const silent = await openWorkflow(withNote(calls(['note', { text: 'a' }])), { hooks: none, tools: [note] })
    const { runId } = await silent.quaero.ask(question)
    expect(
      traceOf(await logOf(silent.quaero, runId)).some((each) => each.kind === 'tool_execution' && each.name === 'note'),
    ).toBe(false)
  })

  it('by what they see of the run', { tags: ['H6', 'H20'] }, async () => {
    const seen: unknown[] = []
    const hooks: Plugin = {
      afterRound: (_, { agent, iteration, question, toolHistory, trace, turn }) => {
        const kinds = trace().map(({ kind }) => kind)
        seen.push({ agent, iteration, question, toolHistory, turn, kinds })
      },
    }
    const { quaero } = await openWorkflow(turn, { hooks })
    await quaero.ask(question)
    expect(seen).toEqual([
      {
        agent: 'research',
        iteration: 2,
        question,
        toolHistory: ['pdf_retrieval'],
        turn: 1,
        kinds: ['user_input', 'model_call', 'model_call', 'tool_execution'],
      },
    ])
  })
})

type Next = (request?: unknown) => Promise<{ readonly [field: string]: unknown }>

/** A hook around a span that forgets one field of the request. */
function without(field: string) {
  return (request: Readonly<Record<string, unknown>>, next: Next) => next({ ...request, [field]: undefined })
}

/** A hook that hands back what the log keeps, and nothing else. */
async function bare() {
  const usage = { inputTokens: null, outputTokens: null, costUsd: null }
  return { usage, finishReason: 'stop', toolCalls: [], messageId: 'm', contextPercent: null }
}
