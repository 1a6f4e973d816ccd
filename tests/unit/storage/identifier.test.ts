import { expect, it } from 'vitest'
import { checkIdentifier } from '../../../src/storage/identifier.ts'

it.each(['a', 'A_b-9', 'x'.repeat(128)])('lets an id through: %s', (id) => {
  expect(checkIdentifier('thread', id)).toBe(id)
})

it('what is refused is named as a whole or not at all: a part of a credential is not known for one', {
  tags: ['T10'],
}, () => {
  const key = `Quince/${'x'.repeat(60)}=`
  expect(() => checkIdentifier('run', key)).toThrow(`${JSON.stringify(key)} cannot be a run id. `)
  expect(() => checkIdentifier('run', 'x'.repeat(200))).toThrow('A text of 200 characters cannot be a run id. ')
  expect(() => checkIdentifier('thread', ['a'])).toThrow('A value of type array cannot be a thread id. ')
})
