import { z } from 'zod'
import type { Settings } from '../config.ts'
import { UsageError } from '../errors.ts'
import { type FilterOptions, filterShape } from '../library/index.ts'
import { abortSignal, checkOptions, count, type Shape } from '../options.ts'
import type { OnLeave } from './follow/follower.ts'
import type { RunLimits } from './hooks/limits.ts'

/**
 * Upper bounds of one run, checked before each next call. Absent or null means the setting in the configuration. `tokens`
 * are those of input and output together.
 */
export type Limits = Partial<RunLimits>

export interface AskOptions extends FilterOptions {
  /** `[A-Za-z0-9_-]{1,128}`; a new one is made if absent. */
  readonly threadId?: string
  /** The same as `threadId`; given both, they must agree. */
  readonly sessionId?: string
  readonly userId?: string
  /** The id that the client gives the question; messages of the thread have it again. At most 255 characters. */
  readonly messageId?: string
  /** Stops the run when aborted; the run can be resumed. */
  readonly signal?: AbortSignal
  readonly limits?: Limits
  /** Files or folders to add if they are new or changed; this run, and follow-ups that name none, search no others. */
  readonly documents?: readonly string[]
  /** Ids of documents in the library, in place of `documents`; nothing is read. */
  readonly documentIds?: readonly string[] | undefined
  /** Ids of documents that are not searched, whatever else is said; follow-ups do not remember them. */
  readonly except?: readonly string[]
  /** Asks about tools that the trust level is careful with: run them, refuse them, or wait for an answer. */
  readonly approve?: 'all' | 'none' | 'ask'
  /**
   * Names this request, so that repeating it is harmless: the same key always means the same run, also at the same time,
   * in another process or after a restart. A repeat waits for that run, or resumes it if it was interrupted; it starts no
   * other. At most 255 characters.
   */
  readonly idempotencyKey?: string
  /** Ids of passages, at most 100: the answer is written from these alone, and nothing is searched. */
  readonly passages?: readonly string[]
  /** How the answer begins, in words for its writer: "The first sentence begins with Yes or No." At most 20,000 characters. */
  readonly form?: string
  /** Searches are planned before anything is written: for a broad question, of which a first search holds only a part. */
  readonly plan?: boolean
  /** Attributes of every span in the trace of the run, for instance `langfuse.experiment.id`. */
  readonly traceAttributes?: Readonly<Record<string, string>>
  /** A span that the run is traced below, as the header `traceparent` of W3C has it; absent, the run has a trace of its own. */
  readonly traceParent?: string
}

/** Where a run is traced. */
export type Traced = Pick<AskOptions, 'traceParent' | 'traceAttributes'>

export interface StreamOptions extends AskOptions {
  /** When the reader leaves the loop early, the run stops where it can be resumed, or continues. */
  readonly onLeave?: OnLeave
}

/** What may be chosen for each attempt of a run, the first and every resume. */
export type AttemptChoices = Pick<AskOptions, 'signal' | 'limits' | 'approve'>

/** Longer questions are refused: they are documents, not questions. Characters. */
export const longestQuestion = 20_000

/** Characters of an idempotency key, or of the id of a message. */
const longestKey = 255

const whole = count.nullish()
const amount = z.number().nonnegative().nullish()

const attemptChoices = z.strictObject({
  signal: abortSignal.optional(),
  limits: z
    .strictObject({
      modelCalls: whole,
      rounds: whole,
      toolCalls: whole,
      tokens: whole,
      costUsd: amount,
      wallClockMs: amount,
    } satisfies Shape<RunLimits>)
    .optional(),
  approve: z.enum(['all', 'none', 'ask']).optional(),
} satisfies Shape<AttemptChoices>)

const askOptions = attemptChoices.extend({
  // Ids are checked where they are used, with messages of their own.
  threadId: z.unknown().optional(),
  sessionId: z.unknown().optional(),
  userId: z.string().optional(),
  messageId: z.string().min(1).max(longestKey).optional(),
  documents: z.array(z.string()).optional(),
  documentIds: z.array(z.string()).optional(),
  ...filterShape,
  except: z.array(z.string()).optional(),
  idempotencyKey: z.string().min(1).max(longestKey).optional(),
  passages: z.array(z.string()).min(1).max(100).optional(),
  form: z.string().trim().min(1).max(longestQuestion).optional(),
  plan: z.boolean().optional(),
  traceAttributes: z.record(z.string(), z.string()).optional(),
  traceParent: z
    .string()
    .regex(
      /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/,
      'must be a traceparent as W3C states it: 00-…-…-01',
    )
    .optional(),
} satisfies Shape<Omit<AskOptions, keyof AttemptChoices>>)

const toolOptions = askOptions.pick({ threadId: true, documents: true, signal: true, approve: true })
const onLeave = z.enum(['stop', 'continue']).optional()
const streamOptions = askOptions.extend({ onLeave } satisfies Shape<Omit<StreamOptions, keyof AskOptions>>)
const resumeOptions = attemptChoices.extend({ onLeave })

const answers = z.record(
  z.string(),
  z.strictObject({
    approved: z.boolean(),
    reason: z.string().optional(),
    args: z.record(z.string(), z.unknown()).optional(),
  }),
)

const checker = (what: string, schema: z.ZodType) => (options: unknown) => checkOptions(what, schema, options)

// Each throws `UsageError` with the option that is wrong.
export const checkAskOptions = checker('The options of the question', askOptions)
export const checkToolOptions = checker('The options of the tool', toolOptions)
export const checkStreamOptions = checker('The options of the question', streamOptions)

/** Checks the options of a resume, and the answers to its approvals. */
export function checkResume(given: unknown, options: unknown): void {
  checkOptions('The answers', answers, given)
  checkOptions('The options', resumeOptions, options)
}

/** The trimmed question. Throws `UsageError` if it is empty or too long. */
export function checkQuestion(question: unknown): string {
  if (typeof question !== 'string') throw new UsageError('The question is not a text. Give it as a string.')
  const asked = question.trim()
  if (asked === '')
    throw new UsageError('The question is empty. Ask something, for instance: quaero ask "What was measured?"')
  if (asked.length <= longestQuestion) return asked
  throw new UsageError(
    `The question has ${asked.length.toLocaleString('en')} characters; at most ${longestQuestion.toLocaleString('en')} are read. Add long text as a document instead.`,
  )
}

/** The caller's limits, else those of the settings. */
export function limitsFrom(own: Partial<RunLimits>, { wallClockSeconds, ...rest }: Settings['limits']): RunLimits {
  return { ...rest, wallClockMs: wallClockSeconds && 1000 * wallClockSeconds, ...givenLimits(own) }
}

/** Without those that are absent or null. */
export function givenLimits(limits: Partial<RunLimits>): Partial<RunLimits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined && value !== null))
}
