import { setTimeout as sleep } from 'node:timers/promises'
import { type AIMessageChunk, HumanMessage } from '@langchain/core/messages'
import { asError, QuaeroError } from '../../errors.ts'
import {
  EndpointTimeout,
  KeyRejected,
  ModelError,
  ModelNotFound,
  QuotaExhausted,
  UsageRefused,
} from '../port/errors.ts'
import type { ChatModel } from '../port/model.ts'
import { type RetryBudget, type Tries, triesWithin } from '../port/retries.ts'
import { openStream, usageIn } from '../port/stream.ts'
import type { EndpointFinding } from './check-endpoint.ts'

/** A model to try out, and how its endpoint may be tried. */
export interface Probed {
  readonly chat: ChatModel
  readonly host: string
  readonly signal: AbortSignal
  /** How failures that may pass are tried again, and how long the first byte of each answer may take. */
  readonly budget: RetryBudget
  /** How the endpoint said, in its last answer, that it comes; null before the first. */
  readonly contentType: () => string | null
}

/** What one question has shown. */
export interface ProbeResult {
  readonly finding: EndpointFinding
  readonly usage: { readonly input: number; readonly output: number } | null
  /** How many were sent. */
  readonly requests: number
  /** The error's code, where the endpoint gives no answers at all, whatever it is asked. */
  readonly fatal: string | null
}

/** One word, streamed: is there an answer, and does it come piece by piece? */
export function probeStreaming(probed: Probed): Promise<ProbeResult> {
  const { host, contentType } = probed
  return probe('streaming', probed, { text: 'Reply with the one word "ready".' }, (_, firstMs) => {
    if (contentType() === 'text/event-stream') return fine(`first words after ${Math.round(firstMs)} ms`)
    return warning(
      `${host} sends its answer in one piece (${contentType() ?? 'of no stated type'}), not as a stream. ` +
        'Answers work; their words are shown only when all are there',
    )
  })
}

const schema = {
  type: 'object',
  properties: { state: { type: 'string' } },
  required: ['state'],
  additionalProperties: false,
}
const tool = {
  type: 'function',
  function: { name: 'report_state', description: 'Reports a state.', parameters: schema },
}

/** One tool, and the order to call it. */
export function probeTools(probed: Probed): Promise<ProbeResult> {
  const { host } = probed
  return probe(
    'tool calling',
    probed,
    { text: 'Call the tool report_state with the state "ready".', tools: [tool] },
    (reply) => {
      const [call] = reply.tool_calls ?? []
      if (call?.name === tool.function.name) return fine('a tool was called as asked')
      const did = reply.invalid_tool_calls?.length ? 'with arguments that cannot be read' : 'in prose'
      return warning(
        `The model at ${host} was told to call a tool, and answered ${did}. Research then searches for the question as ` +
          'it stands. Choose a model that calls tools, or switch them on in the server (vLLM: --enable-auto-tool-choice)',
      )
    },
  )
}

/** A JSON object, by a schema, as the orchestrator asks for its decision. */
export function probeStructuredOutput(probed: Probed): Promise<ProbeResult> {
  const { host } = probed
  const response_format = { type: 'json_schema', json_schema: { name: 'state', schema, strict: true } }
  const text = 'Answer with the JSON object {"state": "ready"} and nothing else.'
  return probe('structured output', probed, { text, response_format }, ({ text }) => {
    if (isState(text)) return fine('the answer fits the schema')
    return warning(
      `The model at ${host} was given a schema, and answered with something else. A decision that cannot be read is ` +
        'asked for once more; then the question is researched as it is',
    )
  })
}

/** A word that takes longer is no answer, however steadily it trickles. */
const longestMs = 60_000

type Judged = Pick<EndpointFinding, 'ok' | 'warning' | 'message'>

interface Question {
  readonly text: string
  readonly tools?: readonly object[]
  readonly response_format?: object
}

type Judge = (reply: AIMessageChunk, firstMs: number) => Judged

async function probe(name: string, probed: Probed, question: Question, judge: Judge): Promise<ProbeResult> {
  const tries = triesWithin(probed.budget)
  const met: string[] = []
  for (let requests = 1; ; requests += 1) {
    const { reply, firstMs, error, isFinal } = await ask(question, probed, tries.leftMs())
    if (reply) {
      const finding = { name, ...withWhatWasMet(judge(reply, firstMs), met) }
      return { finding, usage: usageOf(reply), requests, fatal: null }
    }
    const again = isFinal ? undefined : await anotherTry(error, tries, probed.signal)
    if (again === undefined) return { ...failed(name, error, probed.host), requests }
    met.push(again)
  }
}

interface Asked {
  readonly firstMs: number
  readonly reply?: AIMessageChunk
  readonly error?: unknown
  /** True where asking again would take as long again. */
  readonly isFinal?: boolean
}

/** One request: its answer, and after how long it began; or what it failed of. */
async function ask(
  { text, tools = [], ...others }: Question,
  { chat, host, signal, budget }: Probed,
  beginWithinMs = budget.budgetMs,
): Promise<Asked> {
  const began = performance.now()
  const late = AbortSignal.timeout(longestMs)
  let firstMs: number | undefined
  let reply: AIMessageChunk | undefined
  try {
    const options = { ...others, tools, signal: AbortSignal.any([signal, late]), beginWithinMs }
    for await (const piece of await openStream(chat.model, [new HumanMessage(text)], options)) {
      firstMs ??= performance.now() - began
      reply = reply ? reply.concat(piece) : piece
    }
    return { firstMs: firstMs ?? 0, ...(reply ? { reply } : { error: new Error('an answer without a word') }) }
  } catch (error) {
    signal.throwIfAborted()
    if (!late.aborted) return { firstMs: 0, error }
    const endless = new EndpointTimeout(`${host} had not ended its answer after ${longestMs / 1000} s`)
    return { firstMs: 0, error: endless, isFinal: true }
  }
}

function usageOf(reply: AIMessageChunk): ProbeResult['usage'] {
  const usage = usageIn(reply)
  return usage ? { input: usage.input_tokens, output: usage.output_tokens } : null
}

/** By the rules of answers: waits until the same is asked again, and says why; undefined where it is not. */
async function anotherTry(error: unknown, tries: Tries, signal: AbortSignal): Promise<string | undefined> {
  // The model asks without it from now on, so this happens once.
  if (error instanceof UsageRefused)
    return `${error.message}; answers are asked for without, and their cost is not known`
  const next = tries.after(error)
  if (!next) return undefined
  await sleep(next.waitMs, undefined, { signal })
  return `${asError(error).message}; asked again after ${next.waitMs / 1000} s`
}

/** An answer that took more than one request is worth a note. */
function withWhatWasMet(judged: Judged, met: readonly string[]): Judged {
  if (met.length === 0) return judged
  return { ...judged, warning: true, message: [judged.message, ...met].join('. ') }
}

/** A refusal of the streamed word is a fault; one of tools or schemas leaves answers that are poorer. */
function failed(name: string, error: unknown, host: string): Omit<ProbeResult, 'requests'> {
  const isFatal = name === 'streaming' || fatalErrors.some((each) => error instanceof each)
  const message = error instanceof ModelError ? error.message : `${host}: ${asError(error).message}`
  const code = error instanceof QuaeroError ? error.code : 'unexpected'
  const finding = isFatal ? { ok: false, message } : warning(`${message}. Answers are given without ${name}`)
  return { finding: { name, ...finding }, usage: null, fatal: isFatal ? code : null }
}

const fatalErrors = [KeyRejected, ModelNotFound, QuotaExhausted]

function fine(message: string): Judged {
  return { ok: true, message }
}

function warning(message: string): Judged {
  return { ok: true, warning: true, message }
}

function isState(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'state' in value && typeof value.state === 'string'
  } catch {
    return false
  }
}
