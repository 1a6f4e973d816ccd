/** @module-tag slow */
import { describe, expect, it } from 'vitest'
import { fleetFindings } from '../../bench/torture/fleet.ts'
import { postgresMissing } from '../fixtures/storage/postgres-server.ts'

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : ''

/** The short form of `npm run torture -- fleet`. */
describe.skipIf(postgresMissing !== null)(`workers under fire${skipped}`, { timeout: 1_200_000 }, () => {
  it('answer every question once and in order, whether they are killed, frozen or cut off', async () => {
    const findings = await fleetFindings({ runs: 4 })
    expect(findings.filter(({ ok }) => !ok)).toEqual([])
  })
})
