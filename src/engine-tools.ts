import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Credentials } from './credentials/index.ts'
import { ApprovalDenied, ApprovalRequired, DelegationRefused, QuaeroError, ToolFailed } from './errors.ts'
import {
  type Context,
  callSignal,
  type Hooks,
  type Request,
  type Result,
  silentContext,
  span,
  type ToolResult,
  unlessAborted,
} from './events/index.ts'
import type { ApprovalRules } from './runs/index.ts'
import { callTool, type Tool, type Toolbox, type ToolFacts } from './tools/index.ts'

/** What may be chosen for a tool that is run by hand. */
export interface ToolRunOptions {
  /** The thread that the tool sees; nothing is stored on it. */
  readonly threadId?: string
  /** Files or folders to add if they are new or changed; the tool searches no others. */
  readonly documents?: readonly string[]
  /** Ends the call when aborted. */
  readonly signal?: AbortSignal
  /** Where the trust level asks first: run it, refuse it, or say so with `ApprovalRequired` (`ask`, the default). */
  readonly approve?: 'all' | 'none' | 'ask'
}

/** A tool as a list shows it. */
export interface ToolSummary {
  readonly name: string
  readonly description: string
  readonly sensitive: boolean
  readonly network: boolean
  /**
   * Whether a person is asked before it runs, by the trust level in force; at `careful`, before a tool that only uses the
   * network while the library holds documents.
   */
  readonly needsApproval: boolean
  /** JSON schema of its arguments. */
  readonly input: Readonly<Record<string, unknown>>
}

/** The tools of agents. Added tools are used from the next question on; removed ones are gone at once. */
export interface Tools {
  list(): readonly ToolSummary[]
  /** Throws `AlreadyExists` for a name that is taken, `UsageError` for what is no tool. */
  add(tool: Tool): void
  /** Throws `UnknownTool`. */
  remove(name: string): void
  /**
   * Runs a tool without a model, with the checks of a run: its schema, its time, the trust level, the tool hooks, and
   * without the configured credentials. It belongs to no run: nothing is logged and no limit applies. Throws
   * `UnknownTool`, `InvalidToolInput`, `NoDocuments`, `ApprovalRequired`, `ApprovalDenied` (also by a hook), `ToolTimeout`,
   * `ToolFailed`, and the signal's reason.
   */
  run(name: string, args: unknown, options?: ToolRunOptions): Promise<ToolResult>
}

export interface ToolsParts {
  readonly toolbox: Toolbox
  /** A person's hooks, in the order given. */
  readonly hooks: readonly Hooks[]
  readonly approvals: ApprovalRules
  readonly timeoutMs: number
  readonly credentials: Credentials
  /** Checks the options, and makes ids of the documents named in them. */
  readonly prepare: (name: string, options: ToolRunOptions) => Promise<Pick<Context, 'documents' | 'signal'>>
}

/** The tools of an engine, to be listed, changed, and run by hand. */
export function toolsIn(parts: ToolsParts): Tools {
  const { toolbox, approvals } = parts
  return {
    list: () => toolbox.list().map((tool) => summaryOf(tool, approvals.mayAsk(tool.name))),
    add: (tool) => toolbox.add(tool),
    remove: (name) => toolbox.remove(name),
    async run(name, args, options = {}) {
      const tool = toolbox.get(name)
      toolbox.checkArgs(name, args)
      const { documents, signal } = await parts.prepare(name, options)
      if (await approvals.asksNow(name)) checkApproval(name, options.approve ?? 'ask')
      const { hooks, credentials } = parts
      const given = credentials.mask(args)
      const context = { ...silentContext(), threadId: options.threadId ?? null, documents, hooks, credentials, signal }
      return runByHand(tool, given, context, parts.timeoutMs)
    },
  }
}

function summaryOf(
  { name, description, sensitive = false, network = false, input }: Tool,
  needsApproval: boolean,
): ToolSummary {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' })
  return { name, description, sensitive, network, needsApproval, input: schema }
}

function checkApproval(name: string, approve: NonNullable<ToolRunOptions['approve']>): void {
  if (approve === 'all') return
  if (approve === 'none') throw new ApprovalDenied(`"${name}" needs an approval, and approval is switched off.`)
  throw new ApprovalRequired(
    `"${name}" needs an approval, by the trust level in force. Run it with approve: "all" (--approve all) to give it, or name the tool in the setting tools.allow.`,
  )
}

/** One span, so that hooks see the call like any other. */
async function runByHand(tool: Tool, args: unknown, context: Context, timeoutMs: number): Promise<ToolResult> {
  const callId = randomUUID()
  // Other arguments are refused by the tool's schema, with a better message than that of the span.
  const record = z.record(z.string(), z.unknown()).safeParse(args)
  const request = { callId, tool: tool.name, args: record.data ?? {} }
  const work = async (asked: Request<'tool'>, inTool: Context): Promise<Result<'tool'>> => {
    const call = callTool(tool, record.success ? asked.args : args, factsOf(inTool, callId), timeoutMs)
    // No run abandons a tool that has no limit of time and ignores its signal.
    const found = await unlessAborted(call, inTool.signal)
    return { ...found, status: 'success' }
  }
  const made = await span(context, 'tool', request, work).catch((error: unknown) => {
    if (error instanceof QuaeroError || context.signal.aborted) throw error
    throw new ToolFailed(`"${tool.name}" could not do its work.`, { cause: error })
  })
  // A hook may have refused the call.
  if (made.status === 'denied') throw new ApprovalDenied(made.content)
  const { status: _, errorCode: __, ...result } = made
  return result
}

function factsOf(context: Context, callId: string): ToolFacts {
  const { correlationId: runId, threadId, documents } = context
  return {
    runId,
    threadId,
    agent: 'by hand',
    callId,
    question: '',
    iteration: 0,
    documents,
    observations: [],
    signal: callSignal(context),
    log: () => [],
    delegate: async () => {
      throw new DelegationRefused('A specialist can be asked within a run only: ask a question instead.')
    },
  }
}
