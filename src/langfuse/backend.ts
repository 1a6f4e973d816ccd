import { LangfuseSpanProcessor } from '@langfuse/otel'
import type { ScoredBackend, TracingOptions } from '../tracing/otel/open-tracing.ts'
import { type LangfuseAccess, langfuseEndpoint } from './access.ts'
import { LangfuseApi, silenceLangfuse } from './api.ts'
import { LangfuseScores } from './scores.ts'

/** So long a score may take: who gives one waits for it. */
const scoreTimeoutMs = 2500

/** Langfuse as a backend of traces and scores. What does not arrive is told of once. */
export function langfuseBackend(
  access: LangfuseAccess,
  { redact, onNotice }: Pick<TracingOptions, 'redact' | 'onNotice'>,
): ScoredBackend {
  silenceLangfuse()
  const onFailure = once(onNotice)
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

function once(tell: (message: string) => void): (message: string) => void {
  let isTold = false
  return (message) => {
    if (!isTold) tell(message)
    isTold = true
  }
}
