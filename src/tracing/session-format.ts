import type { Event } from '../events/index.ts'
import { harmlessLine } from './harmless.ts'
import { logLine } from './log-line.ts'
import { type SessionTurn, settledPart } from './session-turn.ts'
import { inOneLine, type Plain, yamlOf } from './yaml-text.ts'

/** One way to write a thread's session log down: a head, then one entry a turn, so that a turn is added at the end. */
export interface SessionFormat {
  readonly name: 'text' | 'yaml'
  /** Of the file, without a dot. */
  readonly extension: string
  readonly head: (threadId: string, first: SessionTurn) => string
  /** Begins with a line that `readMark` reads, and ends with a new line. */
  readonly entry: (turn: SessionTurn, log: readonly Event[]) => string
  /** With what every entry begins, and no other line. */
  readonly marker: string
  /** True if this much of a file ends with a whole entry. */
  readonly isWhole: (lastEntry: string) => boolean
  /**
   * The byte that makes an entry count, which is written last: what stands there until then, and where. So a process
   * that is killed in the middle leaves a file that can be read.
   */
  readonly seal?: { readonly open: string; readonly at: number }
}

/** Which turn an entry is, from its first line; null for none. */
export function readMark(line: string): { readonly turn: number; readonly runId: string } | null {
  const [, turn, runId] = /^(?:- .{2}#|===) turn (\d+), run ([\w-]+)/.exec(line) ?? []
  return turn && runId ? { turn: Number(turn), runId } : null
}

/** For people: one line for each thing that happened, with its time. */
export const textFormat: SessionFormat = {
  name: 'text',
  extension: 'log',
  marker: '=== ',
  head: (threadId) => `Session log of thread ${threadId}\n\n`,
  entry: (turn, log) => {
    const settled = settledPart(log)
    const byId = new Map(settled.map((event) => [event.id, event]))
    const lines = settled.flatMap((event) => logLine(event, (id) => byId.get(id)) ?? [])
    return [`=== ${mark(turn)}, ${harmlessLine(turn.model)}`, ...lines, totals(turn), '', ''].join('\n')
  },
  // No line of an entry is empty: texts are indented.
  isWhole: (entry) => entry.endsWith('\n\n'),
}

/** For programs: one document, `{ agent, thread, model, started, turns: […] }`. */
export const yamlFormat: SessionFormat = {
  name: 'yaml',
  extension: 'yaml',
  marker: '- ',
  head: (threadId, { model, started }) => `${yamlOf({ agent: 'quaero', thread: threadId, model, started })}turns:\n`,
  entry: (turn) => `-   # ${mark(turn)}\n${yamlOf(plainTurn(turn), 2)}`,
  isWhole: (entry) => entry.startsWith('-   #'),
  // Below "- |" everything that is indented is one text, wherever it breaks off; without the bar it is the turn.
  seal: { open: '|', at: 2 },
}

export const sessionFormats = { text: textFormat, yaml: yamlFormat } as const

function mark({ turn, runId }: SessionTurn): string {
  return `turn ${turn}, run ${runId}`
}

function totals({ status, durationMs, modelCalls, toolsCalled, tokens, cost }: SessionTurn): string {
  const calls = `${pluralOf(modelCalls, 'model call')}, ${pluralOf(toolsCalled.length, 'tool call')}`
  const used = `${tokens.input ?? '?'} + ${tokens.output ?? '?'} tokens, cost ${cost === null ? 'unknown' : `$${cost}`}`
  return `${status}: ${durationMs} ms at work, ${calls}, ${used}`
}

function pluralOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function plainTurn(turn: SessionTurn): { readonly [key: string]: Plain } {
  const { afresh, copiedFrom, toolsCalled, approvals, citations, messages, error, limit, tokens, ...rest } = turn
  const { result, confidence, ...before } = rest
  return {
    ...before,
    ...(afresh && { afresh }),
    ...(copiedFrom && { copiedFrom: { ...copiedFrom } }),
    tokens: { ...tokens },
    toolsCalled: toolsCalled.map(({ name, args, ...call }) => ({ name, args: plainArgs(args), ...call })),
    ...(approvals.length > 0 && {
      approvals: approvals.map(({ tool, args, ...each }) => ({ tool, args: plainArgs(args), ...each })),
    }),
    result,
    confidence,
    citations: citations.map((each) => ({ ...each })),
    ...(limit && { limit: { ...limit } }),
    ...(error && { error: { ...error } }),
    messages: messages.map(({ role, agent, scope, text, toolCalls }) => ({
      role,
      ...(agent && { agent }),
      scope,
      ...(toolCalls.length > 0 && { toolCalls: [...toolCalls] }),
      text,
    })),
  }
}

/** Arguments came from a model as JSON, so they are plain data. */
function plainArgs(args: Readonly<Record<string, unknown>>): Plain {
  return JSON.parse(inOneLine(args)) as Plain
}
