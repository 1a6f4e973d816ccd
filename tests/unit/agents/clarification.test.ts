import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { Clarification } from '../../../src/agents/clarification.ts'
import { createInitialState, emptyContext, tell } from '../../../src/agents/state.ts'
import { EndpointUnavailable } from '../../../src/models/port/errors.ts'
import { type Line, scriptedModel } from '../../../src/models/scripted.ts'
import { chatOf, inGraph, promptOf } from './in-graph.ts'

async function clarify(...lines: readonly Line[]) {
  const model = scriptedModel(lines)
  const clarification = new Clarification({
    chat: chatOf(model),
    prompt: promptOf('history', 'question', 'missing', 'candidates'),
    temperature: 0,
    maxHistory: 2,
  })
  const messages = [new HumanMessage('a'), new AIMessage('b'), new HumanMessage('c'), new AIMessage('d')]
  const state = Object.freeze({
    ...createInitialState([...messages, new HumanMessage('Compare them')], 't'),
    iteration: 1,
    missingContext: ['which two'],
    context: tell(emptyContext(), { candidates: ['Marble', 'Halden'] }),
  })
  const { result, log } = await inGraph((context) => clarification.execute(state, context), { agent: 'clarification' })
  return { update: result, log, heard: model.heard }
}

describe('the clarification agent', () => {
  it('asks one question, as its message and as the answer, with no confidence, and ends the run', {
    tags: ['R16', 'R34'],
  }, async () => {
    const { update, log } = await clarify(' Which two do you mean? ')
    expect(update).toEqual({
      messages: [expect.objectContaining({ content: 'Which two do you mean?' })],
      nextAgent: 'END',
      lastAgent: 'clarification',
      iteration: 2,
      finalAnswer: 'Which two do you mean?',
      confidenceScore: null,
    })
    expect(update.messages).toHaveLength(1)
    expect(log.find(({ type }) => type === 'message.completed')?.payload).toMatchObject({
      role: 'assistant',
      scope: 'thread',
      text: 'Which two do you mean?',
    })
  })

  it('shows its model the last messages, what is missing, and what may be meant', { tags: ['R15'] }, async () => {
    const { heard } = await clarify('Which?')
    expect(heard[0]?.at(-1)?.text).toBe(
      'history: User: c\nAssistant: d\nquestion: Compare them\nmissing: which two\ncandidates: Marble\nHalden',
    )
  })

  it.each([
    ['fails', new EndpointUnavailable('It is down.')],
    ['throws', new TypeError('x')],
    ['says nothing', '  '],
  ])('asks a fixed polite question when its model %s', { tags: ['R16', 'R5'] }, async (_, line) => {
    const { update, log } = await clarify(line)
    expect(update).toMatchObject({ nextAgent: 'END', lastAgent: 'clarification', iteration: 2, confidenceScore: null })
    expect(update.finalAnswer).toMatch(/^Could you .+\?$/)
    expect(log.findLast(({ type }) => type === 'message.completed')?.payload).toMatchObject({
      scope: 'thread',
      text: update.finalAnswer,
    })
  })
})
