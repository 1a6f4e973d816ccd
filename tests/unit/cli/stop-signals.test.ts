import { expect, it } from 'vitest'
import { listenForStop } from '../../../src/cli/shared/stop-signals.ts'

it('the first Ctrl-C asks to stop, the second stops at once', { tags: ['L8'] }, () => {
  const told: string[] = []
  const stop = listenForStop({ onFirst: () => told.push('first'), onSecond: () => told.push('second') })
  try {
    expect(stop.signal.aborted).toBe(false)
    stop.interrupt()
    expect([told, stop.signal.aborted]).toEqual([['first'], true])
    stop.interrupt()
    expect(told).toEqual(['first', 'second'])
  } finally {
    stop.dispose()
  }
})

it('signals are given back to Node', () => {
  const before = process.listenerCount('SIGTERM')
  const stop = listenForStop({ onFirst: () => {}, onSecond: () => {} })
  expect(process.listenerCount('SIGTERM')).toBe(before + 1)
  stop.dispose()
  expect(process.listenerCount('SIGTERM')).toBe(before)
})
