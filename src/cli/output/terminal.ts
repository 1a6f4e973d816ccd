import type { Readable, Writable } from 'node:stream'
import pc from 'picocolors'
import type { ApprovalAnswer, RunResult } from '../../index.ts'
import { type Redact, redactAll } from '../../redact.ts'
import { hiding } from './hidden-stream.ts'
import { plainText } from './plain-text.ts'

/** Where a command writes: the answer to `stdout`, everything else to `stderr`. Neither shows a credential. */
export interface Output {
  readonly stdout: Writable
  readonly stderr: Writable
  /** stdout for what is written as it is: exports, and what has been looked at before. */
  readonly stdoutAsIs: Writable
  /** Takes credentials out of a text. */
  readonly hide: Redact
  readonly stdoutIsTerminal: boolean
  readonly stderrIsTerminal: boolean
  /** False in pipes and where NO_COLOR is set. */
  readonly colors: boolean
  /** Columns of stdout; in a pipe there is no bound. */
  readonly width: number
  /** Rows of stdout; 0 where nothing can be taken back. */
  readonly height: number
}

/** Where a command reads from, and what tells it to stop. */
export interface Input {
  readonly stdin: Readable
  readonly isTerminal: boolean
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
  /** Does what Ctrl-C does, for prompts that read the keys themselves. */
  readonly interrupt: () => void
  /** Sets what the first Ctrl-C says to the person; null for nothing. */
  readonly onStop: (notice: () => string | null) => void
  /** Asks a person whether a tool may run; null is "no answer". Absent where nobody can be asked. */
  readonly askApproval?: ((approval: Approval) => Promise<ApprovalAnswer | null>) | undefined
  /** Asks a person something to say yes or no to; yes, if they just go on. Absent where nobody can be asked. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined
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
    height: stdout.isTTY === true ? stdout.rows : 0,
  }
}

/**
 * A terminal that nobody gave a size (a bare pseudo-terminal) says that it has no columns. It is given them here, because
 * a spinner that divides by them would never end.
 */
function giveColumns(stream: NodeJS.WriteStream): void {
  if (stream.isTTY === true && !(stream.columns > 0)) stream.columns = usualColumns
}

const usualColumns = 80

/** Text on stdout, without anything that a terminal would obey. */
export function print(output: Output, text: string): void {
  output.stdout.write(`${plainText(text)}\n`)
}

/** One object, and nothing else, on stdout. Credentials are hidden in its values: in its text, quotes might go with them. */
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

// JSON may hold C1 control characters as they are, and some terminals obey them; direction controls likewise.
function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
