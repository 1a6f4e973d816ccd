import { configureGlobalLogger, LogLevel } from '@langfuse/core'
import { LangfuseSpanProcessor } from '@langfuse/otel'
import type { ScoredBackend, TracingOptions } from '../tracing/otel/open-tracing.ts'
import { type LangfuseAccess, langfuseEndpoint } from './access.ts'
import { LangfuseApi } from './api.ts'
import { LangfuseScores } from './scores.ts'

/** The caller waits for a score. */
const scoreTimeoutMs = 2500

/** Langfuse as a backend of traces and scores. The first failure is reported, once. */
export function langfuseBackend(
  access: LangfuseAccess,
  { redact, onNotice }: Pick<TracingOptions, 'redact' | 'onNotice'>,
): ScoredBackend {
  // With LANGFUSE_DEBUG or LANGFUSE_LOG_LEVEL, its packages would print keys, and spans before they are redacted.
  configureGlobalLogger({ level: LogLevel.NONE })
  let isReported = false
  const onFailure = (message: string) => {
    if (!isReported) onNotice(message)
    isReported = true
  }
  return {
    endpoint: langfuseEndpoint(access),
    onFailure,
    processor: (exporter, flushAt) =>
      new LangfuseSpanProcessor({
        ...access,
        exporter,
        flushAt,
        mediaUploadEnabled: false,
        shouldExportSpan: () => true,
      }),
    scores: new LangfuseScores(new LangfuseApi(access, { redact, timeoutMs: scoreTimeoutMs }), onFailure),
  }
}
