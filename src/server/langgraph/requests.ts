import { z } from 'zod'
import { type ApprovalAnswer, type RunResult, UsageError } from '../../index.ts'

const parts = z.array(z.looseObject({ text: z.string().optional() }))
const content = z.union([z.string(), parts], 'a text or a list of parts is needed')
const message = z.looseObject({
  id: z.string().nullish(),
  type: z.string().optional(),
  role: z.string().optional(),
  content,
})

const decision = z.union([
  z.looseObject({ type: z.literal('approve') }),
  z.looseObject({ type: z.literal('reject'), message: z.string().optional() }),
  z.looseObject({ type: z.literal('edit'), edited_action: z.looseObject({ args: z.record(z.string(), z.unknown()) }) }),
])

const metadata = z.record(z.string(), z.unknown())

export const threadCreate = z.looseObject({
  thread_id: z.string().nullish(),
  metadata: metadata.nullish(),
  if_exists: z.string().nullish(),
})

/** What threads are looked up by; what is absent selects all. */
export const threadSearch = z.looseObject({
  metadata: metadata.nullish(),
  ids: z.array(z.string()).nullish(),
  status: z.string().nullish(),
  sort_by: z.enum(['thread_id', 'status', 'created_at', 'updated_at', 'state_updated_at']).nullish().catch(null),
  sort_order: z.string().nullish(),
  limit: z.number().int().min(0).max(1000).nullish(),
  offset: z.number().int().min(0).nullish(),
  select: z.array(z.string()).nullish(),
})
export type ThreadSearch = z.output<typeof threadSearch>

const checkpoint = z.looseObject({ checkpoint_id: z.string().nullish() })

export const runCreate = z.looseObject({
  assistant_id: z.string().nullish(),
  input: z
    .looseObject({
      messages: z.union([message, z.array(message)], 'a message or a list of messages is needed').optional(),
    })
    .nullish(),
  command: z.looseObject({ resume: z.unknown().optional(), goto: z.unknown().optional() }).nullish(),
  stream_mode: z.union([z.string(), z.array(z.string())], 'a mode or a list of modes is needed').nullish(),
  multitask_strategy: z.string().nullish(),
  if_not_exists: z.string().nullish(),
  on_disconnect: z.enum(['cancel', 'continue']).nullish(),
  checkpoint: checkpoint.nullish(),
  checkpoint_id: z.string().nullish(),
  config: z.looseObject({ configurable: checkpoint.nullish() }).nullish(),
})
export type RunCreate = z.output<typeof runCreate>

export function modesOf({ stream_mode: modes }: RunCreate): ReadonlySet<string> {
  if (modes === null || modes === undefined) return new Set(['values'])
  return new Set(typeof modes === 'string' ? [modes] : modes)
}

/** The checkpoint that a run is to go on from; null for the last one. */
export function checkpointOf({ checkpoint, checkpoint_id: id, config }: RunCreate): string | null {
  return checkpoint?.checkpoint_id ?? id ?? config?.configurable?.checkpoint_id ?? null
}

/** The question that a run begins with, and the id that the client gave it. */
export function questionOf({ input }: RunCreate): { readonly question: string; readonly id: string | null } {
  const messages = input?.messages === undefined ? [] : [input.messages].flat()
  const last = messages.findLast(({ type, role }) => type === 'human' || role === 'user' || role === 'human')
  const text =
    typeof last?.content === 'string' ? last.content : (last?.content ?? []).map((part) => part.text ?? '').join('')
  if (text.trim() === '') throw new UsageError('The input holds no message of a human.')
  return { question: text.trim(), id: last?.id ?? null }
}

/** The person's decisions, in the order of the approvals that the run waits for. */
export function answersOf({ approvals }: RunResult, resume: unknown): Readonly<Record<string, ApprovalAnswer>> {
  const parsed = z.looseObject({ decisions: z.array(decision) }).safeParse(resume)
  const decisions = parsed.success ? parsed.data.decisions : []
  if (decisions.length !== approvals.length) {
    throw new UsageError(`The run waits for ${approvals.length} decisions: {"decisions": [{"type": "approve"}]}.`)
  }
  return Object.fromEntries(approvals.map(({ id }, index) => [id, answerOf(decisions[index])]))
}

function answerOf(given: z.output<typeof decision> | undefined): ApprovalAnswer {
  if (given?.type === 'edit') return { approved: true, args: given.edited_action.args }
  if (given?.type === 'reject')
    return { approved: false, ...(given.message !== undefined && { reason: given.message }) }
  return { approved: given?.type === 'approve' }
}
