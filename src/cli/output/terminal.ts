import { createRequire } from 'node:module'
import type { Readable, Writable } from 'node:stream'
import pc from 'picocolors'
import type { ApprovalAnswer, Citation, RunResult } from '../../index.ts'
import { type Redact, redactAll } from '../../redact.ts'
import { plainText } from './plain-text.ts'

/** The address of a footnote of a run; null for none. */
export type FootnoteLink = (runId: string, citation: Citation) => string | null

/** Where a command writes: the answer to `stdout`, everything else to `stderr`. Credentials are hidden on both. */
export interface Output {
  readonly stdout: Writable
  readonly stderr: Writable
  /** stdout without hiding: for exports, and for text in which credentials are hidden already. */
  readonly stdoutAsIs: Writable
  readonly hide: Redact
  readonly stdoutIsTerminal: boolean
  readonly stderrIsTerminal: boolean
  /** False in pipes and where NO_COLOR is set. */
  readonly colors: boolean
  /** Where footnotes lead, for a stdout that is a terminal with hyperlinks; absent elsewhere. */
  readonly links?: (() => Promise<FootnoteLink>) | undefined
  /** Columns of stdout; infinite in a pipe. */
  readonly width: number
}

/** Where a command reads from, and what tells it to stop. */
export interface Input {
  readonly stdin: Readable
  readonly isTerminal: boolean
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
  /** The same as Ctrl-C, for prompts that read the keys themselves. */
  readonly interrupt: () => void
  /** Sets the message of the first Ctrl-C; null for none. */
  readonly onStop: (notice: () => string | null) => void
  /** Asks a person whether a tool may run; null is "no answer". Absent if nobody can be asked. */
  readonly askApproval?: ((approval: Approval) => Promise<ApprovalAnswer | null>) | undefined
  /** Asks a yes-or-no question; an empty reply is yes. Absent if nobody can be asked. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined
  /** Asks for one of several values, and for a text; null if the person leaves. Absent if nobody can be asked. */
  readonly choose?: ((question: string, choices: readonly Choice[]) => Promise<string | null>) | undefined
  readonly type?: ((question: string) => Promise<string | null>) | undefined
}

export interface Choice {
  readonly value: string
  readonly label: string
}

/** A tool call that waits for a person. */
export type Approval = RunResult['approvals'][number]

/** The output of this process, in which `hide` removes credentials. */
export function processOutput({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>, hide: Redact): Output {
  for (const stream of [stdout, stderr]) giveColumns(stream)
  return {
    stdout: hiding(stdout, hide),
    stderr: hiding(stderr, hide),
    stdoutAsIs: stdout,
    hide,
    stdoutIsTerminal: stdout.isTTY === true,
    stderrIsTerminal: stderr.isTTY === true,
    colors: stdout.isTTY === true && pc.isColorSupported,
    width: stdout.columns || Number.POSITIVE_INFINITY,
  }
}

/** True for a terminal that opens hyperlinks (OSC 8) and shows colours. */
export function opensLinks({ colors }: Output, stdout: NodeJS.WriteStream): boolean {
  // Loaded only for a terminal.
  const load = (): typeof import('supports-hyperlinks') => createRequire(import.meta.url)('supports-hyperlinks')
  return colors && load().supportsHyperlink(stdout)
}

/** A terminal without a size (a bare pseudo-terminal) reports 0 columns; a spinner that divides by them would never end. */
function giveColumns(stream: NodeJS.WriteStream): void {
  if (stream.isTTY === true && !(stream.columns > 0)) stream.columns = 80
}

/** The same stream, with credentials hidden in everything that is written. */
export function hiding<S extends Writable>(stream: S, hide: Redact): S {
  const clean = (chunk: unknown) => {
    if (typeof chunk === 'string') return hide(chunk)
    return chunk instanceof Uint8Array ? hide(Buffer.from(chunk).toString()) : chunk
  }
  let write = (chunk: unknown, ...rest: [BufferEncoding]): boolean => stream.write(clean(chunk), ...rest)
  return new Proxy(stream, {
    get(target, name) {
      if (name === 'write') return write
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
    set(target, name, value) {
      if (name !== 'write') return Reflect.set(target, name, value, target)
      // A spinner replaces `write` for a while by its own, which calls this one: the stream itself stays unchanged.
      write = value
      return true
    },
  })
}

/** Text on stdout, without control sequences. */
export function print(output: Output, text: string): void {
  output.stdout.write(`${plainText(text)}\n`)
}

/** One object on stdout. Credentials are hidden in its values: hiding them in the JSON text could remove quotes too. */
export function printJson({ stdoutAsIs, hide }: Output, value: unknown): void {
  stdoutAsIs.write(`${toJson(redactAll(value, hide), 2)}\n`)
}

/** One object on one line. */
export function printJsonLine({ stdoutAsIs, hide }: Output, value: unknown): void {
  stdoutAsIs.write(`${toJson(redactAll(value, hide))}\n`)
}

/** A line for the person, on stderr. */
export function tell(output: Output, text: string): void {
  output.stderr.write(`${plainText(text)}\n`)
}

// JSON allows C1 control characters and direction controls, which some terminals obey.
function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
