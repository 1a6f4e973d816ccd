import { describe, expect, it } from 'vitest'
import type { Plugin, Quaero } from '../../../../src/index.ts'
import { EndpointUnavailable } from '../../../../src/models/port/errors.ts'
import { cited, openQuaero, openWorkflow, route, search } from '../../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const answer = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const turn = { orchestrator: [route()], research: [search('Marble corpus pages'), 'Done.'], synthesis: [answer] }
const usage = { inputTokens: 10, outputTokens: 2 }

async function logOf(quaero: Quaero, runId: string) {
  const log = []
  for await (const event of quaero.runs.events(runId)) log.push(event)
  return log
}

/** A plugin that asks the same at one moment, and keeps what it was told. */
function asking(moment: string, told: unknown[] = []): Plugin {
  const ask: Plugin['afterRound'] = async (_, context) => void told.push(await context.ask('Is that all?'))
  return { name: 'curious', [moment]: ask }
}

describe('a model call of a hook', () => {
  it('is made at every moment of a run, counted, and logged below the span that the hook is in', {
    tags: ['H21'],
  }, async () => {
    const below = {
      afterUserInput: 'run',
      beforeModel: 'model',
      afterModel: 'model',
      beforeRound: 'round',
      beforeTool: 'tool',
      afterTool: 'tool',
      afterRound: 'round',
      onComplete: 'run',
    }
    for (const [moment, kind] of Object.entries(below)) {
      const told: unknown[] = []
      const { quaero, model } = await openWorkflow({ ...turn, hook: ['Yes.'] }, { hooks: asking(moment, told), usage })
      const result = await quaero.ask(question)
      expect({ moment, status: result.status, told: new Set(told) }).toEqual({
        moment,
        status: 'completed',
        told: new Set(['Yes.']),
      })
      expect(model.heard).toHaveLength(5)
      expect(result.usage).toMatchObject({ modelCalls: 5, inputTokens: 50, outputTokens: 10 })
      const log = await logOf(quaero, result.runId)
      const own = log.find((event) => event.type === 'model.started' && event.payload.askedBy)
      expect(own?.payload).toMatchObject({ promptId: 'hook:curious', askedBy: { hook: 'curious' } })
      expect(log.find(({ id }) => id === own?.causationId)?.type).toBe(`${kind}.started`)
      expect(log.find((event) => event.type === 'model.completed' && event.payload.askedBy)?.causationId).toBe(own?.id)
    }
  })

  it('of a hook around a span is made likewise, with messages, by the model and at the temperature it names', {
    tags: ['H21'],
  }, async () => {
    const heard: unknown[] = []
    const hooks: Plugin = {
      name: 'curious',
      round: async (request, next, { ask }) => {
        heard.push(
          await ask?.(
            [
              { role: 'system', text: 'Be brief.' },
              { role: 'user', text: 'Why?' },
            ],
            { temperature: 1 },
          ),
        )
        await ask?.('And?', { model: 'extractive' }).catch(({ code }) => heard.push(code))
        await ask?.([]).catch(({ code }) => heard.push(code))
        return next(request)
      },
    }
    const { quaero, model } = await openWorkflow({ ...turn, hook: ['Because.'] }, { hooks })
    expect((await quaero.ask(question)).status).toBe('completed')
    expect(heard).toEqual(['Because.', 'no_model', 'hook_failed'])
    expect(model.heard.map((messages) => messages.map(({ text }) => text))).toContainEqual(['Be brief.', 'Why?'])
  })

  it('passes through the hooks of others, never through those of its own plugin', { tags: ['H21'] }, async () => {
    const told: string[] = []
    const plugin = (name: string): Plugin => ({
      name,
      beforeModel: async (_, { ask }) => {
        told.push(name)
        await ask(`${name} asks`)
      },
      model: (request, next) => {
        told.push(`${name} around ${request.askedBy === undefined ? 'a call of the run' : 'a call of a hook'}`)
        return next(request)
      },
    })
    const script = { ...turn, hook: ['1', '2', '3', '4'] }
    const { quaero, model } = await openWorkflow(script, { hooks: [plugin('one'), plugin('two')] })
    expect((await quaero.ask(question)).status).toBe('completed')
    const firstCall = told.slice(0, told.indexOf('two around a call of the run') + 1)
    expect(firstCall).toEqual([
      'one',
      ...['two', 'two around a call of a hook'],
      'one around a call of the run',
      // What it asked while the other asked is known already.
      'two',
      'two around a call of the run',
    ])
    expect(model.heard).toHaveLength(6)
  })

  it('is paid for once, also where the run is stopped behind it and resumed', { tags: ['H21'] }, async () => {
    for (const moment of ['afterUserInput', 'beforeModel', 'beforeRound', 'beforeTool', 'afterRound']) {
      const stop = new AbortController()
      const told: unknown[] = []
      const hooks: Plugin = {
        name: 'curious',
        [moment]: async (_: unknown, { ask }: { ask: (text: string) => Promise<string> }) => {
          told.push(await ask('Is that all?'))
          stop.abort()
        },
      }
      const { quaero, model } = await openWorkflow(
        { ...turn, hook: ['Yes.'], orchestrator: [route(), route()] },
        { hooks },
      )
      const { runId, status } = await quaero.ask(question, { signal: stop.signal })
      expect([moment, status]).toEqual([moment, 'interrupted'])
      const result = await quaero.resume(runId)
      expect([moment, result.status]).toEqual([moment, 'completed'])
      expect(told.every((each) => each === 'Yes.')).toBe(true)
      expect(model.heard.filter((messages) => messages[0]?.text === 'Is that all?')).toHaveLength(1)
    }
  })

  it('is limited, leaves a call for the answer, and what is not caught ends the loop, not the run', {
    tags: ['H21'],
  }, async () => {
    const ask = async (modelCalls: number, isCaught: boolean) => {
      const told: string[] = []
      const hooks: Plugin = {
        name: 'curious',
        beforeModel: async (_, { ask, agent }) => {
          if (agent !== 'research') return
          const asked = ask(`Is that all, ${told.length}?`)
          told.push(isCaught ? await asked.catch(({ code }) => code) : await asked)
        },
      }
      const { quaero, model } = await openWorkflow({ ...turn, hook: ['Yes.', 'Yes.'] }, { hooks })
      const result = await quaero.ask(question, { limits: { modelCalls } })
      return { told, calls: model.heard.length, status: result.status, cited: result.citations.length }
    }
    expect(await ask(6, true)).toEqual({ told: ['Yes.', 'Yes.'], calls: 6, status: 'completed', cited: 1 })
    expect(await ask(5, true)).toEqual({ told: ['Yes.', 'limit_reached'], calls: 5, status: 'completed', cited: 1 })
    expect(await ask(5, false)).toEqual({ told: ['Yes.'], calls: 4, status: 'limit_reached', cited: 1 })
    expect(await ask(4, true)).toEqual({ told: ['Yes.'], calls: 4, status: 'limit_reached', cited: 1 })
    expect(await ask(3, true)).toEqual({ told: ['limit_reached'], calls: 3, status: 'limit_reached', cited: 1 })
  })

  it('is limited also where the hook is called like one of ours', { tags: ['H21'] }, async () => {
    const hooks: Plugin = {
      name: 'limits',
      beforeModel: async (_, { ask, iteration }) => void (await ask(`Is that all, ${iteration}?`).catch(() => {})),
    }
    const { quaero, model } = await openWorkflow({ ...turn, hook: ['Yes.', 'Yes.', 'Yes.'] }, { hooks })
    await quaero.ask(question, { limits: { modelCalls: 3 } })
    expect(model.heard).toHaveLength(3)
  })

  it('is retried, and its failure is the hook’s to catch', { tags: ['H21'] }, async () => {
    const told: unknown[] = []
    const hooks: Plugin = {
      name: 'curious',
      afterRound: async (_, { ask }) => void told.push(await ask('Well?').catch(({ code }) => code)),
    }
    const down = new EndpointUnavailable('It is down.', { retryAfterMs: 1 })
    const { quaero } = await openWorkflow({ ...turn, hook: [down, down, down] }, { hooks })
    const { runId, status } = await quaero.ask(question)
    expect([status, told]).toEqual(['completed', ['endpoint_unavailable']])
    const log = await logOf(quaero, runId)
    expect(log.filter(({ type }) => type === 'model.retried')).toHaveLength(2)
    expect(log.filter(({ type }) => type === 'model.failed')).toHaveLength(1)
  })

  it('has nobody to answer it without a language model, and says so by name', { tags: ['H21'] }, async () => {
    const quaero = await openQuaero({ model: 'extractive', hooks: asking('afterRound') })
    expect((await quaero.ask(question)).error).toEqual({
      code: 'no_model',
      message: '"curious" asks a model, and there is none: the extractive model answers from documents only.',
    })
  })
})
