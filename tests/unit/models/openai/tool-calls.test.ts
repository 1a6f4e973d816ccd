import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assembleToolCalls, type ToolCallDelta } from '../../../../src/models/openai/tool-calls.ts'

function assemble(deltas: readonly ToolCallDelta[], options: { cut?: boolean; takenIds?: string[] } = {}) {
  const assembler = assembleToolCalls()
  for (const delta of deltas) assembler.add(delta)
  return assembler.finish({ cut: options.cut ?? false, takenIds: new Set(options.takenIds) })
}

describe('the tool calls of a reply', () => {
  it.each<readonly [server: string, deltas: readonly ToolCallDelta[]]>([
    [
      'numbers them and names each once',
      [
        { index: 0, id: 'x', name: 'a', args: '{"n"' },
        { index: 1, id: 'y', name: 'b', args: '' },
        { index: 0, args: ':1}' },
        { index: 1, args: '{}' },
      ],
    ],
    [
      'repeats id and name in every piece',
      [
        { index: 0, id: 'x', name: 'a', args: '{"n"' },
        { index: 0, id: 'x', name: 'a', args: ':1}' },
        { index: 1, id: 'y', name: 'b', args: '{}' },
      ],
    ],
    [
      'numbers every call 0',
      [
        { index: 0, id: 'x', name: 'a', args: '{"n":1}' },
        { index: 0, id: 'y', name: 'b', args: '{}' },
      ],
    ],
    ['does not number them', [{ id: 'x', name: 'a', args: '{"n"' }, { args: ':1}' }, { id: 'y', name: 'b', args: '' }]],
  ])('are put together when a server %s', (_, deltas) => {
    expect(assemble(deltas)).toEqual([
      { index: 1, id: 'x', name: 'a', args: '{"n":1}' },
      { index: 2, id: 'y', name: 'b', args: '{}' },
    ])
  })

  it('are told apart by name where a server sends neither number nor id', () => {
    const calls = assemble([
      { name: 'a', args: '{"n":1}' },
      { name: 'a', args: '{"n":2}' },
    ])
    expect(calls.map(({ args }) => args)).toEqual(['{"n":1}', '{"n":2}'])
  })

  it('are invalid without arguments when the reply was cut, valid otherwise', () => {
    const deltas = [{ index: 0, id: 'x', name: 'a', args: '' }]
    expect(assemble(deltas)).toEqual([{ index: 1, id: 'x', name: 'a', args: '{}' }])
    expect(assemble(deltas, { cut: true })).toEqual([{ index: 1, id: undefined, name: 'a', args: '' }])
  })

  it('are invalid without a name', () => {
    expect(assemble([{ index: 0, id: 'x', args: '{}' }])).toMatchObject([{ id: undefined }])
  })

  it('never share an id with one another or with an earlier call', { tags: ['F37'] }, () => {
    const ids = fc.array(fc.constantFrom('x', 'y', '', null))
    const property = fc.property(ids, (given) => {
      const calls = assemble(
        given.map((id, index) => ({ index, id, name: 'a', args: '{}' })),
        { takenIds: ['x'] },
      )
      const made = calls.map(({ id }) => id)
      expect(new Set([...made, 'x']).size).toBe(given.length + 1)
      expect(made).not.toContain('')
    })
    fc.assert(property)
  })

  it('no cut of the arguments makes a call that can run', { tags: ['F20'] }, () => {
    const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (args, at) => {
      const whole = JSON.stringify(args)
      const [call] = assemble([{ index: 0, id: 'x', name: 'a', args: whole.slice(0, 1 + (at % (whole.length - 1))) }])
      expect(call?.id).toBeUndefined()
    })
    fc.assert(property, { numRuns: 500 })
  })
})
