import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { NewsOfRuns } from '../../../../src/runs/follow/news-of-runs.ts'

/** A storage that counts how often it is asked, and tells of news where it can. */
function counted({ tells }: { readonly tells: boolean }) {
  const asked = { version: 0, marks: 0 }
  const watched = new Map<string, Set<() => void>>()
  let version = 1
  const marks = new Map<string, string>()
  const watch = (runId: string, wake: () => void) => {
    const wakes = watched.get(runId) ?? new Set()
    watched.set(runId, wakes.add(wake))
    return () => {
      wakes.delete(wake)
      if (wakes.size === 0) watched.delete(runId)
    }
  }
  return {
    asked,
    watched,
    news: new NewsOfRuns({
      events: {
        version: async () => {
          asked.version += 1
          return version
        },
      },
      marks: async (runIds) => {
        asked.marks += 1
        return new Map(runIds.map((runId) => [runId, marks.get(runId) ?? '']))
      },
      ...(tells && { live: { watch } }),
    }),
    store(runId: string) {
      version += 1
      marks.set(runId, String(version))
    },
  }
}

/** Followers that wait until they leave; how often each was told. */
function following(news: NewsOfRuns, count: number, { needsLook = true } = {}) {
  const told = Array.from({ length: count }, () => 0)
  const all = told.map((_, index) =>
    news.of({
      runId: `run-${index}`,
      needsLook: () => needsLook,
      tell: () => {
        told[index] = (told[index] ?? 0) + 1
      },
      fail: () => {},
    }),
  )
  for (const each of all) each.look()
  return {
    told,
    leave: () => {
      for (const each of all) each.close()
    },
  }
}

describe('followers of runs at rest', { tags: ['Q17'] }, () => {
  beforeEach(() => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
  })

  it.each([{ tells: false }, { tells: true }])(
    'cost as little when they are 500 as when it is one: %j',
    async (options) => {
      const costs = []
      for (const count of [1, 500]) {
        const { news, asked } = counted(options)
        const { leave } = following(news, count)
        await vi.advanceTimersByTimeAsync(60_000)
        leave()
        costs.push({ ...asked })
      }
      expect(costs[1]).toEqual(costs[0])
    },
  )

  it('leave nothing behind, neither a timer nor a watch', async () => {
    const { news, asked, watched } = counted({ tells: true })
    const { leave } = following(news, 500)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(watched.size).toBe(500)
    leave()
    const before = { ...asked }
    await vi.advanceTimersByTimeAsync(60_000)
    expect([asked, watched.size, vi.getTimerCount()]).toEqual([before, 0, 0])
  })

  it('are woken each by its own run: told at once, or by a look at the storage', async () => {
    for (const tells of [true, false]) {
      const { news, store, watched } = counted({ tells })
      const { told, leave } = following(news, 3)
      // Whatever was stored before the first look may have been missed.
      await vi.advanceTimersByTimeAsync(12_000)
      const before = [...told]
      store('run-1')
      for (const wake of watched.get('run-1') ?? []) wake()
      await vi.advanceTimersByTimeAsync(tells ? 0 : 50)
      expect(told).toEqual([before[0], (before[1] ?? 0) + 1, before[2]])
      leave()
    }
  })

  it('do not look at the storage while signals come', async () => {
    const { news, asked } = counted({ tells: false })
    const { leave } = following(news, 3, { needsLook: false })
    await vi.advanceTimersByTimeAsync(60_000)
    leave()
    expect(asked).toEqual({ version: 0, marks: 0 })
  })

  it('are told what is wrong with the storage', async () => {
    const broken = new NewsOfRuns({
      events: { version: () => Promise.reject(new Error('away')) },
      marks: async () => new Map(),
    })
    const failures: unknown[] = []
    const own = broken.of({ runId: 'r1', tell() {}, fail: (error) => failures.push(error) })
    own.look()
    await vi.advanceTimersByTimeAsync(50)
    own.close()
    expect(failures).toEqual([new Error('away')])
    expect(vi.getTimerCount()).toBe(0)
  })
})
