import { z } from 'zod'
import type { Settings } from '../config.ts'
import { UsageError } from '../errors.ts'
import { abortSignal, checkOptions, count } from '../options.ts'
import type { RunLimits } from './hooks/limits.ts'

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
    })
    .optional(),
  approve: z.enum(['all', 'none', 'ask']).optional(),
})

const askOptions = attemptChoices.extend({
  // Ids are checked where they are used, with messages of their own.
  threadId: z.unknown().optional(),
  sessionId: z.unknown().optional(),
  userId: z.string().optional(),
  messageId: z.string().min(1).max(longestKey).optional(),
  documents: z.array(z.string()).optional(),
  documentIds: z.array(z.string()).optional(),
  idempotencyKey: z.string().min(1).max(longestKey).optional(),
  passages: z.array(z.string()).min(1).max(100).optional(),
  form: z.string().trim().min(1).max(longestQuestion).optional(),
  traceAttributes: z.record(z.string(), z.string()).optional(),
})

const toolOptions = askOptions.pick({ threadId: true, documents: true, signal: true, approve: true })
const onLeave = z.enum(['stop', 'continue']).optional()
const streamOptions = askOptions.extend({ onLeave })
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
