import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AlreadyExists, UnknownTool, UsageError } from '../../../src/errors.ts'
import { defineTool, type Tool } from '../../../src/tools/tool.ts'
import { Toolbox } from '../../../src/tools/toolbox.ts'

const tool = (name: string) =>
  defineTool({ name, description: name, input: z.strictObject({}), run: async () => 'done' })

describe('a toolbox', () => {
  it('lists its tools in the order in which they were added, and no longer those that were removed', {
    tags: ['H14'],
  }, () => {
    const toolbox = new Toolbox([tool('one'), tool('two')])
    toolbox.add(tool('three'))
    toolbox.remove('two')
    expect(toolbox.list().map(({ name }) => name)).toEqual(['one', 'three'])
  })

  it('refuses a name that is taken, and keeps what it had', { tags: ['H14'] }, () => {
    const first = tool('one')
    const toolbox = new Toolbox([first])
    expect(() => toolbox.add(tool('one'))).toThrow(AlreadyExists)
    expect(() => new Toolbox([first, first])).toThrow(AlreadyExists)
    expect(toolbox.list()).toEqual([first])
  })

  it('says which tools there are when another is asked for, or removed', { tags: ['H14'] }, () => {
    const toolbox = new Toolbox([tool('one'), tool('two')])
    expect(() => toolbox.get('three')).toThrow(UnknownTool)
    expect(() => toolbox.remove('three')).toThrow('There is no tool "three". The tools are: one, two.')
    expect(() => new Toolbox().get('three')).toThrow('The tools are: (none).')
  })

  it.each([
    ['a name with a space', { ...tool('a'), name: 'a b' }, /name is 1 to 64/],
    ['a name that is too long', { ...tool('a'), name: 'a'.repeat(65) }, /name is 1 to 64/],
    ['no purpose', { ...tool('a'), description: '' }, /description/],
    ['a schema that is none', { ...tool('a'), input: {} }, /a zod schema is needed/],
    ['no work', { ...tool('a'), run: 'done' }, /a function is needed/],
    ['no object', null, /This is no tool/],
  ])('refuses %s, and says what is wrong', { tags: ['H14'] }, (_, given, problem) => {
    const toolbox = new Toolbox()
    const adding = () => toolbox.add(given as Tool)
    expect(adding).toThrow(UsageError)
    expect(adding).toThrow(problem)
    expect(toolbox.list()).toEqual([])
  })
})
