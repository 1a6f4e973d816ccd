import { z } from 'zod'
import { InvalidToolInput, ToolFailed } from '../errors.ts'
import { type Observation, type ToolResult, type TraceEntry, toolResult } from '../events/index.ts'
import { problemsIn } from '../options.ts'

/** A tool's view of its run. Once the call has ended, the signal is aborted and each member throws `ToolEnded`. */
export interface ToolContext {
  readonly runId: string
  readonly threadId: string | null
  /** The caller: an agent of the workflow, or a specialist. */
  readonly agent: string
  readonly callId: string
  readonly question: string
  readonly iteration: number
  /** Documents that this run is limited to; null for all. */
  readonly documents: readonly string[] | null
  /** Evidence found earlier in this run. */
  readonly observations: readonly Observation[]
  /** Tools that this run called before, in the order of first use. */
  readonly previousTools: readonly string[]
  /** Aborted when the call is to end, and when it has ended. */
  readonly signal: AbortSignal
  /** What the run did so far. */
  trace(): readonly TraceEntry[]
  /** Gives a task to a specialist, and waits for its result however long it takes. Throws `DelegationRefused`. */
  delegate(specialist: string, task: string): Promise<ToolResult>
  /** The trace so far, one line a call, as a person reads it. */
  toString(): string
}

/** What an agent may call: a name and description for the model, a schema for its input, and the work. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  readonly name: string
  readonly description: string
  readonly input: Input
  /** A person is asked first, at the trust levels `careful` and `strict`. */
  readonly sensitive?: boolean
  /**
   * It sends its arguments over the network: at `careful` a person is asked first while the library holds documents, and
   * long texts and copies of documents are refused.
   */
  readonly network?: boolean
  /** The time limit of a call instead of the setting; null for a tool with limits of its own. */
  readonly timeoutMs?: number | null
  /** A method, so that a tool with its own input type is a `Tool`: `runTool` parses the input before it calls. */
  run(input: z.output<Input>, context: ToolContext): Promise<ToolResult | string>
}

/** Declares a tool, so that `run` is checked against `input`. */
export function defineTool<Input extends z.ZodType>(tool: Tool<Input>): Tool {
  return tool
}

/** The arguments as the tool takes them. Throws `InvalidToolInput`. */
export function inputOf(tool: Tool, args: unknown): unknown {
  const input = tool.input.safeParse(args)
  if (input.success) return input.data
  // Other keys do no harm, but a model that wrote one of them in the place of a right one should see it.
  const { error = input.error } = tool.input instanceof z.ZodObject ? tool.input.strict().safeParse(args) : input
  throw new InvalidToolInput(`${tool.name}: ${problemsIn(error, Object(args))}`)
}

/** Checks the arguments, runs the tool, and checks its result. Throws `InvalidToolInput`, `ToolFailed`. */
export async function runTool(tool: Tool, args: unknown, context: ToolContext): Promise<ToolResult> {
  const result: unknown = await tool.run(inputOf(tool, args), context)
  const parsed = toolResult.safeParse(typeof result === 'string' ? { content: result } : result)
  if (!parsed.success) throw new ToolFailed(`${tool.name} returned no tool result: ${problemsIn(parsed.error)}`)
  const { content, observations, final, notices, usage, limit } = parsed.data
  return {
    content,
    ...(observations && { observations }),
    ...(final !== undefined && { final }),
    ...(notices && { notices }),
    ...(usage && { usage }),
    ...(limit && { limit }),
  }
}
