import { describe, expect, it } from 'vitest'
import { killRuns } from '../../bench/torture/kill.ts'

/** The short form of `npm run torture -- kill`: a different spread of points would do as well. */
const runs = 30

describe('a process that is killed anywhere', () => {
  it('Q6, E10, F50, F51, F52, F53, F54: loses no question and no message, repeats no finished call, and is resumed to its end', {
    timeout: 600_000,
  }, async () => {
    const { cases, violations } = await killRuns({ runs, seed: 20, lanes: 2 })
    expect(cases.filter(({ aftermath }) => aftermath.wasKilled).length).toBeGreaterThan(runs / 2)
    for (const { zero, found } of violations) expect(found, zero).toEqual([])
  })
})
