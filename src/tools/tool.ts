import { z } from 'zod'
import { InvalidToolInput, type LimitName, limitNames, ToolFailed } from '../errors.ts'
import { type TraceEntry, type Usage, usage } from '../events/index.ts'

/**
 * One piece of evidence that a tool found. `text` is what stands on the stored page: documents and web pages
 * alike are kept, so that every quote can be checked against `documentId`, `page`, `start`, `end`.
 */
export const observation = z.object({
  passageId: z.string(),
  documentId: z.string(),
  title: z.string().nullable(),
  authors: z.array(z.string()),
  year: z.number().nullable(),
  source: z.string(),
  origin: z.enum(['documents', 'web']),
  page: z.number().int(),
  section: z.string().nullable(),
  kind: z.enum(['text', 'table', 'references']),
  /** Of what kind the file is; `docx`, `html`, `markdown` and `text` have no pages. */
  format: z.enum(['pdf', 'markdown', 'html', 'text', 'docx', 'web']).optional(),
  /** What is printed on the page ("iv"), if the file says so. */
  pageLabel: z.string().nullish(),
  /** The name of the table that the passage is part of ("Table 2"), from its caption. */
  table: z.string().nullish(),
  text: z.string(),
  start: z.number().int(),
  end: z.number().int(),
  /** 0 to 1: how much of what the query asks for the passage holds, by its words or by its meaning. */
  score: z.number(),
})
export type Observation = z.output<typeof observation>

/** What a tool hands back: text for the model, and the evidence behind it. */
export interface ToolResult {
  readonly content: string
  readonly observations?: readonly Observation[]
  /** Ends the loop with this text as the agent's result. */
  readonly final?: string
  /** What went wrong and was worked around; the log keeps it, and whoever waits is told. */
  readonly notices?: readonly { readonly code: string; readonly message: string }[]
  /** What the call has cost in tokens and money, which counts towards the run's. */
  readonly usage?: Usage
  /** A limit of the run that cut the work short: whoever asked ends too, with what there is. */
  readonly limit?: { readonly name: LimitName; readonly value: number; readonly message: string }
}

/** What a tool may hand back; also a hook that answers in its place. */
export const toolResult = z.object({
  content: z.string(),
  observations: z.array(observation).optional(),
  final: z.string().optional(),
  notices: z.array(z.object({ code: z.string(), message: z.string() })).optional(),
  usage: usage.optional(),
  limit: z.object({ name: z.enum(limitNames), value: z.number(), message: z.string() }).optional(),
})

/**
 * What a tool may know of the run that calls it, and ask of it. It is lent for the time of the call: once the call has
 * ended, however it ended, the signal is aborted, and whoever still reads anything here gets a `ToolEnded`.
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
  readonly run: (input: z.output<Input>, context: ToolContext) => Promise<ToolResult | string>
}

/** Declares a tool, so that `run` is checked against `input`. */
export function defineTool<Input extends z.ZodType>(tool: Tool<Input>): Tool {
  // The input type is forgotten here on purpose: `runTool` parses before it calls.
  return tool as unknown as Tool
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
