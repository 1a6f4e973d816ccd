import { createHash } from 'node:crypto'
import { z } from 'zod'
import { asError } from '../errors.ts'
import type { Score, ScoreSender, ScoreValue } from '../events/index.ts'
import { redactAll } from '../redact.ts'
import { rootSpanIdOf, tracePlaceOf } from '../tracing/index.ts'
import type { LangfuseApi } from './api.ts'
import { LangfuseUnavailable } from './failure.ts'

/** Attaches scores to the traces of their runs. `onFailure` is called for scores that do not arrive. */
export function langfuseScores(api: LangfuseApi, onFailure: (message: string) => void): ScoreSender {
  return {
    async send(score, signal, traceParent) {
      const { traceId, parentSpanId } = tracePlaceOf(score.runId, traceParent)
      // Others share the trace.
      const ofRun = parentSpanId !== undefined && { observationId: rootSpanIdOf(score.runId) }
      try {
        await postScore(api, { ...score, id: scoreIdOf(score), traceId, ...ofRun }, signal)
        return 'delivered'
      } catch (error) {
        const why = asError(error).message
        if (!signal?.aborted) onFailure(`Scores do not arrive: ${why} Answers are not affected.`)
        return error instanceof LangfuseUnavailable && error.isRefusal ? 'refused' : 'waiting'
      }
    },
  }
}

/** A score of a trace, or of a whole experiment. */
export interface ScoreRequest {
  readonly id: string
  readonly traceId?: string
  readonly observationId?: string
  readonly datasetRunId?: string
  readonly name: string
  readonly value: ScoreValue
  readonly comment?: string | null
  readonly userId?: string | null
}

/** The id of a run's score of one name: sent again, it replaces itself. */
export function scoreIdOf({ runId, name }: Pick<Score, 'runId' | 'name'>): string {
  return stableId('score', runId, name)
}

/** The same parts give the same id. */
export function stableId(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

/** Posts one score. Throws `LangfuseUnavailable`. */
export async function postScore(api: LangfuseApi, score: ScoreRequest, signal?: AbortSignal): Promise<void> {
  const { id, traceId, observationId, datasetRunId, name, value, comment, userId } = score
  const body = {
    id,
    ...(traceId !== undefined && { traceId }),
    ...(observationId !== undefined && { observationId }),
    ...(datasetRunId !== undefined && { datasetRunId }),
    name,
    ...typed(value),
    ...(comment && { comment }),
    ...(api.environment !== undefined && { environment: api.environment }),
    ...(userId && { metadata: { userId } }),
  }
  const answer = z.object({ id: z.string() })
  const request = { method: 'POST', path: ['scores'], answer, what: 'a score', signal } as const
  await api.request({ ...request, body: redactAll(body, api.redact) })
}

function typed(value: ScoreValue) {
  if (typeof value === 'number') return { value, dataType: 'NUMERIC' } as const
  if (typeof value === 'boolean') return { value: Number(value), dataType: 'BOOLEAN' } as const
  return { value, dataType: 'CATEGORICAL' } as const
}
