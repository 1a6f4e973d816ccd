import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  closingMessage,
  earlierMessages,
  formatHistory,
  repairHistory,
  uniqueCallIds,
} from '../../../../src/agents/loop/history.ts'
import { assertValidHistory, toWire } from '../../../fixtures/valid-history.ts'

const call = (id: string | undefined, name = 'search') => ({
  ...(id !== undefined && { id }),
  name,
  args: { query: 'x' },
})
const asks = (...ids: readonly (string | undefined)[]) =>
  new AIMessage({ content: '', tool_calls: ids.map((id) => call(id)) })
const result = (id: string, content = `result of ${id}`) => new ToolMessage({ content, tool_call_id: id })

const shape = (messages: readonly BaseMessage[]) =>
  messages.map((message) =>
    ToolMessage.isInstance(message)
      ? `${message.tool_call_id}: ${message.text}`
      : AIMessage.isInstance(message) && message.tool_calls?.length
        ? `asks ${message.tool_calls.map(({ id }) => id).join(' ')}`
        : message.text,
  )

describe('the history that a model sees', () => {
  const conversation = [
    new HumanMessage('One?'),
    new AIMessage('1.'),
    new HumanMessage('Two?'),
    new AIMessage('2.'),
    new HumanMessage('Three?'),
  ]

  it('names the documents that an answer cited, and what a question back offered', { tags: ['R14'] }, () => {
    const conversation = [
      new HumanMessage('Who wrote it?'),
      closingMessage('a1', 'Which one?', { question: 'Who wrote it?', candidates: ['Alder', 'Birch'] }),
      new HumanMessage('the second'),
      closingMessage('a2', 'Osei. [1]', { question: 'Who wrote it (Birch)?', cited: ['Birch:\na store'] }),
      new HumanMessage('Why?'),
    ]
    const history = earlierMessages(conversation, 10)
    expect(history).toEqual([
      { role: 'user', text: 'Who wrote it?' },
      { role: 'assistant', text: 'Which one?', question: 'Who wrote it?', candidates: ['Alder', 'Birch'] },
      { role: 'user', text: 'the second' },
      { role: 'assistant', text: 'Osei. [1]', question: 'Who wrote it (Birch)?', cited: ['Birch:\na store'] },
    ])
    expect(formatHistory(history)).toMatch(/Assistant: Osei\. \[1\]\n\(Documents cited: Birch: a store\)$/)
  })

  it('reads messages of other programs as they are', () => {
    const forged = new AIMessage({ content: 'Osei.', additional_kwargs: { quaero: { question: 7 } } })
    expect(earlierMessages([new HumanMessage('Who?'), forged, new HumanMessage('Why?')], 10)).toEqual([
      { role: 'user', text: 'Who?' },
      { role: 'assistant', text: 'Osei.' },
    ])
  })

  it('is the last messages before the current question, with their roles', { tags: ['R15'] }, () => {
    expect(earlierMessages(conversation, 3)).toEqual([
      { role: 'assistant', text: '1.' },
      { role: 'user', text: 'Two?' },
      { role: 'assistant', text: '2.' },
    ])
    expect(earlierMessages(conversation, 10)).toHaveLength(4)
    expect(formatHistory(earlierMessages(conversation, 2))).toBe('User: Two?\nAssistant: 2.')
  })

  it('says so when there is none', { tags: ['R15'] }, () => {
    expect(formatHistory(earlierMessages([new HumanMessage('One?')], 10))).toBe('No previous conversation.')
    expect(formatHistory(earlierMessages([], 10))).toBe('No previous conversation.')
  })

  it('leaves out what follows the current question: the draft of its own answer', () => {
    expect(earlierMessages([...conversation, new AIMessage('Draft.')], 2).at(-1)?.text).toBe('2.')
  })
})

describe('a repaired history', () => {
  it('is left as it is when nothing is wrong', () => {
    const fine = [
      new SystemMessage('s'),
      new HumanMessage('q'),
      asks('a', 'b'),
      result('a'),
      result('b'),
      new AIMessage('.'),
    ]
    expect(repairHistory(fine)).toEqual(fine)
  })

  it('gives a call without a result one that says so', () => {
    expect(shape(repairHistory([asks('a', 'b'), result('b'), new HumanMessage('next')]))).toEqual([
      'asks a b',
      'a: This call was interrupted and gave no result.',
      'b: result of b',
      'next',
    ])
  })

  it('drops results without a call, and second results of one call', () => {
    expect(
      shape(repairHistory([result('x'), asks('a'), result('a', 'first'), result('a', 'again'), result('y')])),
    ).toEqual(['asks a', 'a: first'])
  })

  it('brings late results back to their call, before what was said in between', () => {
    expect(shape(repairHistory([asks('a'), new HumanMessage('hurry'), result('a')]))).toEqual([
      'asks a',
      'a: result of a',
      'hurry',
    ])
  })

  it('issues ids anew where they are missing or used twice, and each result follows its own call', {
    tags: ['F37'],
  }, () => {
    const messages = [
      asks('a', 'a'),
      result('a', 'first'),
      result('a', 'second'),
      asks('a', undefined),
      result('a', 'third'),
    ]
    const [first, r1, r2, second, r3, r4] = repairHistory(messages)
    expect(shape([r1, r2, r3] as BaseMessage[]).map((each) => each.split(': ')[1])).toEqual([
      'first',
      'second',
      'third',
    ])
    const ids = [first, second].flatMap((each) => (each as AIMessage).tool_calls?.map(({ id }) => id))
    expect(new Set(ids).size).toBe(4)
    expect((r4 as ToolMessage).status).toBe('error')
  })

  it('is accepted by a strict validator for 10,000 generated histories, and split from no result', {
    tags: ['slow', 'H4', 'R15', 'TRAP11', 'TRAP12'],
  }, () => {
    const id = fc.constantFrom('a', 'b', 'c', 'call-2', '', undefined)
    const message = fc.oneof(
      { arbitrary: fc.array(id, { minLength: 1, maxLength: 3 }).map((ids) => asks(...ids)), weight: 3 },
      { arbitrary: id.map((each) => result(each ?? '')), weight: 5 },
      { arbitrary: fc.constant(0).map(() => new HumanMessage('and?')), weight: 1 },
      { arbitrary: fc.constant(0).map(() => new SystemMessage('note')), weight: 1 },
      { arbitrary: fc.constant(0).map(() => new AIMessage('so.')), weight: 1 },
    )
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        const repaired = repairHistory(messages)
        assertValidHistory(repaired.map(toWire))
        const said = (all: readonly BaseMessage[]) =>
          all.filter((each) => !ToolMessage.isInstance(each)).map(({ text }) => text)
        expect(said(repaired)).toEqual(said(messages))
        expect(repairHistory(repaired)).toEqual(repaired)
      }),
      { numRuns: 10_000 },
    )
  })
})

describe('the ids of calls', () => {
  it('stay as they are while they are new, and keep what else the message holds', { tags: ['F37'] }, () => {
    const message = new AIMessage({ id: 'm', content: 'Let me look.', tool_calls: [call('a'), call('b')] })
    expect(uniqueCallIds(message, new Set(['c']))).toBe(message)
    const renamed = uniqueCallIds(message, new Set(['a', 'a-2']))
    expect(renamed).toMatchObject({ id: 'm', text: 'Let me look.' })
    expect(renamed.tool_calls?.map(({ id }) => id)).toEqual(['a-3', 'b'])
    expect(message.tool_calls?.map(({ id }) => id)).toEqual(['a', 'b'])
  })
})
