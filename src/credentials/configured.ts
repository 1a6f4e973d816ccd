import type { Environment, Settings } from '../config.ts'
import { secretName } from '../redact.ts'

/** Where credentials come from; the settings hold addresses only, which may hold some. */
export interface CredentialSources {
  readonly environment: Environment
  readonly settings?: Pick<Settings, 'endpoint' | 'search'>
}

/**
 * The credentials that are configured, each as it may stand in a text: keys, the headers of the collector, user names
 * and passwords in addresses and the keys in their queries, and what a Basic header makes of them.
 */
export function credentialsIn({ environment, settings }: CredentialSources): readonly string[] {
  const { openaiApiKey, tavilyApiKey, langfuseSecretKey, langfusePublicKey, otlpHeaders } = environment
  const { openaiBaseUrl, searxngUrl, langfuseBaseUrl, otlpEndpoint } = environment
  const addresses = [openaiBaseUrl, searxngUrl, langfuseBaseUrl, otlpEndpoint]
  const own = [settings?.endpoint.baseUrl ?? null, settings?.search.embeddings.baseUrl ?? null]
  const langfuse = langfusePublicKey && langfuseSecretKey ? basic(langfusePublicKey, langfuseSecretKey) : null
  const found = [
    ...[openaiApiKey, tavilyApiKey, langfuseSecretKey, langfusePublicKey, langfuse],
    ...Object.entries(headersIn(otlpHeaders)).flatMap(([name, value]) => secretsInHeader(name, value)),
    ...[...addresses, ...own].flatMap(secretsInAddress),
  ]
  return found.filter((each) => each !== null)
}

/** `name=value` pairs with commas between them, values encoded as in a URL; names in lower case. */
export function headersIn(pairs: string | null): Readonly<Record<string, string>> {
  const named = (pairs ?? '').split(',').flatMap((pair) => {
    const [name = '', ...rest] = pair.split('=').map((part, at) => (at === 0 ? part.trim() : part))
    const value = rest.join('=').trim()
    return name !== '' && value !== '' && !/\s/.test(name) && !/[\n\r]/.test(value)
      ? [[name.toLowerCase(), decoded(value)] as const]
      : []
  })
  return Object.fromEntries(named)
}

/** A header that names a tenant or a stage is no credential, and its value may be a word of any text. */
function secretsInHeader(name: string, value: string): readonly string[] {
  const isSecret = secretName.test(name) || /auth|cookie/.test(name) || (value.length >= 16 && /\d/.test(value))
  return isSecret ? [value, value.replace(/^\w+\s+/, '')] : []
}

/** A user name alone is what lets in; with a password beside it, it is a name. */
function secretsInAddress(address: string | null): readonly string[] {
  if (address === null || !URL.canParse(address)) return []
  const { username, password, searchParams } = new URL(address)
  const keys = [...searchParams].flatMap(([name, value]) => (secretName.test(name) ? [value] : []))
  if (username === '' && password === '') return keys
  const [name, secret] = [decoded(username), decoded(password)]
  return [secret === '' ? name : secret, basic(name, secret), ...keys]
}

function basic(name: string, secret: string): string {
  return Buffer.from(`${name}:${secret}`).toString('base64')
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
