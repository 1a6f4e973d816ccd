import { describe, expect, it } from 'vitest'
import { assertValidHistory, startEndpoint, type WireMessage } from '../../../fixtures/openai-endpoint.ts'

const user: WireMessage = { role: 'user', content: 'Hi' }
const call = (...ids: string[]): WireMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: ids.map((id) => ({ id, function: { name: 'a', arguments: '{}' } })),
})
const result = (id: string): WireMessage => ({ role: 'tool', tool_call_id: id, content: 'ok' })

describe('a history', () => {
  it.each<readonly [title: string, history: readonly WireMessage[]]>([
    ['a plain conversation', [{ role: 'system', content: 'x' }, user, { role: 'assistant', content: 'y' }, user]],
    ['calls that are answered in any order', [user, call('1', '2'), result('2'), result('1'), call('3'), result('3')]],
  ])('is valid: %s', (_, history) => {
    expect(() => assertValidHistory(history)).not.toThrow()
  })

  it.each<readonly [title: string, history: readonly WireMessage[]]>([
    ['a call without an answer', [user, call('1')]],
    ['a question between call and answer', [call('1'), user, result('1')]],
    ['an answer that nobody asked for', [user, result('1')]],
    ['an answer given twice', [call('1'), result('1'), result('1')]],
    ['an id used twice', [call('1'), result('1'), call('1'), result('1')]],
    ['one id for two calls', [call('1', '1'), result('1')]],
    ['an unknown role', [{ role: 'robot', content: '' }]],
    ['an empty list of calls', [{ ...call(), content: 'x' }]],
    [
      'arguments that are not JSON',
      [{ role: 'assistant', tool_calls: [{ id: '1', function: { name: 'a', arguments: '{' } }] }, result('1')],
    ],
    ['a message that says nothing', [{ role: 'assistant', content: null }]],
  ])('is not valid: %s', (_, history) => {
    expect(() => assertValidHistory(history)).toThrow()
  })
})

it('an endpoint refuses in words when its script has ended', async () => {
  const endpoint = await startEndpoint()
  const body = JSON.stringify({ model: 'm', messages: [] })
  const response = await fetch(`${endpoint.url}/chat/completions`, { method: 'POST', body })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('has ended')
  await endpoint.close()
})
