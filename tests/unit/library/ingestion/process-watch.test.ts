import { spawn } from 'node:child_process'
import { afterEach, describe, expect, it } from 'vitest'
import { overused, secondsOf, useOf } from '../../../../src/library/ingestion/processes/process-watch.ts'

const end = new AbortController()
afterEach(() => end.abort())

/** The process id of a program. */
function running(program: string): number | undefined {
  const child = spawn(process.execPath, ['-e', program], { signal: end.signal, stdio: ['pipe', 'ignore', 'ignore'] })
  child.on('error', () => {})
  return child.pid
}

describe('a process that is watched', () => {
  it('is told by the time that it computes, not by the time that it waits', async () => {
    const [waiting, computing] = [running('process.stdin.resume()'), running('for (;;);')]
    const most = { megabytes: 4000, workedMs: 1000 }
    const first = [waiting, computing].map(async (pid) => ({ pid, what: await overused(pid, most, end.signal) }))
    await expect(Promise.race(first)).resolves.toEqual({ pid: computing, what: 'workedMs' })
    await expect(overused(waiting, { ...most, megabytes: 1 }, end.signal)).resolves.toBe('megabytes')
    await Promise.allSettled([end.abort(), ...first])
  })

  it('uses nothing where it is gone', async () => {
    await expect(useOf(undefined)).resolves.toBeNull()
    await expect(useOf(2 ** 22 + 1)).resolves.toBeNull()
  })
})

describe('processor time as ps writes it', () => {
  it.each([
    ['0:00.52', 0.52],
    ['03:25', 205],
    ['01:00:01', 3601],
    ['2-01:00:00', 176_400],
  ])('%s', (time, seconds) => {
    expect(secondsOf(time)).toBe(seconds)
  })
})
