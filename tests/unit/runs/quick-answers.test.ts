import { describe, expect, it } from 'vitest'
import type { StreamEvent } from '../../../src/index.ts'
import type { Script } from '../../../src/models/scripted.ts'
import { leftovers } from '../../fixtures/killed-process.ts'
import {
  calls,
  cited,
  libraryFolder,
  openWorkflow,
  route,
  search,
  temporaryFolder,
  type WorkflowOptions,
} from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const right = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const wrong = cited('It holds 90 million pages.', 'P1', 'holds 90 million pages')

async function ask(script: Script, asked = question, options: WorkflowOptions = {}) {
  const log: StreamEvent[] = []
  const { quaero, model } = await openWorkflow(script, {
    subscribers: [(event: StreamEvent) => void log.push(event)],
    ...options,
    settings: { research: 'auto', ...options.settings },
  })
  const result = await quaero.ask(asked)
  const agents = log.flatMap((event) => (event.type === 'agent.started' ? [event.payload.name] : []))
  const tools = log.flatMap((event) => (event.type === 'tool.started' ? [event.payload.callId] : []))
  const prompts = model.heard.map((messages) => messages.map(({ text }) => text).join('\n'))
  return { result, agents, tools, prompts, quaero, log }
}

const handedBack = {
  synthesis: ['<abstain/>', right],
  research: [search('Marble corpus pages'), calls(['read_passages', { document: '', page: 1 }]), 'It is found.'],
}

describe('a question that a first search answers', () => {
  it('costs one model call, and its search is logged like any other', { tags: ['Q11'] }, async () => {
    const { result, agents, tools } = await ask({ synthesis: [right] })
    expect(result).toMatchObject({ status: 'completed', abstained: false, answer: 'It holds 81.1 million pages. [1]' })
    expect(result.usage).toMatchObject({ modelCalls: 1, toolCalls: 1 })
    expect(agents).toEqual(['orchestrator', 'research', 'synthesis'])
    expect(tools).toEqual(['own-search'])
  })

  it('is shown to the orchestrator if the setting says so, also in a conversation', async () => {
    const script = { orchestrator: [route({ standaloneQuestion: question })], synthesis: [right] }
    const settings = { quick: { skipRouting: false } }
    expect((await ask(script, question, { settings })).result.usage.modelCalls).toBe(2)
    const routes = [...script.orchestrator, ...script.orchestrator]
    const { quaero, result } = await ask({ orchestrator: routes, synthesis: [right, right] }, question, { settings })
    const { usage } = await quaero.ask('And how many is that?', { threadId: result.threadId })
    expect(usage.modelCalls).toBe(2)
  })

  it('costs no more as a follow-up, which is searched for behind the question that it leans on, and by itself', async () => {
    const { quaero, result, log } = await ask({ synthesis: [right, right] })
    const { usage, standaloneQuestion } = await quaero.ask('And in 2021?', { threadId: result.threadId })
    expect([usage.modelCalls, standaloneQuestion]).toEqual([1, `${question} And in 2021?`])
    const tools = log.flatMap((event) => (event.type === 'tool.started' ? [event.payload.callId] : []))
    expect(tools).toEqual(['own-search', 'own-search', 'own-words', 'own-reading'])
  })

  it('is written with the words of the person beside the rewritten ones', async () => {
    const script = { orchestrator: [route({ standaloneQuestion: question })], synthesis: [right] }
    const { prompts } = await ask(script, 'How many does it hold?', { settings: { quick: { skipRouting: false } } })
    expect(prompts[1]).toContain(`${question}\n(In the person's own words: How many does it hold?)`)
  })

  it('is researched in full with the setting "thorough", and where no passage is strong enough by one plan', {
    tags: ['Q11'],
  }, async () => {
    const script = { orchestrator: [route()], research: [search('Marble corpus pages'), 'Found.'], synthesis: [right] }
    const thorough = await ask(script, question, { settings: { research: 'thorough' } })
    expect([thorough.result.usage.modelCalls, thorough.tools]).toEqual([4, ['pdf_retrieval-1']])
    const never = await ask(script, question, { settings: { quick: { strongScore: 1.1 } } })
    expect([never.result.usage.modelCalls, never.tools]).toEqual([2, ['own-search', 'pdf_retrieval-1']])
    expect(never.prompts[0]).toMatch(/Found so far:\n- \w+\.\d+ \| The Marble corpus \| page 1 \| score [01]\.\d\d \| /)
  })
})

describe('an answer from the first search', () => {
  it.each([
    ['that abstains', ['<abstain/>'], 4],
    ['whose first sentence cannot be verified, also after a repair,', [`${wrong} ${right}`, `${wrong} ${right}`], 5],
    ['whose first sentence cannot be verified, and is not repaired,', [`${wrong} ${right}`, '<abstain/>'], 5],
  ])('%s is discarded, and the question researched in full, once', async (_, drafts, modelCalls) => {
    const script = { synthesis: [...drafts, right], research: [search('corpus released Lund'), 'Found.'] }
    const { result, agents, log } = await ask(script)
    expect(result).toMatchObject({ status: 'completed', answer: 'It holds 81.1 million pages. [1]' })
    expect(result.usage).toMatchObject({ modelCalls, toolCalls: 2 })
    expect(agents).toEqual(['orchestrator', 'research', 'synthesis', 'research', 'synthesis'])
    const shown = log.filter(({ type, payload }) => type === 'message.completed' && 'citations' in payload)
    expect(shown).toHaveLength(1)
  })

  it('that abstains costs one more call than a plan: what the first searches then bring that is new is written from', async () => {
    const files = Object.fromEntries(
      [...Array(12).keys()].map((at) => [`${at}.md`, `# Corpus ${at}\n\nOf pages, it holds ${at}.`]),
    )
    const dataDir = await libraryFolder({ ...files, 'ferry.md': '# Ferry\n\nThe harbour of Lund is open in winter.' })
    const harbour = cited('It is open in winter.', 'P1', 'The harbour of Lund is open in winter.')
    const script = { synthesis: ['<abstain/>', harbour], research: [search('harbour Lund winter')] }
    const { result, agents } = await ask(script, 'How many pages does a corpus hold?', { dataDir })
    expect(result).toMatchObject({ abstained: false, usage: { modelCalls: 3, toolCalls: 2 } })
    expect(agents).toEqual(['orchestrator', 'research', 'synthesis', 'research', 'synthesis'])
  })

  it('whose first sentence cannot be verified is repaired before more is searched', async () => {
    const { result, agents } = await ask({ synthesis: [`${wrong} ${right}`, right] })
    expect(result).toMatchObject({ answer: 'It holds 81.1 million pages. [1]', usage: { modelCalls: 2, toolCalls: 1 } })
    expect(agents).toEqual(['orchestrator', 'research', 'synthesis'])
  })

  it('is not asked for again where research finds nothing new', async () => {
    const { result, agents } = await ask({ synthesis: ['<abstain/>'], research: ['Nothing more.'] })
    expect(result).toMatchObject({ status: 'completed', abstained: true, usage: { modelCalls: 2 } })
    expect(agents.at(-1)).toBe('synthesis')
  })

  it('is not asked for a second time where research says that the documents do not hold it, and what it found is far off', async () => {
    const research = [search('linear model'), '<abstain/> Nothing is said about harbours.']
    const script = { research, synthesis: ['<abstain/>'] }
    const { result } = await ask(script, 'Which harbours does the Baltic ferry call at in winter?')
    expect(result).toMatchObject({ status: 'completed', abstained: true, usage: { modelCalls: 3 } })
  })

  it('counts in the limits of the run, which end the second pass too', async () => {
    const limits = { modelCalls: 3 }
    const { result } = await ask({ ...handedBack, research: handedBack.research.slice(0, 1) }, question, {
      settings: { limits },
    })
    expect(result.usage.modelCalls).toBeLessThanOrEqual(3)
    expect(result).toMatchObject({ status: 'limit_reached', ending: { limit: 'modelCalls' } })
  })
})

describe('a process that is killed as soon as a call of such a run is finished', { timeout: 300_000 }, () => {
  it('leaves a run that goes on without that call or any before it, in both passes', async () => {
    const dataDir = await libraryFolder()
    const folders = await Promise.all(Array.from({ length: 10 }, temporaryFolder))
    const { ends, subscriber } = leftovers(dataDir, folders)
    const script = { synthesis: ['<abstain/>', right], research: [search('corpus released Lund'), 'Found.'] }
    const { quaero } = await openWorkflow(script, {
      dataDir,
      subscribers: [subscriber],
      settings: { research: 'auto' },
    })
    const { runId, status, answer, usage } = await quaero.ask(question)
    // The search, the first draft, research, its search, its closing words, the answer.
    expect([status, ends.length, usage.modelCalls]).toEqual(['completed', 6, 4])
    for (const { folder, log } of ends) {
      const finished = log.filter(({ type }) => type === 'model.completed')
      const saidBy = (name: string) => finished.filter((event) => 'agent' in event && event.agent === name).length
      const unsaid = Object.entries(script).map(([name, lines]) => [name, lines.slice(saidBy(name))])
      const resumed = await openWorkflow(Object.fromEntries(unsaid), {
        dataDir: folder,
        settings: { research: 'auto' },
      })
      const where = `after ${log.at(-1)?.type} ${finished.length}`
      expect(await resumed.quaero.resume(runId), where).toMatchObject({
        status,
        answer,
        usage: { modelCalls: usage.modelCalls, toolCalls: usage.toolCalls },
      })
      expect(resumed.model.heard, where).toHaveLength(4 - finished.length)
      expect((await resumed.quaero.verify()).discrepancies, where).toEqual([])
      expect((await resumed.quaero.runs.replay(runId)).result, where).toMatchObject({ answer, status })
    }
  })
})
