import { z } from 'zod'
import { checkOptions, type Shape } from '../../options.ts'
import { logOf, type RunResult, resultOf } from '../../runs/index.ts'
import { checkIdentifier, type Storage } from '../../storage/index.ts'
import { type Claim, claimsOfAnswer } from './claim.ts'
import { type ClaimStanding, type ReadLibrary, standingOf } from './standing.ts'

/** Selects claims; an empty filter selects all. */
export interface ClaimFilter {
  readonly threadId?: string
  /** Those of threads whose ids begin so. */
  readonly threadPrefix?: string
  readonly runId?: string
  /** Those that quote this document. */
  readonly documentId?: string
}

/** The sentences of answers with what they rest on: read from the log of the runs, and kept nowhere else. */
export interface Claims {
  /** Those of finished runs, the oldest first. Throws `RunNotFound`, `InvalidId`, `UsageError`. */
  list(filter?: ClaimFilter): Promise<readonly Claim[]>
  /** Looks up the quotes of all sentences of answers in the library of now, without a model. */
  check(filter?: ClaimFilter): Promise<readonly ClaimStanding[]>
}

const answered: ReadonlySet<RunResult['status']> = new Set(['completed', 'limit_reached'])

const claimFilter = z.strictObject({
  threadId: z.string().optional(),
  threadPrefix: z.string().optional(),
  runId: z.string().optional(),
  documentId: z.string().optional(),
} satisfies Shape<ClaimFilter>)

export function claimsOf(storage: Pick<Storage, 'events'>, library: ReadLibrary): Claims {
  const runIds = async ({ threadId, threadPrefix = '', runId }: ClaimFilter) => {
    if (runId !== undefined) return [(await storage.events.run(checkIdentifier('run', runId))).runId]
    const own = threadId === undefined ? {} : { threadId: checkIdentifier('thread', threadId) }
    const runs = await storage.events.runs({ ...own, threadPrefix })
    return runs.flatMap(({ runId, status }) => (answered.has(status.state) ? [runId] : []))
  }
  const list = async (filter: ClaimFilter = {}) => {
    checkOptions('The filter', claimFilter, filter)
    const { documentId: quoted } = filter
    const claims: Claim[] = []
    const citing = quoted === undefined ? null : new Set(await storage.events.citing([quoted]))
    for (const id of await runIds(filter)) {
      if (citing && !citing.has(id)) continue
      const found = claimsOfAnswer(resultOf(await logOf(id, storage)))
      claims.push(...found.filter(({ quotes }) => !quoted || quotes.some(({ documentId }) => documentId === quoted)))
    }
    return claims
  }
  return {
    list,
    async check(filter) {
      const claims = await list(filter)
      return standingOf(
        claims.filter(({ state }) => state !== 'unsupported'),
        library,
      )
    },
  }
}
