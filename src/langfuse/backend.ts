import type { ScoreSender } from '../events/index.ts'
import type { SpanBackend, TracingOptions } from '../tracing/otel/open-tracing.ts'
import type { LangfuseAccess } from './access.ts'
import { once } from './failure.ts'
import { langfuseScores } from './scores.ts'
import { spanBackend } from './span-backend.ts'

/** Langfuse as a backend of traces and scores. The first failure is reported, once. */
export function langfuseBackend(
  access: LangfuseAccess,
  { redact, onNotice }: Pick<TracingOptions, 'redact' | 'onNotice'>,
): SpanBackend & { readonly scores: ScoreSender } {
  const onFailure = once(onNotice)
  return { ...spanBackend(access, onFailure), scores: langfuseScores(access, { redact, onFailure }) }
}
