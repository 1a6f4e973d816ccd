import { z } from 'zod'

/** What a client wants to see of a thread. */
export const subscription = z.looseObject({
  channels: z.array(z.string()).max(100),
  /** Prefixes of namespaces; all, if absent. Everything here happens in the root, `[]`. */
  namespaces: z.array(z.array(z.string())).max(1000).nullish(),
  since: z.number().nullish(),
})
export type Subscription = z.output<typeof subscription>

export const command = z.looseObject({
  id: z.number().int(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).nullish(),
})
export type Command = z.output<typeof command>

/** A run, as `runCreate` reads it but for this. */
export const runStart = z.looseObject({ multitaskStrategy: z.string().nullish() })

const answer = z.looseObject({ interrupt_id: z.string(), response: z.unknown() })
export const inputRespond = z.union([
  z.looseObject({ responses: z.array(answer).min(1) }).transform(({ responses }) => responses),
  answer.transform((one) => [one]),
])
