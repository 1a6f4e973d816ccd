import type { Config } from './config.ts'
import { credentialsIn, headersIn } from './credentials/configured.ts'
import { ConfigInvalid } from './errors.ts'
import { redactor } from './redact.ts'
import type { LangfuseAccess, Tracing, TracingOptions } from './tracing/otel/open-tracing.ts'
import { traceIdOf } from './tracing/otel/trace-ids.ts'

const langfuseCloud = 'https://cloud.langfuse.com'

/**
 * Traces to Langfuse if its keys are set, and to an OpenTelemetry collector if its address is; null for neither: then
 * nothing is loaded and nothing is connected to. Throws `ConfigInvalid` for addresses that are none.
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
  // Only those who trace wait for what it needs to load.
  const { openTracing } = await import('./tracing/otel/open-tracing.ts')
  return openTracing({ langfuse, otlp, redact, onNotice })
}

/** Where a run's trace can be looked at; null without Langfuse. */
export function traceUrls({ environment }: Pick<Config, 'environment'>): (runId: string) => string | null {
  const access = langfuseIn(environment, () => {})
  return (runId) => access && `${access.baseUrl.replace(/\/+$/, '')}/trace/${traceIdOf(runId)}`
}

function langfuseIn(
  { langfusePublicKey: publicKey, langfuseSecretKey: secretKey, langfuseBaseUrl }: Config['environment'],
  onNotice: TracingOptions['onNotice'],
): LangfuseAccess | null {
  if (publicKey && secretKey) {
    return { publicKey, secretKey, baseUrl: checkedUrl('LANGFUSE_BASE_URL', langfuseBaseUrl ?? langfuseCloud) }
  }
  if (publicKey ?? secretKey) {
    const missing = publicKey ? 'LANGFUSE_SECRET_KEY' : 'LANGFUSE_PUBLIC_KEY'
    onNotice(`${missing} is not set, so nothing is traced in Langfuse.`)
  }
  return null
}

function checkedUrl(name: string, value: string): string {
  if (/^https?:\/\//i.test(value) && URL.canParse(value)) return value
  throw new ConfigInvalid(`${name} is not a web address; it should begin with https:// or http://.`)
}
