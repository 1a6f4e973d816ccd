import { z } from 'zod'
import { UsageError } from '../../errors.ts'
import { abortSignal, checkOptions, count } from '../../options.ts'

/** Longer questions are refused: they are documents, not questions. Characters. */
const longestQuestion = 20_000

/** Characters of an idempotency key. */
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
  // Ids are checked where they are used, with a sentence of their own.
  threadId: z.unknown().optional(),
  sessionId: z.unknown().optional(),
  userId: z.string().optional(),
  documents: z.array(z.string()).optional(),
  documentIds: z.array(z.string()).optional(),
  idempotencyKey: z.string().min(1).max(longestKey).optional(),
})

const toolOptions = askOptions.pick({ threadId: true, documents: true, signal: true, approve: true })
const onLeave = z.enum(['stop', 'continue']).optional()
const streamOptions = askOptions.extend({ onLeave })
const resumeOptions = attemptChoices.extend({ onLeave })

const position = count.max(Number.MAX_SAFE_INTEGER).optional()
const followOptions = z.strictObject({ after: position, signal: abortSignal.optional() })
// The turn and the id are checked against the thread, with sentences of their own.
const forkOptions = z.strictObject({ at: z.unknown().optional(), as: z.unknown().optional() })
const runFilter = z.strictObject({ threadId: z.string().optional(), unfinished: z.boolean().optional() })

const answers = z.record(
  z.string(),
  z.strictObject({
    approved: z.boolean(),
    reason: z.string().optional(),
    args: z.record(z.string(), z.unknown()).optional(),
  }),
)

/** Lets the options of a question through, or throws `UsageError` with the option that is wrong. */
export function checkAskOptions(options: unknown): void {
  checkOptions('The options of the question', askOptions, options)
}

/** Likewise those of a tool that is run by hand. */
export function checkToolOptions(options: unknown): void {
  checkOptions('The options of the tool', toolOptions, options)
}

/** Likewise those of a stream. */
export function checkStreamOptions(options: unknown): void {
  checkOptions('The options of the question', streamOptions, options)
}

/** Likewise those of a resume, with the answers to its approvals. */
export function checkResume(given: unknown, options: unknown): void {
  checkOptions('The answers', answers, given)
  checkOptions('The options', resumeOptions, options)
}

/** Likewise those of whoever follows a run. */
export function checkFollowOptions(options: unknown): void {
  checkOptions('The options of the following', followOptions, options)
}

/** Likewise those of a fork; whether the thread has such a turn is not known here. */
export function checkForkOptions(options: unknown): void {
  checkOptions('The options of the fork', forkOptions, options)
}

/** Likewise which runs are to be listed. */
export function checkRunFilter(filter: unknown): void {
  checkOptions('The filter', runFilter, filter)
}

/** Likewise a position in a run's log. */
export function checkPosition(given: unknown): void {
  checkOptions('The position', position, given)
}

/** The question without the space around it. Throws `UsageError` where there is none, or far too much of it. */
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
