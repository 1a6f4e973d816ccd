import { EndpointTimeout, EndpointUnavailable, ModelError } from '../port/errors.ts'
import { clean } from './endpoint-errors.ts'

/**
 * The typed error for a request that got no answer at all; `addressSetting` is what a person should look at. Typed
 * errors pass through.
 */
export function connectionError(error: unknown, host: string, addressSetting = 'OPENAI_BASE_URL'): ModelError {
  if (error instanceof ModelError) return error
  const code = causeCode(error)
  const where = `Check ${addressSetting} and your network`
  if (timeoutCodes.has(code))
    return new EndpointTimeout(`${host} did not answer in time (${code}). ${where}`, { cause: error })
  const reason =
    reasonOf(code, addressSetting) ??
    (/CERT|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO/.test(code)
      ? `offers no secure connection that can be trusted (${code}). For a server with a certificate of its own set NODE_EXTRA_CA_CERTS`
      : `cannot be reached (${code || describe(error)}). ${where}`)
  return new EndpointUnavailable(`${host} ${reason}`, { cause: error })
}

const timeoutCodes: ReadonlySet<string> = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])

function reasonOf(code: string, addressSetting: string): string | undefined {
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: `refuses the connection (ECONNREFUSED). Is the server running? Check ${addressSetting}`,
    ENOTFOUND: `is not a known host name (ENOTFOUND). Check ${addressSetting} and your network`,
    EAI_AGAIN: 'cannot be looked up (EAI_AGAIN). Check your network',
    ECONNRESET: 'closed the connection before it answered (ECONNRESET)',
    UND_ERR_SOCKET: 'closed the connection before it answered (UND_ERR_SOCKET)',
  }
  return reasons[code]
}

/** Node hides the reason of a failed fetch in its causes; several addresses of one host make an aggregate. */
function causeCode(error: unknown): string {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code
  }
  return ''
}

function describe(error: unknown): string {
  return error instanceof Error ? clean(error.message) : 'unknown reason'
}
