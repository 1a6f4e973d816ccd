import { behaviours } from './behaviours.ts'
import { faults, traps } from './faults.ts'

interface Tag {
  readonly name: string
  readonly description: string
}

/**
 * What a test's `tags` may name: the promises it proves, the faults it brings about, and `slow`. Vitest refuses others.
 * `npx vitest run --tags-filter R1` runs the tests of one promise; `npx vitest --list-tags` lists them all.
 */
export const tags: readonly Tag[] = [
  { name: 'slow', description: 'Takes long by nature: run by "npm run test:slow", not by "npm test".' },
  ...behaviours.map(({ id, promise }) => ({ name: id, description: promise })),
  ...Object.entries({ ...faults, ...traps }).map(([name, description]) => ({ name, description })),
]
