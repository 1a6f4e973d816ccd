import type { Config } from '../config.ts'
import { credentialsIn, headersIn } from '../credentials/credentials.ts'
import { ConfigInvalid } from '../errors.ts'
import { checkedUrl, type LangfuseAccess, langfuseAccess, publicAddress } from '../langfuse/access.ts'
import type { LangfuseExperiments } from '../langfuse/experiment.ts'
import { redactor } from '../redact.ts'
import type { Tracing, TracingOptions } from '../tracing/otel/open-tracing.ts'
import { traceIdOf } from '../tracing/otel/trace-ids.ts'

/**
 * Traces to Langfuse if its keys are set, and to an OpenTelemetry collector if its address is; null for neither, without
 * loading anything. Throws `ConfigInvalid` for invalid addresses.
 */
export async function assembleTracing(
  { environment, settings }: Config,
  onNotice: TracingOptions['onNotice'],
): Promise<Tracing | null> {
  const langfuse = langfuseIn(environment, onNotice)
  const endpoint = environment.otlpEndpoint
  if (!langfuse && !endpoint) return null
  const redact = redactor(credentialsIn({ environment, settings }))
  const otlp = endpoint
    ? { endpoint: checkedUrl('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint), headers: headersIn(environment.otlpHeaders) }
    : null
  // Loaded only for tracing.
  const { openTracing } = await import('../tracing/otel/open-tracing.ts')
  const backend = langfuse && (await import('../langfuse/backend.ts')).langfuseBackend(langfuse, { redact, onNotice })
  return openTracing({ langfuse: backend, otlp, redact, onNotice })
}

/** The Langfuse that experiments are reported to. Throws `ConfigInvalid` without its keys. */
export async function assembleExperiments({ environment, settings }: Config): Promise<LangfuseExperiments> {
  const langfuse = langfuseIn(environment, () => {})
  if (!langfuse) {
    throw new ConfigInvalid(
      'There is no Langfuse to report to: set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, and LANGFUSE_BASE_URL for a server of your own.',
    )
  }
  const { LangfuseExperiments } = await import('../langfuse/experiment.ts')
  return new LangfuseExperiments(langfuse, redactor(credentialsIn({ environment, settings })))
}

/** The address of a run's trace; null without Langfuse. */
export function traceUrls({ environment }: Pick<Config, 'environment'>): (runId: string) => string | null {
  const access = langfuseIn(environment, () => {})
  return (runId) => access && `${publicAddress(access)}/trace/${traceIdOf(runId)}`
}

/** `langfuseAccess`, with a notice if only one of the keys is set. */
function langfuseIn(environment: Config['environment'], onNotice: TracingOptions['onNotice']): LangfuseAccess | null {
  const access = langfuseAccess(environment)
  const { langfusePublicKey, langfuseSecretKey } = environment
  if (!access && (langfusePublicKey ?? langfuseSecretKey)) {
    const missing = langfusePublicKey ? 'LANGFUSE_SECRET_KEY' : 'LANGFUSE_PUBLIC_KEY'
    onNotice(`${missing} is not set, so nothing is traced in Langfuse.`)
  }
  return access
}
