import { z } from 'zod'
import { citation, ending, highlight, toolCall } from '../../events/catalogue.ts'

/** How a run ended, or why it waits. */
export const runResult = z.strictObject({
  runId: z.string(),
  threadId: z.string(),
  /** Counts from 1 within the thread. */
  turn: z.number().int().min(1),
  status: z.enum([
    'completed',
    'clarification_needed',
    'limit_reached',
    'requires_action',
    'interrupted',
    'cancelled',
    'failed',
  ]),
  question: z.string(),
  /** The question as it was understood, with what the conversation adds to it. */
  standaloneQuestion: z.string().nullable(),
  /**
   * Markdown with footnote markers `[1]`; empty if there is no answer. A run that failed behind its answer, for instance
   * in a hook, has it beside its `error`, with `citations`, `confidence` and `abstained`, as the conversation does.
   */
  answer: z.string(),
  /** True when the evidence was too thin to answer. */
  abstained: z.boolean(),
  /** Probability that the answer is right, from the evidence; null where there is no answer. */
  confidence: z.number().min(0).max(1).nullable(),
  clarification: z.string().nullable(),
  citations: z.array(citation),
  /** Where in `answer` the words stand that answer most shortly: a date, a figure, a name; empty where that is not plain. */
  highlights: z.array(z.strictObject(highlight.shape)),
  /** Sentences that were dropped because no verified quote bears them out. */
  unsupported: z.array(z.string()),
  approvals: z.array(z.strictObject({ id: z.string(), tool: z.string(), args: toolCall.shape.args })),
  ending: ending.nullable(),
  usage: z.strictObject({
    modelCalls: z.number().int(),
    toolCalls: z.number().int(),
    inputTokens: z.number().int(),
    outputTokens: z.number().int(),
    /** US dollars; null is unknown. */
    costUsd: z.number().nullable(),
  }),
  /** Share of the model's context window that the last call filled; null is unknown. */
  contextPercent: z.number().nullable(),
  model: z.string(),
  durationMs: z.number(),
  traceUrl: z.string().nullable(),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
})

export type RunResult = z.output<typeof runResult>
