import { Readable, Writable } from 'node:stream'
import type { CommandModule, CommonFlags, Workplace } from '../../../src/cli/command/command.ts'
import { hiding, type Input, type Output } from '../../../src/cli/output/terminal.ts'
import { loadConfig, type Quaero } from '../../../src/index.ts'
import { redactor } from '../../../src/redact.ts'

/** The flags of a command, its own and the common ones. */
export type FlagsOf<Command> = Command extends CommandModule<infer Flags> ? Flags & CommonFlags : never

/** Runs a command as the command line does, with this engine. */
export async function runWith<Flags extends object>(
  command: CommandModule<Flags>,
  engine: Quaero | Partial<Pick<Workplace, 'open' | 'reopen' | 'config'>>,
  input: Input,
  output: Output,
  flags: Flags & CommonFlags,
): Promise<number> {
  const config = () => loadConfig({ env: {} })
  const place = 'open' in engine || 'config' in engine ? engine : { open: async () => engine as Quaero }
  const none = () => Promise.reject(new Error('no engine'))
  return command.run({ open: none, reopen: none, config, ...place, input, output }, flags)
}

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
