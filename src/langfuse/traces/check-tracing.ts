import { z } from 'zod'
import type { Config } from '../../config.ts'
import { credentialsIn, headersIn } from '../../credentials/index.ts'
import { asError } from '../../errors.ts'
import { type EndpointFinding, fault, fine } from '../../models/index.ts'
import { type Redact, redactor } from '../../redact.ts'
import { checkedUrl, type LangfuseAccess, langfuseAccess } from '../access.ts'
import { promptsOf } from '../prompts.ts'

export interface CheckTracingOptions {
  readonly signal: AbortSignal
  /** Sends nothing; reports only the settings. */
  readonly offline?: boolean | undefined
}

/** For all requests to one backend together. */
const timeoutMs = 5000

/**
 * Checks the settings of traces and prompts: does Langfuse answer, accept the keys and have the prompts of the label; does
 * the OpenTelemetry endpoint accept spans? It writes nothing there. Each fault is a finding.
 */
export async function checkTracing(config: Config, options: CheckTracingOptions): Promise<readonly EndpointFinding[]> {
  const { signal, offline = false } = options
  const check = { config, offline, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) }
  const findings = await Promise.all([checkLangfuse(check), checkOtlp(check)])
  signal.throwIfAborted()
  return findings.flat()
}

interface Check {
  readonly config: Config
  readonly offline: boolean
  readonly signal: AbortSignal
}

async function checkLangfuse(check: Check): Promise<readonly EndpointFinding[]> {
  const name = 'langfuse'
  const { environment, settings } = check.config
  try {
    const access = langfuseAccess(environment)
    if (!access) return [withoutKeys(check.config)]
    if (check.offline) return [fine(name, 'not asked (--offline)')]
    const { host } = new URL(access.baseUrl)
    const project = await within(check, `Langfuse at ${host}`, 'LANGFUSE_BASE_URL', projectOf(access, check))
    const found = fine(name, `${host} takes the keys${project === undefined ? '' : `, of the project "${project}"`}`)
    const { promptLabel: label } = settings.langfuse
    return label === null ? [found] : [found, await checkPrompts(label, host, check)]
  } catch (error) {
    return [fault(name, asError(error).message)]
  }
}

function withoutKeys({ environment, settings }: Config): EndpointFinding {
  const { langfusePublicKey, langfuseSecretKey } = environment
  const missing = langfusePublicKey ? 'LANGFUSE_SECRET_KEY' : 'LANGFUSE_PUBLIC_KEY'
  if (langfusePublicKey ?? langfuseSecretKey) {
    return note('langfuse', `${missing} is not set, so nothing is traced in Langfuse`)
  }
  const keys = 'LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY'
  const { promptLabel } = settings.langfuse
  if (promptLabel !== null) return note('langfuse', `langfuse.promptLabel is set, ${keys} are not; files are used`)
  return fine('langfuse', `off: set ${keys} to see runs there`)
}

/** The name of the project that the keys belong to. */
async function projectOf(access: LangfuseAccess, { config, signal }: Check): Promise<string | undefined> {
  const { LangfuseApi } = await import('../api.ts')
  const api = new LangfuseApi(access, { redact: redactor(credentialsIn(config)), timeoutMs })
  const answer = z.object({ data: z.array(z.object({ name: z.string() })) })
  const request = { method: 'GET', path: ['projects'], answer, what: 'the project of the keys', signal } as const
  return (await api.request(request)).data[0]?.name
}

/** Without a usable prompt in Langfuse, runs use the file. */
async function checkPrompts(label: string, host: string, check: Check): Promise<EndpointFinding> {
  const name = 'prompts'
  try {
    const compared = promptsOf(check.config).diff({ label, signal: check.signal })
    const prompts = await within(check, `Langfuse at ${host}`, 'LANGFUSE_BASE_URL', compared)
    const problems = prompts.flatMap(({ name, state, langfuseVersion, problem }) => {
      if (state === 'missing') return [`${name} is not there`]
      return state === 'unusable' ? [`version ${langfuseVersion} of ${name} cannot be used: ${problem}`] : []
    })
    if (problems.length === 0) return fine(name, `all ${prompts.length} are there under the label "${label}"`)
    return note(name, `under the label "${label}": ${problems.join('; ')}. Files are used instead`)
  } catch (error) {
    return fault(name, asError(error).message)
  }
}

async function checkOtlp(check: Check): Promise<readonly EndpointFinding[]> {
  const name = 'opentelemetry'
  const variable = 'OTEL_EXPORTER_OTLP_ENDPOINT'
  const { otlpEndpoint: given, otlpHeaders } = check.config.environment
  if (!given) return []
  if (check.offline) return [fine(name, 'not asked (--offline)')]
  try {
    const { otlpEndpoint } = await import('../../tracing/otel/open-tracing.ts')
    const otlp = otlpEndpoint({ endpoint: checkedUrl(variable, given), headers: headersIn(otlpHeaders) })
    const { host } = new URL(otlp.url)
    const redact = redactor(credentialsIn(check.config))
    const status = await within(check, host, variable, postNothing(otlp, { ...check, redact }))
    if (status >= 200 && status < 300) return [fine(name, `${host} takes spans`)]
    const advice = status === 401 || status === 403 ? otlp.settings.access : otlp.settings.address
    return [fault(name, `${host} answered ${status} to a request without spans. Check ${advice}`)]
  } catch (error) {
    return [fault(name, asError(error).message)]
  }
}

/** A request for traces that holds none. */
async function postNothing(
  { url, headers }: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
  { signal, redact }: Check & { readonly redact: Redact },
): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [] }),
    // The headers are meant for this host alone.
    redirect: 'manual',
    signal,
  }).catch((error: unknown) => {
    const { cause, message } = asError(error)
    const why = redact(cause instanceof Error ? cause.message : message)
    const text = `${new URL(url).host} cannot be reached (${why}). Check OTEL_EXPORTER_OTLP_ENDPOINT`
    throw new Error(text, { cause: error })
  })
  await response.body?.cancel()
  return response.status
}

/** Reports any error after the time is over as a timeout. */
async function within<T>({ signal }: Check, who: string, variable: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!signal.aborted) throw error
    throw new Error(`${who} did not answer within ${timeoutMs / 1000} s. Check ${variable}`, { cause: error })
  }
}

function note(name: string, message: string): EndpointFinding {
  return { name, ok: true, warning: true, message }
}
