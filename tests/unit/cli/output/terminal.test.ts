import { describe, expect, it } from 'vitest'
import { processOutput } from '../../../../src/cli/output/terminal.ts'

describe('the output of a process', () => {
  it('is drawn on where it is a terminal with columns', () => {
    expect(outputWith({ isTTY: true, columns: 100 })).toMatchObject({ stdoutIsTerminal: true, width: 100 })
  })

  it.each([
    ['a pipe', {}],
    ['a terminal without a size, on which a spinner would never end', { isTTY: true, columns: 0 }],
  ])('is plain text without bounds in %s', (_, stream) => {
    expect(outputWith(stream)).toMatchObject({
      stdoutIsTerminal: false,
      stderrIsTerminal: false,
      colors: false,
      width: Number.POSITIVE_INFINITY,
    })
  })
})

function outputWith(stream: { readonly isTTY?: boolean; readonly columns?: number }) {
  // Of a stream, only what tells a terminal from a pipe is looked at.
  return processOutput({ stdout: stream, stderr: stream } as unknown as NodeJS.Process)
}
