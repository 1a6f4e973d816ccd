import { Readable, Writable } from 'node:stream'
import { hiding } from '../../../src/cli/output/hidden-stream.ts'
import type { Input, Output } from '../../../src/cli/output/terminal.ts'
import { redactor } from '../../../src/redact.ts'

/** An output that keeps what is written to it. */
export interface CapturedOutput extends Output {
  readonly out: () => string
  readonly err: () => string
}

export function capturedOutput(overrides: Partial<Output> = {}): CapturedOutput {
  const out = collector()
  const err = collector()
  const hide = redactor([])
  return {
    stdout: hiding(out.stream, hide),
    stderr: hiding(err.stream, hide),
    stdoutAsIs: out.stream,
    hide,
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    colors: false,
    width: 120,
    height: 0,
    out: out.text,
    err: err.text,
    ...overrides,
  }
}

/** An input that holds this text; with `askApproval`, somebody sits before it. */
export function typedInput(text = '', overrides: Partial<Input> = {}): Input {
  return {
    stdin: Readable.from(text ? [text] : []),
    isTerminal: false,
    signal: new AbortController().signal,
    interrupt: () => {},
    onStop: () => {},
    ...overrides,
  }
}

function collector(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: string[] = []
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(String(chunk))
      done()
    },
  })
  return { stream, text: () => chunks.join('') }
}
