import { z } from 'zod'
import { LangfuseUnavailable } from './failure.ts'

/** What Langfuse answers to what is put there, as far as it is used. */
export const answers = {
  score: z.object({ id: z.string() }),
  dataset: z.object({ id: z.string(), projectId: z.string() }),
  datasetItem: z.object({ id: z.string() }),
  datasetRunItem: z.object({ datasetRunId: z.string() }),
  datasetRun: z.object({
    id: z.string(),
    datasetRunItems: z.array(z.object({ datasetItemId: z.string(), traceId: z.string() })),
  }),
  projects: z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })) }),
} as const

/**
 * An answer of the REST API, if it is one: the client hands on what came with a good status, whatever it is, the page
 * of a login or of another service too. Throws `LangfuseUnavailable`, which names what was asked for.
 */
export function checkedAnswer<Schema extends z.ZodType>(
  schema: Schema,
  answer: unknown,
  what: string,
): z.output<Schema> {
  const parsed = schema.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new LangfuseUnavailable(`What came from Langfuse for ${what} is no answer of its API. Check LANGFUSE_BASE_URL.`)
}
