import { z } from 'zod'
import { UsageError } from '../../errors.ts'
import { createdIn } from '../../events/index.ts'
import type { Library } from '../../library/index.ts'
import { type AskOptions, cellThreads, logOf, type RunResult, resultOf, runIdOf, runReader } from '../../runs/index.ts'
import { checkIdentifier, type Storage } from '../../storage/index.ts'
import { hasResult, knownRun, openedIn } from '../asking/known-runs.ts'
import { type Claim, claim, keptIn } from './claim.ts'

/** A sentence of the answer, and what it rests on. */
const sentenceWithout = z.object({
  claim,
  /** The documents of its quotes. */
  documentIds: z.array(z.string()),
  /** It falls where no quote is left, or a formula may have lost a figure; what other documents are quoted for too may stand. */
  without: z.enum(['stands', 'may stand', 'falls']),
})

/** What an answer would be, if one of its documents were not there. */
export const answerWithout = z.object({
  runId: z.string(),
  documentId: z.string(),
  /** What each sentence of the answer rests on. */
  sentences: z.array(sentenceWithout),
  /** The run that asked without the document; null where no search had found it, so that nothing would be different, or no document is left. */
  again: z.object({ runId: z.string(), answer: z.string(), abstained: z.boolean(), claims: z.array(claim) }).nullable(),
})
export type AnswerWithout = z.output<typeof answerWithout>

interface Parts {
  readonly storage: Pick<Storage, 'events'>
  readonly library: Pick<Library, 'list' | 'document'>
  readonly modelNames: readonly string[]
  readonly ask: (question: string, options: AskOptions) => Promise<RunResult>
}

/**
 * Asks a run's question again as if a document of the library were not there. The question is the one that the run completed from its
 * conversation, so that only what may change is asked again, and what was asked so before comes from the log. Throws
 * `UsageError`, `RunNotFound`, `DocumentNotFound`.
 */
export async function withoutDocument(
  runId: string,
  named: string,
  { storage, library, modelNames, ask }: Parts,
  options: Pick<AskOptions, 'signal' | 'limits' | 'approve'> = {},
): Promise<AnswerWithout> {
  const log = await logOf(checkIdentifier('run', runId), storage)
  const result = resultOf(log)
  if (!hasResult(result.status)) throw new UsageError(`The run is ${result.status}: it has no answer to compare.`)
  const { documentId } = await library.document(named)
  const sentences = keptIn(result).map((each) => {
    const documentIds = [...new Set(each.quotes.map((quote) => quote.documentId))]
    return { claim: each, documentIds, without: standsWithout(documentId, each, documentIds) }
  })
  const told = { runId, documentId, sentences, again: null }
  if (!openedIn(log).includes(`${documentId}.`)) return told
  const { documents, form, passages, limits } = createdIn(log).payload
  const isLeft = (id: string) => id !== documentId
  const scope = documents ?? (await library.list()).map((each) => each.documentId)
  const documentIds = scope.filter(isLeft).sort()
  const given = passages?.filter((id) => !id.startsWith(`${documentId}.`))
  if (documentIds.length === 0 || given?.length === 0) return told
  const question = result.standaloneQuestion ?? result.question
  const asked = ['without', question, form ?? '', ...(given ?? []), ...documentIds, ...modelNames]
  const { key, known } = await knownRun(asked, false, runReader(storage))
  const place = { threadId: `${cellThreads}${runIdOf(key)}`, documentIds, idempotencyKey: key }
  const how = { ...(form !== undefined && { form }), ...(given && { passages: given }), ...(limits && { limits }) }
  const again = known ?? (await ask(question, { ...how, ...options, ...place }))
  const { answer, abstained } = again
  return { ...told, again: { runId: again.runId, answer, abstained, claims: [...keptIn(again)] } }
}

function standsWithout(
  documentId: string,
  { formulas }: Claim,
  documentIds: readonly string[],
): AnswerWithout['sentences'][number]['without'] {
  if (!documentIds.includes(documentId)) return 'stands'
  return documentIds.length === 1 || formulas.length > 0 ? 'falls' : 'may stand'
}
