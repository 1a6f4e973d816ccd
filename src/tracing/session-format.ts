import { logLines } from './console-log.ts'
import { harmlessLine, yamlOf } from './log-text.ts'
import type { SessionTurn } from './session-turn.ts'

/** A format of session logs: a head, then one entry per turn, so that a turn can be added at the end. */
export interface SessionFormat {
  readonly extension: string
  readonly head: (threadId: string, first: SessionTurn) => string
  /** Begins with a line for `readMark`, and ends with a newline. */
  readonly entry: (turn: SessionTurn) => string
  /** The beginning of every entry, and of no other line. */
  readonly marker: string
  /** True if the last entry is complete. */
  readonly isWhole: (lastEntry: string) => boolean
  /**
   * The byte that is written last and completes an entry: what is there before, and where. A process that is killed while
   * it writes leaves a readable file.
   */
  readonly seal?: { readonly open: string; readonly at: number }
}

/** The turn and run of an entry, from its first line; null for another line. */
export function readMark(line: string): { readonly turn: number; readonly runId: string } | null {
  const [, turn, runId] = /^(?:- .{2}#|===) turn (\d+), run ([\w-]+)/.exec(line) ?? []
  return turn && runId ? { turn: Number(turn), runId } : null
}

/** For people: one line per event, with its time. */
export const textFormat: SessionFormat = {
  extension: 'log',
  marker: '=== ',
  head: (threadId) => `Session log of thread ${threadId}\n\n`,
  entry: (turn) => {
    const lineOf = logLines()
    const lines = turn.events.flatMap((event) => lineOf(event) ?? [])
    return [`=== ${mark(turn)}, ${harmlessLine(turn.record.model)}`, ...lines, totals(turn), '', ''].join('\n')
  },
  // No line of an entry is empty: texts are indented.
  isWhole: (entry) => entry.endsWith('\n\n'),
}

/** For programs: one document, `{ agent, thread, model, started, turns: […] }`. */
export const yamlFormat: SessionFormat = {
  extension: 'yaml',
  marker: '- ',
  head: (threadId, { record: { model, started } }) =>
    `${yamlOf({ agent: 'quaero', thread: threadId, model, started })}turns:\n`,
  entry: (turn) => `-   # ${mark(turn)}\n${yamlOf(turn.record, 2)}`,
  isWhole: (entry) => entry.startsWith('-   #'),
  // Below "- |" all indented lines are one text, complete or not; without the bar they are the turn.
  seal: { open: '|', at: 2 },
}

export const sessionFormats = { text: textFormat, yaml: yamlFormat } as const

function mark({ record: { turn, runId } }: SessionTurn): string {
  return `turn ${turn}, run ${runId}`
}

function totals({ record }: SessionTurn): string {
  const { status, durationMs, modelCalls, toolsCalled, tokens, cost } = record
  const calls = `${pluralOf(modelCalls, 'model call')}, ${pluralOf(toolsCalled.length, 'tool call')}`
  const used = `${tokens.input ?? '?'} + ${tokens.output ?? '?'} tokens, cost ${cost === null ? 'unknown' : `$${cost}`}`
  return `${status}: ${durationMs} ms at work, ${calls}, ${used}`
}

function pluralOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
