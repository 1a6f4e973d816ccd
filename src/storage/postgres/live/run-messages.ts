import { createHash } from 'node:crypto'
import { z } from 'zod'
import { streamEvent } from '../../../events/index.ts'

const sequence = z.int().nonnegative()

/** What the process that works on a run sends: a state to join at, lines since, or that no more will come. */
export const runMessage = z.union([
  z.object({ sequence, position: z.int().nonnegative(), soFar: z.array(streamEvent).readonly() }),
  z.object({ sequence, lines: z.array(streamEvent).readonly() }),
  z.object({ isOver: z.literal(true) }),
])
export type RunMessage = z.input<typeof runMessage>

/** The channel of a run as one owner of leases works on it, so that a former owner is not heard. */
export function channelOf(owner: string, runId: string): string {
  return `quaero_${createHash('sha256').update(`${owner} ${runId}`).digest('hex').slice(0, 40)}`
}

/** On the channel of all runs: news of a run, or what one who listens asks of its owner. */
export const runsMessage = z.union([
  z.object({ runId: z.string(), owner: z.string(), asks: z.enum(['to join', 'to go on']) }),
  z.object({ runId: z.string(), threadId: z.string().optional() }),
])
export type RunsMessage = z.input<typeof runsMessage>

/** What the message says; null for one that another version of the program may have sent. */
export function parsed<T>(schema: z.ZodType<T>, message: string): T | null {
  try {
    return schema.safeParse(JSON.parse(message)).data ?? null
  } catch {
    return null
  }
}
