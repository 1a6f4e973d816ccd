import { describe, expect, it } from 'vitest'
import type { AskOptions, StreamEvent } from '../../../src/index.ts'
import type { Script } from '../../../src/models/scripted.ts'
import { cited, openWorkflow, route, search, type WorkflowOptions } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const first = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
/** Its words stand in the other document alone. */
const followUp = 'Does filtering in the Halden filter run before clustering?'
const second = cited('It was released in 2021 by the Lund group.', 'P2', 'released in 2021 by the Lund group')
const script = { orchestrator: [route()], synthesis: [first, second] }
const settings = { research: 'auto' } as const

async function openConversation(lines: Script = script, options: WorkflowOptions = {}) {
  const started: { readonly runId: string; readonly callId: string }[] = []
  const watch = (event: StreamEvent) => {
    if (event.type === 'tool.started') started.push({ runId: event.runId, callId: event.payload.callId })
  }
  const { quaero, model } = await openWorkflow(lines, { settings, subscribers: [watch], ...options })
  const { threadId } = await quaero.ask(question)
  const ask = async (options: AskOptions = { threadId }) => {
    const result = await quaero.ask(followUp, options)
    const calls = started.filter(({ runId }) => runId === result.runId).map(({ callId }) => callId)
    const prompts = model.heard.map((messages) => messages.map(({ text }) => text).join('\n'))
    return { result, calls, prompts }
  }
  return { quaero, threadId, ask }
}

const isFound = expect.stringMatching(/^The Halden filter/)
const isCited = expect.stringMatching(/^The Marble corpus/)

function passagesIn(prompt = ''): readonly unknown[] {
  return Array.from(prompt.matchAll(/<passage id="(P\d)".*\n(.*)/g), ([, id, text]) => [id, text])
}

describe('a follow-up', () => {
  it('may be answered from what the last answer cites and what stands beside it, behind what its own search finds', async () => {
    const { ask } = await openConversation()
    const { result, calls, prompts } = await ask()
    expect(calls).toEqual(['own-search', 'own-reading'])
    expect(passagesIn(prompts.at(-1))).toEqual([
      ['P1', isFound],
      ['P2', isCited],
    ])
    expect(result.citations).toMatchObject([{ quote: expect.stringContaining('released in 2021'), verified: true }])
    expect(result.usage).toMatchObject({ modelCalls: 1, toolCalls: 2 })
  })

  it('has them in full research too, where they are listed, and its writer gets them', async () => {
    const research = [search('Halden filter input'), 'Found.']
    const { ask } = await openConversation({ ...script, synthesis: [first, '<abstain/>', second], research })
    const { prompts } = await ask()
    const found = prompts.at(-3)?.match(/^- \S+ \| .*$/gm) ?? []
    expect(found.map((line) => line.split(' | ').at(-1))).toEqual(['Filtering runs before clustering.', isCited])
    expect(passagesIn(prompts.at(-1)).flat()).toEqual(expect.arrayContaining([isCited]))
  })

  it('has none of another thread, and none of documents that it is not limited to', async () => {
    const { quaero, threadId, ask } = await openConversation({
      ...script,
      synthesis: [first, '<abstain/>', '<abstain/>'],
      research: ['No.', 'No.'],
    })
    expect((await ask({})).calls).toEqual(['own-search'])
    const [halden] = (await quaero.library.list()).filter(({ title }) => title?.includes('Halden'))
    expect((await ask({ threadId, documents: [halden?.source ?? ''] })).calls).toEqual(['own-search'])
  })

  it('has none of a document that was removed', async () => {
    const { quaero, ask } = await openConversation()
    await quaero.library.remove('marble.md')
    expect((await ask()).calls).toEqual(['own-search'])
  })

  it('has them in a copy of the conversation, which is made from its log', async () => {
    const { quaero, threadId, ask } = await openConversation()
    const copy = await quaero.threads.fork(threadId)
    expect((await ask({ threadId: copy })).calls).toEqual(['own-search', 'own-reading'])
  })
})
