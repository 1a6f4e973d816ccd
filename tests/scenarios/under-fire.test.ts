/** @module-tag slow */
import { describe, expect, it } from 'vitest'
import { lockDuringRun } from '../../bench/torture/lock.ts'
import { replayRuns } from '../../bench/torture/replay.ts'
import { crowdThread } from '../../bench/torture/thread.ts'
import { failWrites } from '../../bench/torture/writes.ts'

/** The short forms of `npm run torture -- thread`, `lock`, `writes` and `replay`. */
describe('the built package under fire', { timeout: 1_200_000 }, () => {
  it('many questions on one thread lose no message; the others are refused, or wait and are answered in order', {
    tags: ['F56', 'F57'],
  }, async () => {
    const crowds = await crowdThread({ atOnce: 5, rounds: 4, processes: 2, each: 4, waiting: 5 })
    for (const { name, answered, refused, wrongMessages, refusedButStored, discrepancies, inOrder } of crowds) {
      expect([wrongMessages, refusedButStored, discrepancies, inOrder], name).toEqual([0, 0, 0, true])
      expect(answered.map(({ status }) => status)).toEqual(answered.map(() => 'completed'))
      expect(refused.map(({ code }) => code)).toEqual(refused.map(() => 'thread_busy'))
      if (name.startsWith('whenBusy')) expect(refused, name).toEqual([])
    }
    expect(crowds[0]?.refused.length).toBeGreaterThan(0)
  })

  it('another process that holds the write lock neither stops the event loop nor the run', {
    tags: ['F62'],
  }, async () => {
    const heldMs = 4000
    const { gapMs, outcome, discrepancies } = await lockDuringRun(heldMs)
    expect([outcome, discrepancies]).toEqual(['completed', 0])
    expect(gapMs / heldMs).toBeLessThan(0.5)
  })

  it('wherever a write fails, the run ends with a typed error and is finished once the disk is well again', {
    tags: ['F60'],
  }, async () => {
    const cases = await failWrites({ runs: 8, seed: 4, lanes: 2 })
    expect(cases).toHaveLength(8)
    for (const { where, problems } of cases) expect(problems, where).toEqual([])
  })

  it('finished runs of every kind replay to the same results with the network off, here and elsewhere', {
    tags: ['E5', 'E13'],
  }, async () => {
    const { kinds, different, differentElsewhere } = await replayRuns(13)
    expect(Object.keys(kinds).sort()).toEqual([
      'cancelled',
      'clarification_needed',
      'completed',
      'failed',
      'limit_reached',
    ])
    expect([different, differentElsewhere]).toEqual([[], []])
  })
})
