import type { Environment, Settings } from '../config.ts'
import { type Redact, redactor, secretName } from '../redact.ts'
import { type Mask, maskedPieces, masker, type StreamRedactor } from './mask.ts'

/** Removes credentials from text, in two strengths. */
export interface Credentials {
  /** For text that is sent or shown: removes the configured credentials, and text with the shape of one. */
  readonly hide: Redact
  /** For stored data: removes the configured credentials only, so that a person's own text stays as written. */
  readonly mask: Mask
  /** The same for a stream of text. */
  readonly maskedPieces: () => StreamRedactor
}

/** Knows the credentials of a configuration. */
export function credentialsOf(sources: CredentialSources): Credentials {
  const secrets = credentialsIn(sources)
  return { hide: redactor(secrets), mask: masker(secrets), maskedPieces: () => maskedPieces(secrets) }
}

/** Where credentials come from; the settings hold addresses only, which may hold some. */
export interface CredentialSources {
  readonly environment: Environment
  readonly settings?: Pick<Settings, 'endpoint' | 'search' | 'storage'>
}

/**
 * The credentials that are configured, each as it may stand in a text: keys, the headers of the collector, user names
 * and passwords in addresses and the keys in their queries, and what a Basic header makes of them.
 */
export function credentialsIn({ environment, settings }: CredentialSources): readonly string[] {
  const { openaiApiKey, rerankerApiKey, tavilyApiKey, langfuseSecretKey, langfusePublicKey, otlpHeaders } = environment
  const { openaiBaseUrl, searxngUrl, langfuseBaseUrl, otlpEndpoint } = environment
  const addresses = [openaiBaseUrl, searxngUrl, langfuseBaseUrl, otlpEndpoint]
  const search = settings?.search
  const own = [settings?.endpoint.baseUrl, search?.embeddings.baseUrl, search?.reranker.baseUrl]
  const langfuse = langfusePublicKey && langfuseSecretKey ? basic(langfusePublicKey, langfuseSecretKey) : null
  const found = [
    ...[openaiApiKey, rerankerApiKey, tavilyApiKey, langfuseSecretKey, langfusePublicKey, langfuse],
    ...[environment.databaseUrl, settings?.storage].flatMap((address) => secretsOfDatabase(address ?? null)),
    environment.databasePassword,
    ...Object.entries(headersIn(otlpHeaders)).flatMap(([name, value]) => secretsInHeader(name, value)),
    ...[...addresses, ...own].flatMap((address) => secretsInAddress(address ?? null)),
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

/** The user is a name, and may be a word of any text. An address on a Unix socket has no host, which `URL` refuses. */
function secretsOfDatabase(address: string | null): readonly string[] {
  const [, password, query = ''] = /^\w+:\/\/(?:[^/?#@:]*:([^@]*)@)?[^?]*(?:\?(.*))?$/s.exec(address ?? '') ?? []
  const keys = [...new URLSearchParams(query)].flatMap(([name, value]) => (secretName.test(name) ? [value] : []))
  return password ? [decoded(password), ...keys] : keys
}

/** A user name without a password is the credential; with one, it is only a name. */
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
