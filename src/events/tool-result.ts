import { z } from 'zod'
import { type LimitName, limitNames } from '../errors.ts'
import { type Usage, usage } from './catalogue.ts'
import { type Observation, observation } from './observation.ts'

/** What a tool hands back: text for the model, and the evidence behind it. */
export interface ToolResult {
  readonly content: string
  readonly observations?: readonly Observation[]
  /** Ends the loop with this text as the agent's result. */
  readonly final?: string
  /** What went wrong and was worked around; the log keeps it, and whoever waits is told. */
  readonly notices?: readonly { readonly code: string; readonly message: string }[]
  /** What the call has cost in tokens and money, which counts towards the run's. */
  readonly usage?: Usage
  /** A limit of the run that cut the work short: whoever asked ends too, with what there is. */
  readonly limit?: { readonly name: LimitName; readonly value: number; readonly message: string }
}

/** What a tool may hand back; also a hook that answers in its place. */
export const toolResult = z.object({
  content: z.string(),
  observations: z.array(observation).optional(),
  final: z.string().optional(),
  notices: z.array(z.object({ code: z.string(), message: z.string() })).optional(),
  usage: usage.optional(),
  limit: z.object({ name: z.enum(limitNames), value: z.number(), message: z.string() }).optional(),
})
