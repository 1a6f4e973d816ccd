import { configureGlobalLogger, LANGFUSE_SDK_VERSION, LogLevel } from '@langfuse/core'
import { LangfuseSpanProcessor } from '@langfuse/otel'
import type { SpanBackend } from '../tracing/index.ts'
import { type LangfuseAccess, langfuseEndpoint } from './access.ts'

/** Langfuse as a backend of traces. `onFailure` is called for spans that do not arrive. */
export function spanBackend(access: LangfuseAccess, onFailure: SpanBackend['onFailure']): SpanBackend {
  // With LANGFUSE_DEBUG or LANGFUSE_LOG_LEVEL, its packages would print keys, and spans before they are redacted.
  configureGlobalLogger({ level: LogLevel.NONE })
  return {
    // The server copies all attributes into `metadata.attributes`, but for spans of its own packages.
    endpoint: { ...langfuseEndpoint(access), scope: { name: 'langfuse-sdk', version: LANGFUSE_SDK_VERSION } },
    onFailure,
    processor: (exporter, flushAt) =>
      new LangfuseSpanProcessor({
        ...access,
        exporter,
        flushAt,
        mediaUploadEnabled: false,
        shouldExportSpan: () => true,
      }),
  }
}
