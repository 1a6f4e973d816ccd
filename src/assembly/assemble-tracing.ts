import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type Config, packageRoot } from '../config.ts'
import { type Credentials, credentialsIn, headersIn } from '../credentials/index.ts'
import { ConfigInvalid } from '../errors.ts'
import type { ScoreSender, Subscriber } from '../events/index.ts'
import {
  checkedUrl,
  type LangfuseAccess,
  LangfuseApi,
  type LangfuseExperiments,
  langfuseAccess,
  langfuseScores,
  once,
  publicAddress,
  TraceThread,
} from '../langfuse/index.ts'
import { redactor } from '../redact.ts'
import { logOf, logsOf, RunScores, type TransferParts } from '../runs/index.ts'
import type { Storage } from '../storage/index.ts'
import {
  type SessionLogOptions,
  type SessionLogs,
  sessionLogs,
  type TraceLabels,
  type Tracing,
  textFormat,
  tracePlaceOf,
  traceSubscriber,
  yamlFormat,
} from '../tracing/index.ts'

export interface WatcherParts {
  readonly config: Config
  readonly dataDir: string
  readonly credentials: Credentials
  readonly storage: Storage
  readonly onNotice: (message: string) => void
  readonly endingLog: NonNullable<SessionLogOptions['endingLog']>
}

/** The subscribers of all runs apart from a caller's own, and their stores. */
export interface Watchers {
  readonly subscribers: readonly Subscriber[]
  readonly sessionLogs: SessionLogs | null
  readonly scores: RunScores
  readonly isTraced: boolean
}

/** Session logs, traces and scores by the settings and the environment. Throws `ConfigInvalid`. */
export async function assembleWatchers(parts: WatcherParts): Promise<Watchers> {
  const { config, credentials, storage, onNotice } = parts
  const tracing = assembleTracing(config, onNotice)
  const logs = sessionLogsOf(parts)
  const scores = new RunScores({ storage, langfuse: tracing?.scores ?? null, mask: credentials.mask })
  const traces = tracing && traceSubscriber(tracing.traces, (runId) => logOf(runId, storage))
  const subscribers = [logs?.subscriber, traces, scores.subscriber()].filter((each) => each != null)
  return { subscribers, sessionLogs: logs, scores, isTraced: tracing !== null }
}

/** In a few words, for the log of the engine's start. */
export function describeWatchers({ sessionLogs, isTraced }: Watchers): string {
  const logs = sessionLogs ? `session logs in ${sessionLogs.folder}` : 'no session logs'
  return isTraced ? `${logs}, traces` : logs
}

/** null for a data directory in memory, and where the settings turn them off. */
function sessionLogsOf({ config, dataDir, storage, endingLog, onNotice }: WatcherParts): SessionLogs | null {
  const { text, yaml, folder } = config.settings.sessionLogs
  const formats = [...(text ? [textFormat] : []), ...(yaml ? [yamlFormat] : [])]
  if (dataDir === ':memory:' || formats.length === 0) return null
  return sessionLogs({
    folder: folder ?? join(dataDir, 'sessions'),
    formats,
    logOf: (runId) => logOf(runId, storage),
    endingLog,
    logsOf: (threadId) => logsOf(threadId, storage),
    onNotice,
  })
}

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
export function traceUrls({ environment }: Pick<Config, 'environment'>): NonNullable<TransferParts['traceUrl']> {
  const access = langfuseIn(environment, () => {})
  return (...run) => access && `${publicAddress(access)}/trace/${tracePlaceOf(...run).traceId}`
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
