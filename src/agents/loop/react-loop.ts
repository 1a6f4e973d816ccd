import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { LimitReached, QuaeroError, ToolFailed } from '../../errors.ts'
import type { Context, Observation, PendingToolCall } from '../../events/index.ts'
import { fencedText } from '../../fenced.ts'
import { readingTool } from './fit-context.ts'
import { uniqueCallIds } from './history.ts'
import { toMessages, toolCallsOf } from './messages.ts'
import { converse, type ModelRequest } from './model-call.ts'
import { endsTheRun } from './step.ts'
import { artifactOf, type RoundOptions, runRound } from './tool-round.ts'

export interface ReactOptions extends RoundOptions, Omit<ModelRequest, 'messages' | 'tools' | 'scope'> {
  /** Of a loop inside a tool call: that call's id. It makes the ids of the loop's own calls unique in the run. */
  readonly within?: string
  /** What was found before the loop began. */
  readonly before?: readonly Observation[]
  /**
   * A plan, whose findings go on as they are: a first round with these tools alone ends the loop, if it finds more than what
   * the writer knows.
   */
  readonly plan?: { readonly tools: ReadonlySet<string>; readonly known: readonly string[] }
}

/** What a loop gathered, also when it was cut short. */
export interface ReactOutcome {
  /** The model's reply without tool calls; if there was none, its last words. */
  readonly finalText: string | null
  readonly observations: readonly Observation[]
  /** Ids of what a plan has found, the best of each of its calls first; absent where the loop went on. */
  readonly planned?: readonly string[]
  /** Passages that were read in their place, not only found by a search. */
  readonly readIds: readonly string[]
  readonly toolHistory: readonly string[]
  /** What ended the loop early. */
  readonly error: QuaeroError | null
}

/** So many unreadable replies in a row end the loop. */
const malformedBudget = 3
/** The same calls so many times in a row end the loop: their results would be the same. */
const repeatBudget = 3

/** Reason, act, observe: until the model asks for no more tools, or a limit is met. */
export async function reactLoop(
  context: Context,
  prompt: readonly BaseMessage[],
  options: ReactOptions,
): Promise<ReactOutcome> {
  const loop = new Loop(prompt, options)
  const { before = [], plan } = options
  try {
    while (!loop.done) {
      const asked = { ...options, messages: loop.messages, scope: 'scratch' } as const
      const { reply, added, shortened, plain } = await converse(context, asked)
      if (shortened) loop.messages = [...shortened]
      const calls = toolCallsOf(loop.receive(reply, plain))
      const known = [...before, ...loop.observations]
      const round = await runRound(context, calls, { ...options, isShown: loop.shows() }, known)
      // Nothing may stand between calls and their results, so messages of hooks wait until the round is over.
      const planned = loop.plannedIn(calls, round)
      loop.observe(round.messages)
      if (planned.some((id) => !plan?.known.includes(id))) return { ...loop.outcome(null), planned }
      if (calls.length > 0) loop.reportUnread(reply)
      loop.messages.push(...toMessages([...added, ...round.added]))
    }
    return loop.outcome(null)
  } catch (error) {
    // A failing model or a limit ends the loop, not the run: the findings still reach the answer.
    if (error instanceof QuaeroError && !endsTheRun(error, context)) return loop.outcome(error)
    throw error
  }
}

/** Of what a search of a plan finds, what scores less than this share of its best is noise beside the finds of others. */
const PLANNED_SHARE = 0.5

/** The ids that calls have found, in turn. */
function foundInTurn(results: readonly ToolMessage[]): readonly string[] {
  const found = results.map((result) => {
    const all = artifactOf(result).observations ?? []
    const best = Math.max(0, ...all.map(({ score }) => score))
    return all.filter(({ score }) => score >= PLANNED_SHARE * best)
  })
  const longest = Math.max(0, ...found.map(({ length }) => length))
  const inTurn = Array.from({ length: longest }, (_, rank) => found.flatMap((each) => each[rank]?.passageId ?? []))
  return [...new Set(inTurn.flat())]
}

/** Runs one tool that no model asked for, logged like any other: what it found, and the limit that forbade it. */
export async function runOneTool(context: Context, call: PendingToolCall, options: RoundOptions) {
  try {
    const { messages } = await runRound(context, [call], options, [])
    return { observations: messages.flatMap((message) => artifactOf(message).observations ?? []), limit: null }
  } catch (error) {
    if (error instanceof LimitReached) return { observations: [], limit: error }
    throw error
  }
}

/** True for passages that were read on purpose: in their place, or as the overview of one document. */
function isReading(tool: string | undefined, observations: readonly Observation[]): boolean {
  if (tool === readingTool) return true
  return tool === 'document_overview' && new Set(observations.map(({ documentId }) => documentId)).size === 1
}

/** The conversation of one loop, and its findings. */
class Loop {
  messages: BaseMessage[]
  readonly observations: Observation[] = []
  done = false
  readonly #tools: ReadonlySet<string>
  readonly #planTools: ReadonlySet<string> | undefined
  readonly #within: string | undefined
  readonly #toolHistory = new Set<string>()
  readonly #callIds = new Set<string>()
  readonly #passageIds = new Set<string>()
  readonly #readIds = new Set<string>()
  #finalText: string | null = null
  #lastWords: string | null = null
  #plain = false
  #malformed = 0
  #repeats = { key: '', count: 0 }

  constructor(
    prompt: readonly BaseMessage[],
    { tools, within, plan }: Pick<ReactOptions, 'tools' | 'within' | 'plan'>,
  ) {
    this.messages = [...prompt]
    this.#tools = new Set(tools.map(({ name }) => name))
    this.#within = within
    this.#planTools = plan?.tools
  }

  /** `plain`: the model will ask for no more calls than these. */
  receive(message: AIMessage, plain = false): AIMessage {
    this.#plain = plain
    const reply = uniqueCallIds(message, this.#callIds, this.#within)
    const calls = toolCallsOf(reply)
    if (!plain) this.#lastWords = reply.text.trim() || this.#lastWords
    if (calls.length > 0) this.#expectProgress(calls)
    else if ((reply.invalid_tool_calls ?? []).length > 0) return this.#askAgain(reply)
    else this.#conclude(reply)
    this.messages.push(reply)
    return reply
  }

  /** What a first round has found that is a plan; nothing, where the model must see its results. */
  plannedIn(calls: readonly PendingToolCall[], { messages, added }: Awaited<ReturnType<typeof runRound>>) {
    const isPlan = this.#toolHistory.size === 0 && calls.every(({ name }) => this.#planTools?.has(name))
    const hasFailed = messages.some(({ status }) => status === 'error')
    return isPlan && !hasFailed && added.length === 0 ? foundInTurn(messages) : []
  }

  observe(results: readonly ToolMessage[]): void {
    if (this.#plain) this.done = true
    for (const result of results) {
      this.messages.push(result)
      if (result.name && this.#tools.has(result.name)) this.#toolHistory.add(result.name)
      const { observations = [], final } = artifactOf(result)
      for (const each of observations) this.#note(each, isReading(result.name, observations))
      if (final !== undefined) {
        this.#finalText = final
        this.done = true
      }
    }
    const [limit] = results.flatMap((result) => artifactOf(result).limit ?? [])
    if (limit) throw new LimitReached(limit.name, limit.value, limit.message)
  }

  #note(observation: Observation, isRead: boolean): void {
    const { passageId } = observation
    if (!this.#passageIds.has(passageId)) this.observations.push(observation)
    this.#passageIds.add(passageId)
    if (isRead) this.#readIds.add(passageId)
  }

  /** Tells the model which calls could not be read, after the results of those that could. */
  reportUnread({ invalid_tool_calls: unread = [] }: AIMessage): void {
    if (unread.length === 0 || this.done) return
    const problems = unread.map(({ name, error }) => `${name ?? 'a tool'}: ${error ?? 'not JSON'}`)
    const request = 'Send it again with arguments in valid JSON.'
    this.messages.push(new HumanMessage(`Your tool call could not be read (${problems.join('; ')}). ${request}`))
  }

  /** Tells of a passage whether its whole text stands in the conversation. */
  shows(): (observation: Observation) => boolean {
    const results = this.messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text)
    return ({ text }) => results.some((result) => result.includes(fencedText(text)))
  }

  outcome(error: QuaeroError | null): ReactOutcome {
    const { observations } = this
    const finalText = this.#finalText ?? this.#lastWords
    return { finalText, observations, readIds: [...this.#readIds], toolHistory: [...this.#toolHistory], error }
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
    const said = new AIMessage({ content: reply.text || '(a tool call that could not be read)' })
    this.messages.push(said)
    this.reportUnread(reply)
    return said
  }

  #expectProgress(calls: readonly PendingToolCall[]): void {
    this.#malformed = 0
    const key = JSON.stringify(calls.map(({ name, args }) => [name, args]))
    this.#repeats = { key, count: key === this.#repeats.key ? this.#repeats.count + 1 : 1 }
    if (this.#repeats.count < repeatBudget) return
    throw new LimitReached('noProgress', repeatBudget)
  }
}
