import { describe, expect, it } from 'vitest'
import { processOutput } from '../../../../src/cli/output/terminal.ts'

describe('the output of a process', () => {
  it('is drawn on where it is a terminal with columns', () => {
    expect(outputWith({ isTTY: true, columns: 100 })).toMatchObject({ stdoutIsTerminal: true, width: 100 })
  })

  it('is a terminal of 80 columns where it does not say how many it has, for all who draw on it', () => {
    const stream = { isTTY: true, columns: 0, rows: 0 }
    expect(outputWith(stream)).toMatchObject({ stdoutIsTerminal: true, stderrIsTerminal: true, width: 80 })
    expect(stream.columns).toBe(80)
  })

  it('is plain text without bounds in a pipe', () => {
    expect(outputWith({})).toMatchObject({
      stdoutIsTerminal: false,
      stderrIsTerminal: false,
      colors: false,
      width: Number.POSITIVE_INFINITY,
    })
  })
})

function outputWith(stream: { readonly isTTY?: boolean; readonly columns?: number }) {
  // Of a stream, only what tells a terminal from a pipe is looked at.
  return processOutput({ stdout: stream, stderr: stream } as unknown as NodeJS.Process, (text) => text)
}
