import { z } from 'zod'
import { UsageError } from '../errors.ts'

/** Longer questions are refused: they are documents, not questions. Characters. */
const longestQuestion = 20_000

/** Characters of an idempotency key. */
const longestKey = 255

const whole = z.number().int().nonnegative().nullish()
const amount = z.number().nonnegative().nullish()

const attemptChoices = z.strictObject({
  signal: z.instanceof(AbortSignal).optional(),
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
const streamOptions = askOptions.extend({ onLeave: z.enum(['stop', 'continue']).optional() })

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
  check('The options of the question', askOptions, options)
}

/** Likewise those of a tool that is run by hand. */
export function checkToolOptions(options: unknown): void {
  check('The options of the tool', toolOptions, options)
}

/** Likewise those of a stream. */
export function checkStreamOptions(options: unknown): void {
  check('The options of the question', streamOptions, options)
}

/** Likewise those of a resume, with the answers to its approvals. */
export function checkResume(given: unknown, options: unknown): void {
  check('The answers', answers, given)
  check('The options', attemptChoices, options)
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

function check(what: string, schema: z.ZodType, value: unknown): void {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new UsageError(`${what} cannot be used: ${z.prettifyError(parsed.error)}`)
}
