/** @module-tag slow */
import { describe, expect, it } from 'vitest'
import { claimsFindings } from '../../bench/torture/claims.ts'
import { type KillOptions, killRuns } from '../../bench/torture/kill.ts'

/** Kills processes with -9, and expects that nothing was lost, doubled, repeated, or shown as what it is not. */
async function survives(options: KillOptions): Promise<void> {
  const { cases, violations } = await killRuns({ lanes: 2, ...options })
  expect(cases).toHaveLength(options.runs)
  // Calls that run side by side may come in another order than before, so that a few points are never reached.
  expect(cases.filter(({ aftermath }) => aftermath.wasKilled).length).toBeGreaterThan(options.runs / 2)
  for (const { zero, found } of violations) expect(found, zero).toEqual([])
}

/** The short form of `npm run torture -- kill`. */
describe('a process that is killed', { timeout: 1_200_000 }, () => {
  it(
    'anywhere loses no question and no message, and is resumed to its end with no finished call repeated',
    { tags: ['Q6', 'E10', 'TRAP9', 'F50', 'F51', 'F54'] },
    () => survives({ runs: 30, seed: 20 }),
  )

  it('between the results of a step and its checkpoint is not shown as finished', { tags: ['F52'] }, () =>
    survives({ runs: 5, seed: 1, at: /^before INSERT checkpoints/ }),
  )

  it('in its tools leaves a thread on which a new question is answered, and then the old one', { tags: ['F53'] }, () =>
    survives({ runs: 5, seed: 1, at: /tool|during the reply/, first: 'question' }),
  )

  it('while it fills a table leaves cells that are not paid again, and have the same quotes', {
    tags: ['Q18', 'Q6'],
  }, async () => {
    const findings = await claimsFindings('table', { runs: 4, seed: 1 })
    expect(findings.filter(({ ok }) => !ok)).toEqual([])
  })

  it('while it writes a report leaves sections that are not paid again, and say the same', {
    tags: ['Q6'],
  }, async () => {
    const findings = await claimsFindings('report', { runs: 4, seed: 1 })
    expect(findings.filter(({ ok }) => !ok)).toEqual([])
  })
})
