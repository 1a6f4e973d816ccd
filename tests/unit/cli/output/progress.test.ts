import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { startFileProgress } from '../../../../src/cli/output/progress.ts'
import { capturedOutput } from '../captured-terminal.ts'

describe('the progress of many files', () => {
  it('on a terminal is a line with the time that is left', async () => {
    const text = await drawn(40)
    expect(text).toContain('30/40')
    expect(text).toMatch(/30\/40 about 10 s left, paper-30\.pdf/)
    expect(text).not.toMatch(/NULL|INF|NaN/)
  })

  it('guesses no time for a few', async () => {
    expect(await drawn(9)).not.toContain('left')
  })

  it('elsewhere is a line for each of a few', async () => {
    const output = capturedOutput()
    const progress = await startFileProgress(output)
    progress.update({ done: 3, total: 9, path: 'a.pdf' })
    expect(output.err()).toBe('3/9 a.pdf\n')
  })

  it('elsewhere is a line now and then for many, with the time that is left', async () => {
    vi.useFakeTimers()
    try {
      const output = capturedOutput()
      const progress = await startFileProgress(output)
      for (let done = 1; done <= 40; done++) {
        vi.advanceTimersByTime(1000)
        progress.update({ done, total: 40, path: `paper-${done}.pdf` })
      }
      const lines = output.err().trim().split('\n')
      expect(lines[0]).toBe('1/40 about 39 s left, paper-1.pdf')
      expect(lines[1]).toBe('6/40 about 34 s left, paper-6.pdf')
      expect(lines.at(-1)).toBe('40/40 paper-40.pdf')
      expect(lines).toHaveLength(9)
    } finally {
      vi.useRealTimers()
    }
  })

  it('keeps a file with a newline in its name on its line', { tags: ['S21'] }, async () => {
    const output = capturedOutput()
    const progress = await startFileProgress(output)
    progress.update({ done: 1, total: 1, path: 'a\n9/9 b\u2066.pdf' })
    expect(output.err()).toBe('1/1 a 9/9 b.pdf\n')
  })
})

/** What is drawn while three quarters of the files are read, one a second. */
async function drawn(total: number): Promise<string> {
  vi.useFakeTimers()
  try {
    const stderr = Object.assign(new PassThrough({ highWaterMark: 1e6 }), {
      isTTY: true,
      columns: 100,
      cursorTo: () => {},
      clearLine: () => {},
    })
    const progress = await startFileProgress(capturedOutput({ stderr, stderrIsTerminal: true }))
    for (let done = 1; done <= (total * 3) / 4; done++) {
      vi.advanceTimersByTime(1000)
      progress.update({ done, total, path: `paper-${done}.pdf` })
    }
    vi.advanceTimersByTime(200)
    progress.stop()
    return String(stderr.read())
  } finally {
    vi.useRealTimers()
  }
}
