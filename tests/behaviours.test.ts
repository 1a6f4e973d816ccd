import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { behaviours, owed } from './behaviours.ts'
import { traps } from './faults.ts'

const tests = readdirSync('tests', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => readFileSync(join('tests', name), 'utf8'))
  .join('\n')

/** All that tests name in `{ tags: ['R1', …] }`; `tests/tags.ts` says what each stands for. */
const named = new Set([...tests.matchAll(/\btags: \[([^\]]*)\]/g)].flatMap(([, list = '']) => list.match(/\w+/g) ?? []))

const due = behaviours.filter(({ since }) => owed.includes(since))

it.each(due)('a test is tagged with $id: $promise', ({ id }) => {
  expect(named).toContain(id)
})

it.each(Object.entries(traps))('a test is tagged with %s: %s', (name) => {
  expect(named).toContain(name)
})

it('lists each number once', () => {
  const ids = behaviours.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

it('titles of tests hold no numbers of promises, which are tags', () => {
  expect(tests.match(/\(\s*['"`](?:[EFHLQRSTU]\d{1,2}|TRAP \d+\w?)[:,] .*/g)).toBeNull()
})
