import { z } from 'zod'
import type { Event, EventType, Payloads, StreamEvent, Subscriber, Usage } from '../events/index.ts'
import { callable, checkOptions, type Shape } from '../options.ts'
import { harmless, harmlessLine, hiddenText, inOneLine } from './log-text.ts'
import { OpenSpans } from './open-spans.ts'

export interface ConsoleLogOptions {
  /** Receives each line without its newline; stderr if absent. */
  readonly write?: (line: string) => void
}

const consoleLogOptions = z.strictObject({ write: callable.optional() } satisfies Shape<ConsoleLogOptions>)

/** Prints events live, as lines of the text log: `subscribers: [consoleLog()]`. Throws `UsageError`. */
export function consoleLog(options: ConsoleLogOptions = {}): Subscriber {
  checkOptions('consoleLog: the options', consoleLogOptions, options)
  const { write = (line) => void process.stderr.write(`${line}\n`) } = options
  const lineOf = logLines()
  return (event: StreamEvent) => {
    if (event.type === 'status.changed' || event.type === 'message.delta') return
    const line = lineOf(event)
    if (line !== null) write(hiddenText(line))
  }
}

/**
 * Each event of a log, one after the other, as a line for people, with its time and agent; null for events that are not
 * shown. The further lines of a text are indented, so that none is taken for an event.
 */
export function logLines(): (event: Event) => string | null {
  const spans = new OpenSpans<Event>((started) => started)
  return (event) => {
    const text = describe(event, { event, started: spans.receive(event) })
    return text ? `${event.timestamp} ${event.agent ? `${event.agent}: ` : ''}${text}` : null
  }
}

interface About {
  readonly event: Event
  /** The event that started the span to which this one belongs. */
  readonly started: Event | undefined
}

function describe<T extends EventType>({ type, payload }: Event<T>, about: About): string | null {
  return descriptions[type]?.(payload, about) ?? null
}

const descriptions: { readonly [T in EventType]?: (payload: Payloads[T], about: About) => string | null } = {
  'bootstrap.failed': ({ message }, { started }) => `start failed${stepOf(started)}: ${harmlessLine(message)}`,
  'ingest.completed': ({ pages, status }, { started }) =>
    `${sourceOf(started)}: ${status}, ${pages} ${pages === 1 ? 'page' : 'pages'}`,
  'ingest.failed': ({ message }, { started }) => `${sourceOf(started)} could not be read: ${harmlessLine(message)}`,
  'run.created': ({ question, afterReset }) => `${afterReset ? 'a new conversation; ' : ''}asked:${block(question)}`,
  'run.started': ({ attempt, model }) => (attempt > 1 ? `resumed, attempt ${attempt}, with ${model}` : null),
  'model.completed': ({ usage, toolCalls }, about) => {
    const names = toolCalls.map(({ name }) => name).join(', ')
    return `model ${modelOf(about)}${lasted(about)}, ${spent(usage)}${names && `, asks for ${harmlessLine(names)}`}`
  },
  'model.failed': ({ code, message }, about) =>
    `model ${modelOf(about)}${lasted(about)} failed (${code}): ${harmlessLine(message)}`,
  'model.retried': ({ message, attempt, of }) => `model is asked again (${attempt}/${of}): ${harmlessLine(message)}`,
  'model.trimmed': ({ message }) => `model is asked again with less: ${harmlessLine(message)}`,
  'tool.completed': ({ status, errorCode }, about) =>
    `tool ${callOf(about)}${lasted(about)}, ${status}${errorCode ? ` (${errorCode})` : ''}`,
  'tool.failed': ({ code, message }, about) =>
    `tool ${callOf(about)}${lasted(about)}, failed (${code}): ${harmlessLine(message)}`,
  'approval.requested': ({ approvals }) =>
    `waits for approval: ${approvals.map(({ name, args }) => call(name, args)).join('; ')}`,
  'approval.resolved': ({ approvalId, approved, reason }) =>
    `${approved ? 'approved' : 'refused'} ${harmlessLine(approvalId)}${reason ? `: ${harmlessLine(reason)}` : ''}`,
  'message.completed': ({ role, scope, text }) =>
    role === 'assistant' && scope === 'thread' ? `said:${block(text)}` : null,
  notice: ({ message }) => `notice: ${harmlessLine(message)}`,
  'cancel.requested': ({ by }) => `cancel requested by ${harmlessLine(by)}`,
  'run.completed': ({ stopReason, ending }) =>
    ending ? `${stopReason}: ${ending.limit} ${ending.value}` : stopReason === 'answered' ? 'completed' : stopReason,
  'run.failed': ({ code, message }) => `failed (${code}): ${harmlessLine(message)}`,
  'run.interrupted': ({ reason }) => endOfAttempt[reason],
}

const endOfAttempt = {
  approval: 'waits for the approval',
  cancelled: 'cancelled',
  shutdown: 'stopped; it can be resumed',
  crashed: 'ended by a crash; it can be resumed',
} as const

/** One line stays after the colon; several get lines of their own. */
function block(text: string): string {
  const lines = harmless(text).split(/[\n\u2028\u2029]/)
  return lines.length === 1 ? ` ${lines[0]}` : `\n${lines.map((line) => `    ${line}`).join('\n')}`
}

function lasted({ event, started }: About): string {
  return started ? ` ${Date.parse(event.timestamp) - Date.parse(started.timestamp)} ms` : ''
}

function spent({ inputTokens, outputTokens, costUsd }: Usage): string {
  const tokens = `${inputTokens ?? '?'} + ${outputTokens ?? '?'} tokens`
  return `${tokens}, cost ${costUsd === null ? 'unknown' : `$${costUsd}`}`
}

function modelOf({ started }: About): string {
  return started?.type === 'model.started' ? harmlessLine(started.payload.model) : '?'
}

function callOf({ started }: About): string {
  return started?.type === 'tool.started' ? call(started.payload.tool, started.payload.args) : '?'
}

function call(name: string, args: unknown): string {
  return `${harmlessLine(name)} ${inOneLine(args)}`
}

function sourceOf(started: Event | undefined): string {
  return started?.type === 'ingest.started' ? harmlessLine(started.payload.source) : 'a file'
}

function stepOf(started: Event | undefined): string {
  return started?.type === 'bootstrap.started' ? ` at ${started.payload.step}` : ''
}
