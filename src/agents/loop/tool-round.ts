import { randomUUID } from 'node:crypto'
import { ToolMessage } from '@langchain/core/messages'
import { isGraphInterrupt } from '@langchain/langgraph'
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
import { fencedText } from '../../fenced.ts'
import { callTool, type Tool, type ToolFacts } from '../../tools/index.ts'
import { fitResult, readingTool } from './fit-context.ts'
import { logAdded, maskedMessage } from './messages.ts'
import { endsTheRun, step } from './step.ts'

/** A task for a specialist, the tool call that hands it over, and what was found before. */
export interface DelegationRequest {
  readonly callId: string
  readonly specialist: string
  readonly task: string
  readonly observations: readonly Observation[]
}

/** Has a specialist work on a task. Throws `DelegationRefused`. */
export type Delegation = (context: Context, request: DelegationRequest) => Promise<ToolResult>

export interface RoundOptions {
  readonly tools: readonly Tool[]
  /** False for a tool that was removed since. */
  readonly isThere?: (tool: Tool) => boolean
  /** How tools give tasks to specialists; absent, they cannot. */
  readonly delegate?: Delegation
  readonly question: string
  readonly iteration: number
  readonly documents: readonly string[] | null
  readonly toolTimeoutMs: number
  /** True for a passage whose text the model can read in the conversation. */
  readonly isShown?: (observation: Observation) => boolean
  /** Longer tool results are cut in the middle before the model reads them. */
  readonly observationCharacters: number
}

/** The outcome of one round of tool calls. */
interface Round {
  /** Results in the order of the calls. */
  readonly messages: readonly ToolMessage[]
  readonly added: readonly AddedMessage[]
}

/**
 * Calls of a round under way at once. LangGraph looks through all tasks under way whenever one ends, and every open span
 * stands in the run's status: without a bound the cost of thousands of calls grows with their square.
 */
const callsAtOnce = 32

/** Runs all calls of one reply, at most `callsAtOnce` at a time. */
export async function runRound(
  context: Context,
  calls: readonly PendingToolCall[],
  options: RoundOptions,
  observations: readonly Observation[],
): Promise<Round> {
  if (calls.length === 0) return { messages: [], added: [] }
  const again = calls.some(({ id }) => context.callsBefore?.has(id))
  const started = { calls: [...calls], ...(again && { again }) }
  const work = async ({ calls, refusals = {}, added = [] }: Request<'round'>, inRound: Context) => {
    // A model may give a call any id, also `constructor`.
    const refusalOf = ({ id }: PendingToolCall) => (Object.hasOwn(refusals, id) ? refusals[id] : undefined)
    const messages = await allEnded(
      calls.map((call) => () => askTool(inRound, { call, refusal: refusalOf(call), options, observations })),
      callsAtOnce,
    )
    return { messages, added, failed: messages.filter(({ status }) => status === 'error').length }
  }
  const result = await span(context, 'round', started, work)
  const { messages, added = [] } = result
  // An earlier attempt may have logged some results, and what was added to the round.
  const logged = again ? resultsIn(context.log?.()) : new Set()
  for (const message of messages) if (!logged.has(message.tool_call_id)) await logResult(context, message)
  if (!again) await logAdded(context, added)
  return { messages, added }
}

async function logResult(context: Context, message: ToolMessage): Promise<void> {
  const { id: messageId = randomUUID(), tool_call_id: toolCallId } = message
  const logged = { messageId, role: 'tool', scope: 'scratch', toolCallId } as const
  await fact(context, 'message.created', logged)
  await fact(context, 'message.completed', { ...logged, text: message.text, superseded: false })
}

/** The calls whose results are in the log. */
function resultsIn(log: readonly Event[] = []): ReadonlySet<string> {
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
      return { ...found, status: 'success', content: fitResult(withoutRepeats(found, name, options), options) }
    }
    return maskedMessage(toolMessage(call, await span(context, 'tool', request, work)), context)
  } catch (error) {
    // A call that ran out of time must not cost what the others of its round have found.
    const isOutOfTime = error === context.deadline?.reason
    if (endsTheRun(error, context) || (error instanceof LimitReached && !isOutOfTime)) throw error
    return toolMessage(call, { status: 'error', content: explain(tellable(error, call.name)) })
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
  { status, content, observations = [], final, limit }: Pick<Result<'tool'>, 'status' | 'content'> & Artifact,
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

/** The fields of a tool's result that are not for the model. */
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

/** A failure as the model may see it: never the text of an unknown exception. */
export function tellable(error: unknown, tool: string): QuaeroError {
  return error instanceof QuaeroError ? error : new ToolFailed(`${tool} could not do its work.`)
}

/** A failure as the model reads it. */
export function explain({ code, message }: QuaeroError): string {
  return `Error (${code}): ${message}`
}

/** What a tool returned apart from its text; nothing where it failed. */
export function artifactOf(message: ToolMessage): Artifact {
  // Only `toolMessage` writes it; LangChain's type is `any`.
  const artifact: Artifact = message.artifact ?? {}
  return artifact
}

/**
 * Like `Promise.all`, but with at most `atOnce` under way, and waits for all work that has begun even if some of it throws;
 * nothing more is begun then. A failure or a stop counts more than a pause: a specialist may wait for an approval while
 * another is cancelled.
 */
async function allEnded<T>(work: readonly (() => Promise<T>)[], atOnce: number): Promise<T[]> {
  const outcomes: PromiseSettledResult<T>[] = []
  let next = 0
  const takeOneByOne = async () => {
    for (let begin = work[next]; begin; begin = work[next]) {
      const at = next
      next += 1
      const [outcome] = await Promise.allSettled([begin()])
      outcomes[at] = outcome
      if (hasFailed(outcome)) next = work.length
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, work.length) }, takeOneByOne))
  const thrown = outcomes.find(hasFailed) ?? outcomes.find(({ status }) => status === 'rejected')
  if (thrown?.status === 'rejected') throw thrown.reason
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
}

function hasFailed(outcome: PromiseSettledResult<unknown>): boolean {
  if (outcome.status === 'fulfilled') return false
  const reason: unknown = outcome.reason
  return !(reason instanceof Error && isGraphInterrupt(reason))
}

/** The result with the passages that the model has read named by their ids alone; what is read on purpose is shown again. */
function withoutRepeats(result: ToolResult, name: string, { isShown = () => false }: RoundOptions): ToolResult {
  if (name === readingTool) return result
  const repeated = (result.observations ?? []).filter(isShown)
  const content = repeated.reduce(
    (text, observation) => text.replace(`>\n${fencedText(observation.text)}\n</passage>`, () => ' shown="before"/>'),
    result.content,
  )
  return { ...result, content }
}
