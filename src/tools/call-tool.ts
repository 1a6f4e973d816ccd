import { ToolTimeout } from '../errors.ts'
import type { ToolResult } from '../events/index.ts'
import { runTool, type Tool, type ToolContext } from './tool.ts'
import { lendContext, type ToolFacts } from './tool-context.ts'

/**
 * Calls a tool within its time, and lends it its context for just as long. Throws `ToolTimeout`, the reason of the
 * signal if that is aborted, and what `runTool` throws.
 */
export async function callTool(
  tool: Tool,
  args: unknown,
  facts: ToolFacts,
  defaultTimeoutMs: number,
): Promise<ToolResult> {
  facts.signal.throwIfAborted()
  const over = new AbortController()
  const signal = AbortSignal.any([facts.signal, over.signal])
  const { context, takeBack } = lendContext(tool.name, { ...facts, signal })
  const { timeoutMs = defaultTimeoutMs } = tool
  try {
    const work = runTool(tool, args, context)
    return await (timeoutMs === null ? work : endInTime(work, tool, facts.signal, timeoutMs))
  } finally {
    takeBack()
    over.abort()
  }
}

/** Waits for the work, but not for long once it is to stop. A tool that waits for its own calls ends when they do. */
async function endInTime(
  work: Promise<ToolResult>,
  { name }: Tool,
  signal: ToolContext['signal'],
  timeoutMs: number,
): Promise<ToolResult> {
  const waiting = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ToolTimeout(`${name} took longer than ${timeoutMs / 1000} s.`)), timeoutMs)
  })
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: waiting.signal })
  })
  try {
    return await Promise.race([work, tooLate, stopped])
  } finally {
    clearTimeout(timer)
    waiting.abort()
  }
}
