import { event } from '../events/index.ts'
import type { Redact } from '../redact.ts'
import { openTracing, type TraceLabels } from '../tracing/otel/open-tracing.ts'
import type { LangfuseAccess } from './access.ts'
import { LangfuseUnavailable } from './failure.ts'
import { spanBackend } from './span-backend.ts'

/** Why a question has no run. */
export interface RefusedQuestion {
  readonly threadId: string
  readonly code: string
  readonly message: string
}

interface Refusal extends RefusedQuestion {
  readonly input: string
  /** The run that it would have had. */
  readonly runId: string
  readonly attributes: Readonly<Record<string, string>>
}

/** Sends a trace of one failed root for each question that was refused. Throws `LangfuseUnavailable`. */
export async function traceRefused(
  refused: readonly Refusal[],
  access: LangfuseAccess,
  { labels, redact }: { readonly labels: TraceLabels; readonly redact: Redact },
): Promise<void> {
  const failures: string[] = []
  const onFailure = (message: string) => void failures.push(message)
  const langfuse = spanBackend(access, onFailure)
  const traces = openTracing({ langfuse, otlp: null, labels, redact, onNotice: onFailure })
  for (const { input: question, runId, threadId, code, message, attributes: traceAttributes } of refused) {
    const asked = { threadId, turn: 1, question, documents: null, traceAttributes }
    const created = event('run.created', asked, { correlationId: runId })
    const origin = { correlationId: runId, causationId: created.id }
    const started = event('run.started', { question, model: 'none', attempt: 1 }, origin)
    const failed = event('run.failed', { code, message, recoverable: false }, { ...origin, causationId: started.id })
    traces.tracer({ ...started, runId }, [created])
    traces.tracer({ ...failed, runId })
  }
  await traces.close()
  if (failures[0] !== undefined) throw new LangfuseUnavailable(failures[0])
}
