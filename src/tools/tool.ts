import { z } from 'zod'
import { InvalidToolInput, ToolFailed } from '../errors.ts'
import { type Observation, type ToolResult, type TraceEntry, toolResult } from '../events/index.ts'

/**
 * What a tool may know of the run that calls it, and ask of it. It is lent for the time of the call: once the call has
 * ended, however it ended, the signal is aborted, and reading any member throws `ToolEnded`.
 */
export interface ToolContext {
  readonly runId: string
  readonly threadId: string | null
  /** Who asks: an agent of the workflow, or a specialist. */
  readonly agent: string
  readonly callId: string
  readonly question: string
  readonly iteration: number
  /** Documents that this run is limited to; null for all. */
  readonly documents: readonly string[] | null
  /** Evidence found earlier in this run. */
  readonly observations: readonly Observation[]
  /** Tools that this run has asked for before this call, in the order of first use. */
  readonly previousTools: readonly string[]
  /** Aborted when the call is to end, and when it has ended. */
  readonly signal: AbortSignal
  /** What the run did so far. */
  trace(): readonly TraceEntry[]
  /**
   * Has a specialist work on a task, and hands on what it says and found. Its own calls are waited for, however long
   * they take. Throws `DelegationRefused`, which tells the model why, where that cannot be done.
   */
  delegate(specialist: string, task: string): Promise<ToolResult>
  /** The trace so far, one line a call, as a person reads it. */
  toString(): string
}

/** Something an agent may ask for: a name and purpose the model reads, a schema for its input, and the work. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  readonly name: string
  readonly description: string
  readonly input: Input
  /** A person is asked first when the trust level is `careful`. */
  readonly sensitive?: boolean
  /** How long a call may take, in milliseconds, instead of the setting; null for what ends by limits of its own. */
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
  throw new InvalidToolInput(`${tool.name}: ${z.prettifyError(input.error)}`)
}

/**
 * Checks the model's arguments against the tool's schema, runs it, and checks what it hands back. Throws
 * `InvalidToolInput`, `ToolFailed`.
 */
export async function runTool(tool: Tool, args: unknown, context: ToolContext): Promise<ToolResult> {
  const result: unknown = await tool.run(inputOf(tool, args), context)
  const parsed = toolResult.safeParse(typeof result === 'string' ? { content: result } : result)
  if (!parsed.success) throw new ToolFailed(`${tool.name} handed back no tool result: ${z.prettifyError(parsed.error)}`)
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
