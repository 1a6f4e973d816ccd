import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { LimitReached, QuaeroError, ToolFailed, ToolTimeout, UnknownTool } from '../errors.ts'
import { type Context, callSignal, type PendingToolCall, span } from '../events/index.ts'
import { type Observation, runTool, type Tool, type ToolContext, type ToolResult } from '../tools/tool.ts'
import { askModel, type ModelRequest, toolCallsOf } from './ask-model.ts'
import { uniqueCallIds } from './history.ts'
import { endsTheRun, step } from './step.ts'

export interface ReactOptions extends Omit<ModelRequest, 'messages' | 'tools' | 'scope'> {
  readonly tools: readonly Tool[]
  readonly question: string
  readonly iteration: number
  readonly documents: readonly string[] | null
  readonly toolTimeoutMs: number
  /** Longer tool results are cut in the middle before the model reads them. */
  readonly observationCharacters: number
}

/** What a loop gathered, also when it was cut short. */
export interface ReactOutcome {
  /** What the model said when it asked for no more tools; if it never came to that, the last words it said. */
  readonly finalText: string | null
  readonly observations: readonly Observation[]
  readonly toolHistory: readonly string[]
  /** What ended the loop early. */
  readonly error: QuaeroError | null
}

/** After so many replies in a row that cannot be read, the loop ends. */
const malformedBudget = 3
/** After the same calls so many times running, the loop ends: they will not say anything new. */
const repeatBudget = 3

/** Reason, act, observe: until the model asks for no more tools, or a limit is met. */
export async function reactLoop(
  context: Context,
  prompt: readonly BaseMessage[],
  options: ReactOptions,
): Promise<ReactOutcome> {
  const loop = new Loop(prompt, options.tools)
  try {
    while (!loop.done) {
      const reply = loop.hear(await askModel(context, { ...options, messages: loop.messages, scope: 'scratch' }))
      const calls = toolCallsOf(reply)
      if (calls.length > 0) loop.observe(await runRound(context, calls, options, loop.observations))
    }
    return loop.outcome(null)
  } catch (error) {
    // A failing model or a met limit ends the loop, not the run: what was gathered still reaches the answer.
    if (error instanceof QuaeroError && !endsTheRun(error, context)) return loop.outcome(error)
    throw error
  }
}

/** Runs one tool outside a loop, as the agent's own idea; its result is logged like any other. */
export async function runOneTool(
  context: Context,
  call: PendingToolCall,
  options: ReactOptions,
): Promise<readonly Observation[]> {
  const messages = await runRound(context, [call], options, [])
  return messages.flatMap(observationsOf)
}

/** The conversation of one loop, and what it has come to. */
class Loop {
  readonly messages: BaseMessage[]
  readonly observations: Observation[] = []
  done = false
  readonly #tools: ReadonlySet<string>
  readonly #toolHistory = new Set<string>()
  readonly #callIds = new Set<string>()
  #finalText: string | null = null
  #lastWords: string | null = null
  #malformed = 0
  #repeats = { key: '', count: 0 }

  constructor(prompt: readonly BaseMessage[], tools: readonly Tool[]) {
    this.messages = [...prompt]
    this.#tools = new Set(tools.map(({ name }) => name))
  }

  hear(message: AIMessage): AIMessage {
    const reply = uniqueCallIds(message, this.#callIds)
    const calls = toolCallsOf(reply)
    for (const { id } of calls) this.#callIds.add(id)
    this.#lastWords = reply.text.trim() || this.#lastWords
    if (calls.length > 0) this.#expectProgress(calls)
    else if ((reply.invalid_tool_calls ?? []).length > 0) return this.#askAgain(reply)
    else this.#conclude(reply)
    this.messages.push(reply)
    return reply
  }

  observe(results: readonly ToolMessage[]): void {
    for (const result of results) {
      this.messages.push(result)
      if (result.name && this.#tools.has(result.name)) this.#toolHistory.add(result.name)
      const known = new Set(this.observations.map(({ passageId }) => passageId))
      this.observations.push(...observationsOf(result).filter(({ passageId }) => !known.has(passageId)))
      const final = finalOf(result)
      if (final !== undefined) {
        this.#finalText = final
        this.done = true
      }
    }
  }

  outcome(error: QuaeroError | null): ReactOutcome {
    const { observations } = this
    return { finalText: this.#finalText ?? this.#lastWords, observations, toolHistory: [...this.#toolHistory], error }
  }

  #conclude(reply: AIMessage): void {
    this.#malformed = 0
    this.#finalText = reply.text.trim() || null
    this.done = true
  }

  #askAgain(reply: AIMessage): AIMessage {
    this.#malformed += 1
    if (this.#malformed >= malformedBudget) {
      throw new ToolFailed(`The model wrote ${malformedBudget} tool calls in a row that cannot be read.`)
    }
    const problems = (reply.invalid_tool_calls ?? []).map(
      ({ name, error }) => `${name ?? 'a tool'}: ${error ?? 'not JSON'}`,
    )
    const said = new AIMessage({ content: reply.text || '(a tool call that could not be read)' })
    this.messages.push(
      said,
      new HumanMessage(
        `Your tool call could not be read (${problems.join('; ')}). Send it again with arguments in valid JSON.`,
      ),
    )
    return said
  }

  #expectProgress(calls: readonly PendingToolCall[]): void {
    this.#malformed = 0
    const key = JSON.stringify(calls.map(({ name, args }) => [name, args]))
    this.#repeats = { key, count: key === this.#repeats.key ? this.#repeats.count + 1 : 1 }
    if (this.#repeats.count < repeatBudget) return
    throw new LimitReached('noProgress', repeatBudget, `The same tool call was made ${repeatBudget} times running.`)
  }
}

/** All calls of one reply, side by side; results in the order of the calls. */
async function runRound(
  context: Context,
  calls: readonly PendingToolCall[],
  options: ReactOptions,
  observations: readonly Observation[],
): Promise<readonly ToolMessage[]> {
  const again = calls.some(({ id }) => context.callsBefore?.has(id))
  const started = { calls: [...calls], ...(again && { again }) }
  const { messages } = await span(context, 'round', started, async (request, inRound) => {
    // A hook may refuse calls of the round; the reasons come by call id.
    const refusals = (request.refusals ?? {}) as Readonly<Record<string, string>>
    const messages = await allEnded(
      request.calls.map((call) => {
        const refusal = refusals[call.id]
        if (refusal !== undefined) return refused(call, refusal)
        return askTool(inRound, { call, options, observations })
      }),
    )
    return { messages, failed: messages.filter(({ status }) => status === 'error').length }
  })
  return messages
}

/** Like `Promise.all`, but waits for every call even if one throws, so that nothing runs on after its round. */
async function allEnded<T>(work: readonly (T | Promise<T>)[]): Promise<T[]> {
  await Promise.allSettled(work)
  return Promise.all(work)
}

interface ToolRequest {
  readonly call: PendingToolCall
  readonly options: ReactOptions
  readonly observations: readonly Observation[]
}

const askTool = step('tool', async (context: Context, { call, options, observations }: ToolRequest) => {
  try {
    const request = { callId: call.id, tool: call.name, args: call.args }
    const result = await span(context, 'tool', request, async ({ tool: name, args }, inTool) => {
      const tool = options.tools.find((each) => each.name === name)
      if (!tool)
        throw new UnknownTool(
          `There is no tool "${name}". The tools are: ${options.tools.map((each) => each.name).join(', ')}.`,
        )
      const found = await withTimeout(
        tool,
        args,
        toolContext(inTool, call.id, options, observations),
        options.toolTimeoutMs,
      )
      const content = cutMiddle(found.content, options.observationCharacters)
      return { ...found, status: 'success' as const, content }
    })
    return toolMessage(call, result)
  } catch (error) {
    // A call that ran out of time leaves what the others of its round have found.
    const isOutOfTime = error === context.deadline?.reason
    if (endsTheRun(error, context) || (error instanceof LimitReached && !isOutOfTime)) throw error
    return new ToolMessage({
      content: explain(error, call.name),
      tool_call_id: call.id,
      name: call.name,
      status: 'error',
    })
  }
})

function toolContext(
  context: Context,
  callId: string,
  { question, iteration, documents }: ReactOptions,
  observations: readonly Observation[],
): ToolContext {
  const { correlationId: runId, threadId, agent = 'unknown' } = context
  const signal = callSignal(context)
  return { runId, threadId, agent, callId, question, iteration, documents, observations, signal }
}

async function withTimeout(tool: Tool, args: unknown, context: ToolContext, timeoutMs: number): Promise<ToolResult> {
  context.signal.throwIfAborted()
  const timeout = new AbortController()
  const signal = AbortSignal.any([context.signal, timeout.signal])
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      timeout.abort()
      reject(new ToolTimeout(`${tool.name} took longer than ${timeoutMs / 1000} s.`))
    }, timeoutMs)
  })
  const stopped = new Promise<never>((_, reject) => {
    context.signal.addEventListener('abort', () => reject(context.signal.reason), {
      once: true,
      signal: timeout.signal,
    })
  })
  try {
    return await Promise.race([runTool(tool, args, { ...context, signal }), tooLate, stopped])
  } finally {
    clearTimeout(timer)
    timeout.abort()
  }
}

function toolMessage(call: PendingToolCall, { content, observations = [], final }: ToolResult): ToolMessage {
  const artifact = { observations, ...(final !== undefined && { final }) }
  return new ToolMessage({ content, tool_call_id: call.id, name: call.name, status: 'success', artifact })
}

function refused(call: PendingToolCall, reason: string): ToolMessage {
  const content = `The person refused this call: ${reason || 'no reason given'}.`
  return new ToolMessage({ content, tool_call_id: call.id, name: call.name, status: 'error' })
}

/** What the model is told of a failure: our own sentences, never the text of an unknown exception. */
function explain(error: unknown, tool: string): string {
  if (error instanceof QuaeroError) return `Error (${error.code}): ${error.message}`
  return `Error (tool_failed): ${tool} could not do its work.`
}

function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  const left = text.length - 2 * half
  return `${text.slice(0, half)}\n[… ${left} characters left out; the passages are kept whole …]\n${text.slice(-half)}`
}

function observationsOf(message: ToolMessage): readonly Observation[] {
  return (message.artifact as { readonly observations?: readonly Observation[] } | undefined)?.observations ?? []
}

function finalOf(message: ToolMessage): string | undefined {
  return (message.artifact as { readonly final?: string } | undefined)?.final
}
