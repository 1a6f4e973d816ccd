import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Plugin } from '../../../src/index.ts'
import { defineTool } from '../../../src/tools/tool.ts'
import { leftovers } from '../../fixtures/killed-process.ts'
import { calls, cited, libraryFolder, openWorkflow, route, search, temporaryFolder } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const script = {
  orchestrator: ['no decision', route()],
  research: [
    calls(['append', { text: 'one' }]),
    calls(['delegate', { specialist: 'counter', task: 'Count the pages of the Marble corpus.' }]),
    'Done.',
  ],
  counter: [search('Marble corpus pages'), calls(['append', { text: 'two' }]), 'Counted.'],
  synthesis: [cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')],
  hook: ['Yes.'],
}
type Speaker = keyof typeof script
const settings = { specialists: { counter: { description: 'Counts the pages of corpora.' } } }

/** Asks a model of its own, and adds to the conversation behind each call. */
const curious: Plugin = {
  name: 'curious',
  beforeRound: async (_, { ask }) => {
    await ask('Is that wise?')
  },
  afterModel: ({ add }) => add({ role: 'user', text: 'Go on.' }),
}

/** A tool with an effect: it notes which calls were made. */
function appending() {
  const made: string[] = []
  const append = defineTool({
    name: 'append',
    description: 'Appends a line.',
    input: z.object({ text: z.string() }),
    run: async ({ text }, { callId }) => {
      made.push(callId)
      return `Appended ${text}.`
    },
  })
  return { made, options: { tools: [append], hooks: [curious], settings } }
}

describe('a process that is killed as soon as a call is finished', { timeout: 600_000 }, () => {
  it('leaves a run that goes on without that call or any before it, whoever made it', async () => {
    const dataDir = await libraryFolder()
    const folders = await Promise.all(Array.from({ length: 20 }, temporaryFolder))
    const { ends, subscriber } = leftovers(dataDir, folders)
    const whole = appending()
    const { quaero } = await openWorkflow(script, { dataDir, subscribers: [subscriber], ...whole.options })
    const { runId, status, answer, usage } = await quaero.ask(question)
    expect([status, ends.length]).toEqual(['completed', 14])

    for (const { folder, log } of ends) {
      const finished = log.filter(({ type }) => type === 'model.completed')
      const saidBy = (name: Speaker) =>
        finished.filter((event) =>
          'askedBy' in event.payload && event.payload.askedBy
            ? name === 'hook'
            : 'agent' in event && event.agent === name,
        ).length
      const unsaid = Object.entries(script).map(([name, lines]) => [name, lines.slice(saidBy(name as Speaker))])
      const rest = appending()
      const resumed = await openWorkflow(Object.fromEntries(unsaid), { dataDir: folder, ...rest.options })
      const where = `after ${log.at(-1)?.type} ${finished.length}`
      expect(await resumed.quaero.resume(runId), where).toMatchObject({
        status,
        answer,
        usage: { modelCalls: usage.modelCalls },
      })
      expect(resumed.model.heard, where).toHaveLength(10 - finished.length)
      const before = log.flatMap((event) => (event.type === 'tool.completed' ? [event.causationId] : []))
      const made = log.flatMap((event) =>
        event.type === 'tool.started' && before.includes(event.id) ? [event.payload.callId] : [],
      )
      expect(
        made.filter((id) => rest.made.includes(id)),
        where,
      ).toEqual([])
      expect((await resumed.quaero.verify()).discrepancies, where).toEqual([])
    }
  })
})
