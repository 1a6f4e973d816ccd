/** Schemas that the `--json` of several commands shares. */
import { z } from 'zod'
import { runStates } from '../../events/status.ts'

export const count = z.number().int().nonnegative()
export const time = z.iso.datetime()
export const problem = z.strictObject({ code: z.string(), message: z.string() })

export const embedReport = z.strictObject({
  model: z.string(),
  dimensions: count.nullable(),
  embedded: count,
  sent: count,
  tokens: count.nullable(),
  costUsd: z.number().nullable(),
  missing: count,
  error: problem.nullable(),
})

export const runSummary = z.strictObject({
  runId: z.string(),
  threadId: z.string(),
  status: z.enum(runStates),
  question: z.string(),
  startedAt: time.nullable(),
  endedAt: time.nullable(),
})

/** One line of `--jsonl`, and one event of `runs events`: what every event has. docs/events.md lists the payloads. */
export const eventLine = z.looseObject({
  id: z.string(),
  type: z.string(),
  timestamp: time,
  runId: z.string(),
  threadId: z.string().nullable(),
  correlationId: z.string(),
  causationId: z.string().optional(),
  agent: z.string().optional(),
  position: count.min(1).optional(),
  payload: z.record(z.string(), z.unknown()),
})
