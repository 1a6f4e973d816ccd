import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type Config, packageRoot } from '../config.ts'
import { credentialsIn, headersIn } from '../credentials/credentials.ts'
import { ConfigInvalid } from '../errors.ts'
import type { ScoreSender } from '../events/index.ts'
import { checkedUrl, type LangfuseAccess, langfuseAccess, publicAddress } from '../langfuse/access.ts'
import { LangfuseApi } from '../langfuse/api.ts'
import type { LangfuseExperiments } from '../langfuse/experiment.ts'
import { once } from '../langfuse/failure.ts'
import { langfuseScores } from '../langfuse/scores.ts'
import { redactor } from '../redact.ts'
import type { TraceLabels, Tracing } from '../tracing/otel/open-tracing.ts'
import { traceIdOf } from '../tracing/otel/trace-ids.ts'
import { TraceThread } from './trace-thread.ts'

export interface AssembledTracing {
  readonly traces: Tracing
  /** Attaches scores to traces; null without Langfuse. */
  readonly scores: ScoreSender | null
}

/** The caller waits for a score. */
const scoreTimeoutMs = 2500

/**
 * Traces to Langfuse if its keys are set, and to an OpenTelemetry collector if its address is; null for neither. Throws
 * `ConfigInvalid` for invalid addresses.
 */
export function assembleTracing(
  { environment, settings }: Config,
  onNotice: (message: string) => void,
): AssembledTracing | null {
  const langfuse = langfuseIn(environment, onNotice)
  const endpoint = environment.otlpEndpoint
  if (!langfuse && !endpoint) return null
  const secrets = credentialsIn({ environment, settings })
  const otlp = endpoint
    ? { endpoint: checkedUrl('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint), headers: headersIn(environment.otlpHeaders) }
    : null
  const labels = labelsOf(environment)
  const onLangfuseFailure = once(onNotice)
  const scoreApi = (access: LangfuseAccess) =>
    new LangfuseApi(access, { redact: redactor(secrets), timeoutMs: scoreTimeoutMs })
  return {
    traces: new TraceThread({ langfuse, otlp, labels, secrets }, { onLangfuseFailure, onNotice }),
    scores: langfuse && langfuseScores(scoreApi(langfuse), onLangfuseFailure),
  }
}

/** Where the program runs, its release, and the version of this package. */
function labelsOf({ langfuseEnvironment: environment, langfuseRelease: release }: Config['environment']): TraceLabels {
  const text = readFileSync(join(packageRoot(), 'package.json'), 'utf8')
  return { environment, release, version: z.object({ version: z.string() }).parse(JSON.parse(text)).version }
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
  const redact = redactor(credentialsIn({ environment, settings }))
  return new LangfuseExperiments(langfuse, { labels: labelsOf(environment), redact })
}

/** The address of a run's trace; null without Langfuse. */
export function traceUrls({ environment }: Pick<Config, 'environment'>): (runId: string) => string | null {
  const access = langfuseIn(environment, () => {})
  return (runId) => access && `${publicAddress(access)}/trace/${traceIdOf(runId)}`
}

/** `langfuseAccess`, with a notice if only one of the keys is set. */
function langfuseIn(environment: Config['environment'], onNotice: (message: string) => void): LangfuseAccess | null {
  const access = langfuseAccess(environment)
  const { langfusePublicKey, langfuseSecretKey } = environment
  if (!access && (langfusePublicKey ?? langfuseSecretKey)) {
    const missing = langfusePublicKey ? 'LANGFUSE_SECRET_KEY' : 'LANGFUSE_PUBLIC_KEY'
    onNotice(`${missing} is not set, so nothing is traced in Langfuse.`)
  }
  return access
}
