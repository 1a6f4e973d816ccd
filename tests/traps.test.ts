import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HumanMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import type { AgentUpdate } from '../src/agents/state.ts'
import { calls, openWorkflow, route } from './fixtures/workflow.ts'

/** All files below a folder, with their text. */
function textsIn(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
}

describe('the source', () => {
  const source = textsIn('src', '.ts').join('\n')

  it('never limits how many tasks LangGraph runs side by side, which drops the others', { tags: ['TRAP4'] }, () => {
    expect(source).not.toMatch(/maxConcurrency/)
  })

  it('uses no channel that is rebuilt from differences', { tags: ['TRAP5'] }, () => {
    expect(source).not.toMatch(/DeltaChannel|MessagesDeltaValue/)
  })

  it('checkpoints before it goes on, and in no other way', { tags: ['TRAP9'] }, () => {
    expect([...source.matchAll(/durability: '(\w+)'/g)].map(([, how]) => how)).toEqual(['sync'])
  })
})

it('a field that the state does not have is refused by the compiler', { tags: ['TRAP15'] }, () => {
  // @ts-expect-error LangGraph would drop it without a word.
  const update: AgentUpdate = { finalAnswr: 'This.' }
  const known: AgentUpdate = { finalAnswer: 'This.', messages: [new HumanMessage('Why?')] }
  expect(Object.keys({ ...update, ...known })).toContain('finalAnswer')
})

it('leaving a stream stops its graph, which calls nothing more and can be resumed', { tags: ['TRAP13'] }, async () => {
  const { quaero, model } = await openWorkflow({
    orchestrator: [route()],
    research: [calls(['pdf_retrieval', { query: 'Marble' }]), 'Done.'],
  })
  let runId = ''
  for await (const event of quaero.stream('How many pages does the Marble corpus hold?', { threadId: 't1' })) {
    runId = event.runId
    if (event.type === 'tool.started') break
  }
  const heard = model.heard.length
  expect((await quaero.status(runId)).state).toBe('interrupted')
  // What still ran would be in the log by now: the thread is free, and reading it is an asynchronous walk.
  expect((await quaero.runs.show(runId)).usage.modelCalls).toBe(heard)
  expect(model.heard).toHaveLength(heard)
  expect(heard).toBe(2)
})
