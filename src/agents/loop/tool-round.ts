import { randomUUID } from 'node:crypto'
import { ToolMessage } from '@langchain/core/messages'
import { ApprovalDenied, DelegationRefused, LimitReached, QuaeroError, ToolFailed, UnknownTool } from '../../errors.ts'
import {
  type AddedMessage,
  type Context,
  callSignal,
  type Event,
  fact,
  type Observation,
  type PendingToolCall,
  type Request,
  type Result,
  span,
  type ToolResult,
} from '../../events/index.ts'
import { callTool } from '../../tools/call-tool.ts'
import type { Tool } from '../../tools/tool.ts'
import type { ToolFacts } from '../../tools/tool-context.ts'
import { cutObservation } from '../context-window/cut-observation.ts'
import { logAdded } from './added-messages.ts'
import { allEnded } from './all-ended.ts'
import { maskedMessage } from './masked-message.ts'
import { endsTheRun, step } from './step.ts'

/** A task for a specialist, and what was found before. */
export interface DelegationRequest {
  /** The tool call that hands it over. */
  readonly callId: string
  readonly specialist: string
  readonly task: string
  readonly observations: readonly Observation[]
}

/** Has a specialist work on a task. Throws `DelegationRefused`. */
export type Delegation = (context: Context, request: DelegationRequest) => Promise<ToolResult>

export interface RoundOptions {
  readonly tools: readonly Tool[]
  /** False for a tool that was taken away since; absent, none ever is. */
  readonly isThere?: (tool: Tool) => boolean
  /** How tools hand tasks on; absent, they cannot. */
  readonly delegate?: Delegation
  readonly question: string
  readonly iteration: number
  readonly documents: readonly string[] | null
  readonly toolTimeoutMs: number
  /** Longer tool results are cut in the middle before the model reads them. */
  readonly observationCharacters: number
}

/** What came of one round of tool calls. */
export interface Round {
  /** Results in the order of the calls. */
  readonly messages: readonly ToolMessage[]
  readonly added: readonly AddedMessage[]
}

/**
 * So many calls of a round are under way at once. LangGraph looks through all tasks under way whenever one ends, and every
 * open span stands in the run's status: without a bound a reply of thousands of calls costs by their square.
 */
const callsAtOnce = 32

export const noRound: Round = { messages: [], added: [] }

/** All calls of one reply, side by side; of very many, some after the others. */
export async function runRound(
  context: Context,
  calls: readonly PendingToolCall[],
  options: RoundOptions,
  observations: readonly Observation[],
): Promise<Round> {
  const again = calls.some(({ id }) => context.callsBefore?.has(id))
  const started = { calls: [...calls], ...(again && { again }) }
  const work = async ({ calls, refusals = {}, added = [] }: Request<'round'>, inRound: Context) => {
    // A model may call a call anything, `constructor` too.
    const refusalOf = ({ id }: PendingToolCall) => (Object.hasOwn(refusals, id) ? refusals[id] : undefined)
    const messages = await allEnded(
      calls.map((call) => () => askTool(inRound, { call, refusal: refusalOf(call), options, observations })),
      callsAtOnce,
    )
    return { messages, added, failed: messages.filter(({ status }) => status === 'error').length }
  }
  const result = await span(context, 'round', started, work)
  const { messages, added = [] } = result
  // A resumed run comes by once more.
  const logged = again ? resultsIn(context.log?.() ?? []) : new Set()
  for (const message of messages) if (!logged.has(message.tool_call_id)) await logResult(context, message)
  // A round that an earlier attempt has begun is in the log with what was added to it.
  if (!again) await logAdded(context, added)
  return { messages, added }
}

/** What the model is told of a call, as a message of the agent's own. */
async function logResult(context: Context, message: ToolMessage): Promise<void> {
  const { id: messageId = randomUUID(), tool_call_id: toolCallId } = message
  const logged = { messageId, role: 'tool', scope: 'scratch', toolCallId } as const
  await fact(context, 'message.created', logged)
  await fact(context, 'message.completed', { ...logged, text: message.text, superseded: false })
}

/** The calls whose results are in the log. */
function resultsIn(log: readonly Event[]): ReadonlySet<string> {
  return new Set(log.flatMap((each) => (each.type === 'message.completed' ? (each.payload.toolCallId ?? []) : [])))
}

interface ToolRequest {
  readonly call: PendingToolCall
  /** Why the call is not made; undefined if it is. */
  readonly refusal: string | undefined
  readonly options: RoundOptions
  readonly observations: readonly Observation[]
}

const askTool = step('tool', async (context: Context, { call, refusal, options, observations }: ToolRequest) => {
  try {
    const request = { callId: call.id, tool: call.name, args: call.args }
    const work = async ({ tool: name, args }: Request<'tool'>, inTool: Context): Promise<Result<'tool'>> => {
      if (refusal !== undefined) return denied(refusal)
      const tools = options.tools.filter((each) => options.isThere?.(each) ?? true)
      const tool = tools.find((each) => each.name === name)
      if (!tool) return notFound(name, tools)
      const found = await callTool(tool, args, factsOf(inTool, call.id, options, observations), options.toolTimeoutMs)
      for (const notice of found.notices ?? []) await fact(inTool, 'notice', notice)
      const content = cutObservation(found, options)
      return { ...found, status: 'success', content }
    }
    const result = await span(context, 'tool', request, work)
    return maskedMessage(toolMessage(call, result), context)
  } catch (error) {
    // A call that ran out of time leaves what the others of its round have found.
    const isOutOfTime = error === context.deadline?.reason
    if (endsTheRun(error, context) || (error instanceof LimitReached && !isOutOfTime)) throw error
    return new ToolMessage({
      id: randomUUID(),
      content: explain(tellable(error, call.name)),
      tool_call_id: call.id,
      name: call.name,
      status: 'error',
    })
  }
})

function factsOf(
  context: Context,
  callId: string,
  { question, iteration, documents, delegate = noDelegation }: RoundOptions,
  observations: readonly Observation[],
): ToolFacts {
  const { correlationId: runId, threadId, agent = 'unknown' } = context
  return {
    runId,
    threadId,
    agent,
    callId,
    question,
    iteration,
    documents,
    observations,
    signal: callSignal(context),
    log: () => context.log?.() ?? [],
    delegate: (specialist, task) => delegate(context, { callId, specialist, task, observations }),
  }
}

const noDelegation: Delegation = async () => {
  throw new DelegationRefused('There is no specialist to hand this to.')
}

function toolMessage(
  call: PendingToolCall,
  { status, content, observations = [], final, limit }: Result<'tool'>,
): ToolMessage {
  const artifact: Artifact = { observations, ...(final !== undefined && { final }), ...(limit && { limit }) }
  const succeeded = status === 'success'
  return new ToolMessage({
    id: randomUUID(),
    content,
    tool_call_id: call.id,
    name: call.name,
    status: succeeded ? 'success' : 'error',
    ...(succeeded && { artifact }),
  })
}

/** What a tool's message carries beside the text for the model. */
type Artifact = Pick<ToolResult, 'observations' | 'final' | 'limit'>

function denied(reason: string): Result<'tool'> {
  const { code, message } = new ApprovalDenied(`The person refused this call: ${reason || 'no reason given'}.`)
  return { status: 'denied', content: message, errorCode: code }
}

function notFound(name: string, tools: readonly Tool[]): Result<'tool'> {
  const error = new UnknownTool(
    `There is no tool "${name}". The tools are: ${tools.map((each) => each.name).join(', ')}.`,
  )
  return { status: 'not_found', content: explain(error), errorCode: error.code }
}

/** What the model may know of a failure: our own sentences, never the text of an unknown exception. */
export function tellable(error: unknown, tool: string): QuaeroError {
  return error instanceof QuaeroError ? error : new ToolFailed(`${tool} could not do its work.`)
}

/** A failure as the model reads it. */
export function explain({ code, message }: QuaeroError): string {
  return `Error (${code}): ${message}`
}

/** What a tool handed back beside its text; nothing where it failed. */
export function artifactOf(message: ToolMessage): Artifact {
  // Only `toolMessage` writes it.
  return (message.artifact ?? {}) as Artifact
}
