import { describe, expect, it } from 'vitest'
import type { StreamEvent } from '../../../src/index.ts'
import type { Script } from '../../../src/models/scripted.ts'
import { cited, openWorkflow, route, search, type WorkflowOptions } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const unclear = '<ambiguous>which count is meant | pages collected | pages kept</ambiguous>'
const right = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const wording = 'Do you mean the pages collected, or the pages kept?'

async function open(script: Script, settings: WorkflowOptions['settings'] = {}) {
  const agents: string[] = []
  const subscriber = (event: StreamEvent) => {
    if (event.type === 'agent.started') agents.push(event.payload.name)
  }
  const { quaero, model } = await openWorkflow(script, { subscribers: [subscriber], settings })
  return { quaero, agents, heard: () => model.heard.map((messages) => messages.map(({ text }) => text).join('\n')) }
}

describe('a question that the documents show to be ambiguous', () => {
  it('is asked back about by research, and the reply is researched without asking again', async () => {
    const { quaero, agents, heard } = await open({
      orchestrator: [route({ standaloneQuestion: question })],
      research: [search('Marble corpus pages'), unclear, search('pages kept'), unclear],
      clarification: [wording],
      synthesis: [right],
    })
    const asked = await quaero.ask(question)
    expect(asked).toMatchObject({ status: 'clarification_needed', clarification: wording })
    expect(agents).toEqual(['orchestrator', 'research', 'clarification'])
    expect(heard().at(-1)).toMatch(/which count is meant[\s\S]+pages collected\npages kept/)
    const state = await quaero.threads.state(asked.threadId)
    expect(state).toMatchObject({ clarificationNeeded: true, clarificationCount: 1 })
    expect((await quaero.verify()).discrepancies).toEqual([])

    const answered = await quaero.ask('the second one', { threadId: asked.threadId })
    expect(answered).toMatchObject({ status: 'completed', answer: 'It holds 81.1 million pages. [1]' })
    expect(agents.slice(3)).toEqual(['orchestrator', 'research', 'synthesis'])
    expect(heard().at(-1)).toContain('How many pages does the Marble corpus hold (pages kept)?')
    expect((await quaero.verify()).discrepancies).toEqual([])
  })

  it('is asked back about after a first draft was discarded, and no word of the draft stays in the thread', async () => {
    const script = { synthesis: ['<abstain/>'], research: [unclear], clarification: [wording] }
    const { quaero, agents } = await open(script, { research: 'auto' })
    const { threadId, clarification } = await quaero.ask(question)
    expect(clarification).toBe(wording)
    expect(agents).toEqual(['orchestrator', 'research', 'synthesis', 'research', 'clarification'])
    const messages = [expect.objectContaining({ content: question }), expect.objectContaining({ content: wording })]
    expect(await quaero.threads.state(threadId)).toMatchObject({ messages })
    expect((await quaero.verify()).discrepancies).toEqual([])
  })

  it.each([
    ['the settings say never to ask', unclear, { clarification: { ask: 'never' } }],
    ['one thing alone may be meant', '<ambiguous what is meant | the pages kept/>', {}],
  ] as const)('is answered where %s', async (_, words, settings) => {
    const script = { orchestrator: [route()], research: [search('Marble corpus pages'), words], synthesis: [right] }
    const { quaero } = await open(script, settings)
    expect(await quaero.ask(question)).toMatchObject({ answer: 'It holds 81.1 million pages. [1]' })
  })
})

describe('a vague question that begins a thread', () => {
  const clarification = ['Which corpus do you mean?']

  it.each([
    ['Tell me more about it', { research: ['<ambiguous what "it" is/>'] }],
    ['Compare them', { research: ['<ambiguous which two | corpora | filters/>'] }],
    ['Use the approach from the paper', { research: ['<ambiguous>which paper</ambiguous>'] }],
    ['Where were the pages of the corpus collected?', { synthesis: ['<ambiguous which corpus | Marble | Halden/>'] }],
  ])(
    'is asked back about by the first agent that sees passages, without routing: "%s"',
    { tags: ['R13'] },
    async (asked, script) => {
      const { quaero, agents } = await open({ ...script, clarification }, { research: 'auto' })
      const { threadId, usage, ...result } = await quaero.ask(asked)
      expect(result).toMatchObject({ status: 'clarification_needed', clarification: clarification[0] })
      expect([usage.modelCalls, agents.at(-1)]).toEqual([2, 'clarification'])
      expect(await quaero.threads.state(threadId)).toMatchObject({ clarificationNeeded: true, clarificationCount: 1 })
      expect((await quaero.verify()).discrepancies).toEqual([])
    },
  )

  it('shows no word of the mark, and is answered where the settings say never to ask', async () => {
    const script = { synthesis: ['<ambiguous which corpus | Marble | Halden/>', right], research: ['It is Marble.'] }
    const { quaero, heard } = await open(script, { research: 'auto', clarification: { ask: 'never' } })
    const { answer, status } = await quaero.ask(question)
    expect([answer, status]).toEqual(['It holds 81.1 million pages. [1]', 'completed'])
    // The writer reads the mark as it is to write it.
    expect(heard()[0]).toContain('<ambiguous what is unclear/>')
  })
})
