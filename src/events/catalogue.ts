/**
 * The one list of everything that can happen.
 *
 * A **span** is a unit of work. Each span kind yields four events: `<kind>.started`, then exactly one of
 * `<kind>.completed`, `<kind>.failed`, `<kind>.interrupted`. A **fact** is a single event with no duration.
 *
 * Payload schemas keep only what they name, so a request may carry more than its event records.
 */
import { z } from 'zod'
import { keysOf } from '../options.ts'
import {
  answerSentence,
  askedBy,
  calculation,
  citation,
  count,
  ending,
  fallenClaim,
  highlight,
  imported,
  json,
  runLimits,
  toolCall,
  unsupported,
  usage,
} from './values.ts'

const problem = z.object({ code: z.string(), message: z.string() })

/** A message that a hook adds to a conversation. */
export interface AddedMessage {
  readonly role: 'user' | 'assistant' | 'system'
  readonly text: string
}

/** Units of work, outermost first: what each one is asked to do, and what it hands back. */
export const spans = {
  bootstrap: {
    started: z.object({ step: z.string() }),
    completed: z.object({ detail: z.string().optional() }),
  },
  ingest: {
    started: z.object({ source: z.string() }),
    completed: z.object({ documentId: z.string(), status: z.string(), pages: count, passages: count }),
  },
  run: {
    started: z.object({ attempt: count.min(1), question: z.string(), model: z.string() }),
    completed: z.object({
      stopReason: z.enum(['answered', 'clarification_needed', 'limit_reached']),
      ending: ending.nullable(),
      /** The question as it was understood, with what the conversation adds to it. */
      standaloneQuestion: z.string().nullable(),
      /**
       * Markdown with footnote markers `[1]`; empty if there is no answer. A run that failed after its answer, for
       * instance in a hook, has both the answer and an `error`.
       */
      answer: z.string(),
      /** True when the evidence was too thin to answer. */
      abstained: z.boolean(),
      /** Probability that the answer is right, from the evidence; null where there is no answer. */
      confidence: z.number().min(0).max(1).nullable(),
      clarification: z.string().nullable(),
      citations: z.array(citation),
      calculations: z.array(calculation).optional(),
      highlights: z.array(highlight).optional(),
      /** Each sentence of the draft, also those that are not shown. */
      sentences: z.array(answerSentence).optional(),
      /** What was written and could not be verified. */
      unsupported: z.array(unsupported),
      error: problem.nullable(),
    }),
  },
  agent: {
    /** `task`: of a specialist, what it was asked to find out. */
    started: z.object({ name: z.string(), iteration: count, task: z.string().optional() }),
    completed: z.object({
      nextAgent: z.string(),
      /** Of the orchestrator: the question, completed from the conversation. */
      standaloneQuestion: z.string().optional(),
      /** What the person is asked back about, and how often that was done in a row. */
      clarification: z
        .object({ count, missingContext: z.array(z.string()), candidates: z.array(z.string()) })
        .optional(),
    }),
  },
  model: {
    started: z.object({
      model: z.string(),
      messages: count,
      promptId: z.string().optional(),
      /** The prompt that the model was given: by its name and version in Langfuse, or by those of its file. */
      prompt: z.object({ source: z.enum(['file', 'langfuse']), name: z.string(), version: z.number() }).optional(),
      /** A call that a hook makes for itself; `digest` tells the same question from another. */
      askedBy: askedBy.optional(),
    }),
    completed: z.object({
      usage,
      finishReason: z.string().nullable(),
      toolCalls: z.array(toolCall),
      messageId: z.string(),
      contextPercent: z.number().nullable(),
      askedBy: askedBy.optional(),
    }),
  },
  round: {
    /** `again`: an earlier attempt has begun this round; finished calls of it are not made twice. */
    started: z.object({ calls: z.array(toolCall), again: z.boolean().optional() }),
    completed: z.object({ failed: count }),
  },
  tool: {
    started: z.object({ callId: z.string(), tool: z.string(), args: json }),
    completed: z.object({
      status: z.enum(['success', 'error', 'not_found', 'denied']),
      content: z.string(),
      errorCode: z.string().optional(),
      /** What the call itself has cost, for instance to embed a query. */
      usage: usage.optional(),
    }),
  },
  shutdown: {
    started: z.object({ reason: z.string() }),
    completed: z.object({}),
  },
} as const

export const interruptionReason = z.enum(['approval', 'cancelled', 'shutdown', 'crashed'])
export type InterruptionReason = z.output<typeof interruptionReason>

/** How any span can end without completing. */
export const endings = {
  failed: problem.extend({ recoverable: z.boolean() }),
  interrupted: z.object({ reason: interruptionReason }),
} as const

const runGroup = z.object({ kind: z.enum(['table', 'report', 'audit']), traceParent: z.string() })

const role = z.enum(['user', 'assistant', 'tool', 'system'])

/**
 * Single moments; some are only streamed (`streamedOnly`).
 * `scope` tells the conversation (`thread`) from an agent's working notes (`scratch`).
 */
export const facts = {
  'run.created': z.object({
    threadId: z.string(),
    turn: count.min(1),
    question: z.string(),
    /** The id that the client gave the question. */
    messageId: z.string().optional(),
    userId: z.string().optional(),
    documents: z.array(z.string()).nullable(),
    /** The filter that chose the documents, as it was resolved when the question was asked. */
    filter: z.string().optional(),
    /** True where nobody limited the question: the documents are all that its user may read. */
    unlimited: z.literal(true).optional(),
    /** Limits and approval mode of each attempt. A resume may set others. */
    limits: runLimits.optional(),
    approve: z.enum(['all', 'none', 'ask']).optional(),
    /** How the answer begins, in words for its writer. */
    form: z.string().optional(),
    /** Ids of the passages that the answer is written from, with no search. */
    passages: z.array(z.string()).optional(),
    /** The answer is not tried from the first search alone. */
    plan: z.boolean().optional(),
    /** True where the thread has turns before this one, but the conversation begins here. */
    afterReset: z.boolean().optional(),
    /** Attributes of every span in its trace. */
    traceAttributes: z.record(z.string(), z.string()).optional(),
    /** The span that its root is below, in W3C's form: of a caller, or of what the run is asked for (`group.begun`). */
    traceParent: z.string().optional(),
    /** The run that this one is a copy of. */
    copiedFrom: z.object({ threadId: z.string(), runId: z.string() }).optional(),
    /** The log was imported: it says what another library found. */
    imported: imported.optional(),
  }),
  'message.created': z.object({
    messageId: z.string(),
    role,
    scope: z.enum(['thread', 'scratch']),
    /** Of a tool's result: the call that it answers. */
    toolCallId: z.string().optional(),
  }),
  'message.delta': z.object({
    messageId: z.string(),
    scope: z.enum(['thread', 'scratch']),
    text: z.string(),
    toolCall: z
      .object({ index: count, id: z.string().optional(), name: z.string().optional(), args: z.string() })
      .optional(),
    /** True where it holds all of the text, or of the tool call, so far: it takes the place of what came before. */
    soFar: z.boolean().optional(),
  }),
  'message.completed': z.object({
    messageId: z.string(),
    role,
    scope: z.enum(['thread', 'scratch']),
    text: z.string(),
    toolCalls: z.array(toolCall).optional(),
    /** Of a tool's result: the call that it answers. */
    toolCallId: z.string().optional(),
    citations: z.array(citation).optional(),
    calculations: z.array(calculation).optional(),
    /** Of an answer: each sentence of its draft, also those that are not shown. */
    sentences: z.array(answerSentence).optional(),
    /** Of an answer: what was written and could not be verified. */
    unsupported: z.array(unsupported).optional(),
    /** Of an answer: the probability that it is right. */
    confidence: z.number().min(0).max(1).optional(),
    /** Of an answer: true when the evidence was too thin to give one. */
    abstained: z.boolean().optional(),
    /** True when the text that was streamed is not the text that counts. */
    superseded: z.boolean(),
    /** True for what a hook added; neither a person nor a model said it. */
    added: z.boolean().optional(),
  }),
  /** What a model is about to read, with the tools on offer and the parameters of the request; once for each try. */
  'model.prompted': z.object({
    messages: z.array(
      z.object({
        role,
        text: z.string(),
        toolCalls: z.array(toolCall).optional(),
        /** Of a tool's result: the call that it answers. */
        toolCallId: z.string().optional(),
      }),
    ),
    /** As OpenAI's protocol describes tools. */
    tools: z.array(json).optional(),
    parameters: json.optional(),
  }),
  /** The reply as the model wrote it: before citations are read, and with the arguments of its calls as text. */
  'model.replied': z.object({
    text: z.string(),
    toolCalls: z.array(z.object({ id: z.string(), name: z.string(), args: z.string() })),
  }),
  /** A draft after its check, sentence by sentence, without headings: a second one within a run is a rewrite. */
  'draft.checked': z.object({
    sentences: z.array(
      answerSentence.pick({ text: true, state: true, reason: true }).extend({
        /** What its state rests on: its quotes, a formula that was computed again, or a second reading. */
        stage: z.enum(['quotes', 'formula', 'reading']),
        /** As it was written, where its reader has corrected it. */
        correctedFrom: z.string().optional(),
      }),
    ),
  }),
  /**
   * The prompts that the run takes from Langfuse, word for word, so that it keeps them when it is resumed; every other
   * prompt is that of its file.
   */
  'prompts.chosen': z.object({
    label: z.string(),
    prompts: z.array(
      z.object({ id: z.string(), name: z.string(), version: count, system: z.string(), user: z.string() }),
    ),
  }),
  'model.retried': problem.extend({ attempt: count, of: count, waitMs: count }),
  /** A call that the model's context window does not hold, made once more with less in it. */
  'model.trimmed': z.object({
    message: z.string(),
    /** Length of the messages before and after. Characters. */
    from: count,
    to: count,
    /** What fits and what was counted, by the endpoint's own words. Tokens. */
    window: count.nullable(),
    sent: count.nullable(),
    leftOut: z.object({ messages: count, rounds: count, passages: count, results: count }),
  }),
  'approval.requested': z.object({ approvals: z.array(toolCall) }),
  'approval.resolved': z.object({
    approvalId: z.string(),
    approved: z.boolean(),
    reason: z.string().optional(),
    args: json.optional(),
  }),
  'cancel.requested': z.object({ by: z.string() }),
  /** A document was replaced or removed, and a sentence that quotes it no longer stands. Belongs to no run, and is not stored. */
  'claim.fallen': fallenClaim,
  /** The first run of a table, a report or an audit is about to be asked; all have its `traceParent`. Of no run, and not stored. */
  'group.begun': runGroup.extend({
    /** The questions of a table, that of a report, the beginning of an audited text. */
    name: z.string(),
    documents: count,
    /** Cells that were answered before, and that are asked. */
    known: count.optional(),
    open: count.optional(),
  }),
  'group.ended': runGroup.extend({
    state: z.enum(['completed', 'stopped', 'failed']),
    /** Cells, questions or sentences by what became of them. */
    counts: z.record(z.string(), count),
    /** Of the runs that were asked. */
    usage: z.object({
      runs: count,
      modelCalls: count,
      inputTokens: count,
      outputTokens: count,
      costUsd: z.number().nullable(),
    }),
  }),
  /** A folder that is kept current has changed, or cannot be kept so now. Belongs to no run, and is not stored. */
  'folder.changed': z.object({ folder: z.string(), counts: z.record(z.string(), count), problem: problem.nullable() }),
  /** Something went wrong and was worked around. */
  notice: z.object({
    code: z.string(),
    message: z.string(),
    /** True for what whoever waits was told before, or has set: kept for the log alone. */
    known: z.boolean().optional(),
  }),
} as const

/** For traces: subscribers of the engine get them, followers of a run do not. */
export const forTraces: ReadonlySet<string> = new Set<keyof typeof facts>([
  'model.prompted',
  'model.replied',
  'draft.checked',
])

/** Never stored: text that is streamed in pieces, and what the log holds in other words. */
export const streamedOnly: ReadonlySet<string> = new Set(['message.delta', ...forTraces])

export type SpanKind = keyof typeof spans
export const spanKinds = keysOf(spans)
export type FactType = keyof typeof facts

type Spans = typeof spans
type Facts = typeof facts
type Endings = typeof endings

/** Payload of every event, by event type. */
export type Payloads = {
  [K in SpanKind as `${K}.started`]: z.output<Spans[K]['started']>
} & {
  [K in SpanKind as `${K}.completed`]: z.output<Spans[K]['completed']>
} & {
  [K in SpanKind as `${K}.failed`]: z.output<Endings['failed']>
} & {
  [K in SpanKind as `${K}.interrupted`]: z.output<Endings['interrupted']>
} & { [K in FactType]: z.output<Facts[K]> }

export type EventType = keyof Payloads

/** Schema of every event's payload, by event type: the same table at run time. */
export const payloads = payloadTable()

/** The table is built from its parts, so that only a declared type can say that every key is there. */
function payloadTable(): { readonly [T in EventType]: z.ZodType<Payloads[T]> }
function payloadTable(): object {
  const ofSpans = Object.entries(spans).flatMap(([kind, { started, completed }]) =>
    Object.entries({ started, completed, ...endings }).map(([verb, schema]) => [`${kind}.${verb}`, schema]),
  )
  return Object.freeze({ ...Object.fromEntries(ofSpans), ...facts })
}
