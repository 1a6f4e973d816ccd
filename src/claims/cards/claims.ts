import { z } from 'zod'
import { createdIn, type Event, type RunRecord } from '../../events/index.ts'
import type { Library } from '../../library/index.ts'
import { checkOptions, count, type Shape } from '../../options.ts'
import { cellThreads, newestLogs, type RunResult, resultOf } from '../../runs/index.ts'
import { checkIdentifier, type Storage } from '../../storage/index.ts'
import { type Claim, claimsOfAnswer, isKept } from './claim.ts'
import { type ClaimStanding, type ReadLibrary, standingOf } from './standing.ts'

/** Selects claims; an empty filter selects all. */
export interface ClaimFilter {
  readonly threadId?: string
  /** Those of threads whose ids begin so. */
  readonly threadPrefix?: string
  readonly runId?: string
  /** Those that quote this document, named as the library's are: by its id, a beginning of it, or its file. */
  readonly documentId?: string
}

/** Which part of a list: `limit` sentences (100, if absent) and the rest of the last answer, from where the part before ended. */
export interface ClaimPage {
  readonly limit?: number
  readonly cursor?: number
}

/** The sentences of answers with what they rest on: read from the log of the runs, and kept nowhere else. */
export interface Claims {
  /** Those of finished runs, the oldest first. Throws `RunNotFound`, `DocumentNotFound`, `DocumentAmbiguous`, `InvalidId`, `UsageError`. */
  list(filter?: ClaimFilter): Promise<readonly Claim[]>
  /** The newest answers first, of which only those of the page are read; `next` is the cursor of the next page. */
  page(filter?: ClaimFilter & ClaimPage): Promise<{ readonly claims: readonly Claim[]; readonly next: number | null }>
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

const claimPage = claimFilter.extend({
  limit: count.min(1).optional(),
  cursor: count.optional(),
} satisfies Shape<ClaimPage>)

export function claimsOf(storage: Pick<Storage, 'events'>, library: ReadLibrary & Pick<Library, 'document'>): Claims {
  const answers = async function* ({ documentId: named, ...filter }: ClaimFilter, cursor = 0) {
    // A document that was removed is still quoted, and named by its whole id.
    const isId = named === undefined || (await storage.events.citing([named])).length > 0
    const documentId = isId ? named : (await library.document(named)).documentId
    yield* answersIn({ ...filter, ...(documentId !== undefined && { documentId }) }, cursor, storage)
  }
  const list = async (filter: ClaimFilter = {}) => {
    checkOptions('The filter', claimFilter, filter)
    const found: (readonly Claim[])[] = []
    for await (const { claims } of answers(filter)) found.push(claims)
    return found.reverse().flat()
  }
  return {
    list,
    async page({ limit = 100, cursor = 0, ...filter } = {}) {
      checkOptions('The filter', claimPage, { limit, cursor, ...filter })
      const found: Claim[] = []
      let next = cursor
      for await (const { claims, end } of answers(filter, cursor)) {
        if (found.length >= limit) return { claims: found, next }
        found.push(...claims)
        next = end
      }
      return { claims: found, next: null }
    },
    async check(filter) {
      const claims = await list(filter)
      return standingOf(
        claims.filter(({ state }) => state !== 'unsupported'),
        library,
      )
    },
  }
}

/** The claims of each answer that has any, the newest first; `end` is the cursor behind it. */
async function* answersIn(
  { documentId: quoted, threadId, threadPrefix = '', runId }: ClaimFilter,
  cursor: number,
  storage: Pick<Storage, 'events'>,
) {
  const citing = quoted === undefined ? null : new Set(await storage.events.citing([quoted]))
  const one = runId === undefined ? null : await storage.events.run(checkIdentifier('run', runId))
  const own = one ?? (threadId === undefined ? {} : { threadId: checkIdentifier('thread', threadId) })
  const isWanted = (run: RunRecord) =>
    (one ? run.runId === runId : answered.has(run.status.state)) && citing?.has(run.runId) !== false
  const runs = { ...(own.threadId !== undefined && { threadId: own.threadId }), threadPrefix, offset: cursor }
  for await (const { log, end } of newestLogs(runs, isWanted, storage)) {
    const all = claimsIn(log)
    const claims = all.filter(({ quotes }) => !quoted || quotes.some(({ documentId }) => documentId === quoted))
    if (claims.length > 0) yield { claims, end }
  }
}

/** The sentences of a run's answer that somebody was shown: a cell that was filled without a model shows the first alone. */
export function claimsIn(log: readonly Event[]): readonly Claim[] {
  const result = resultOf(log)
  const claims = claimsOfAnswer(result)
  const { threadId, form, passages } = createdIn(log).payload
  // On a server, the user's name stands before it; a section of a report is written from passages.
  const isCell = threadId.includes(cellThreads) && form !== undefined && !passages
  return isCell && result.model === 'extractive' ? claims.filter(isKept).slice(0, 1) : claims
}
