import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { behaviours, owed } from './behaviours.ts'

const titles = readdirSync('tests', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && name !== 'behaviours.test.ts')
  .map((name) => readFileSync(join('tests', name), 'utf8'))
  .join('\n')

const due = behaviours.filter(({ since }) => owed.includes(since))

it.each(due)('$id is named by at least one test: $promise', ({ id }) => {
  expect(titles).toMatch(new RegExp(`(it|describe)[^\\n]*\\(\\s*['"\`][^\\n]*\\b${id}\\b`))
})

it('lists each number once', () => {
  const ids = behaviours.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})
