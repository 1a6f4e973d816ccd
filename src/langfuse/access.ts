import type { Config } from '../config.ts'
import { ConfigInvalid } from '../errors.ts'

/** Keys and address of a project in Langfuse. */
export interface LangfuseAccess {
  readonly publicKey: string
  readonly secretKey: string
  readonly baseUrl: string
  /** Where this program runs, and which release of it, for traces and scores. */
  readonly environment?: string
  readonly release?: string
}

const cloud = 'https://cloud.langfuse.com'

/** Keys and address; null unless both keys are set. Throws `ConfigInvalid` for an invalid address. */
export function langfuseAccess({
  langfusePublicKey: publicKey,
  langfuseSecretKey: secretKey,
  langfuseBaseUrl,
  langfuseEnvironment: environment,
  langfuseRelease: release,
}: Config['environment']): LangfuseAccess | null {
  if (!publicKey || !secretKey) return null
  const baseUrl = checkedUrl('LANGFUSE_BASE_URL', langfuseBaseUrl ?? cloud)
  return { publicKey, secretKey, baseUrl, ...(environment && { environment }), ...(release && { release }) }
}

/** The address for links, without user name, password and query. */
export function publicAddress({ baseUrl }: Pick<LangfuseAccess, 'baseUrl'>): string {
  const { origin, pathname } = new URL(baseUrl)
  return `${origin}${pathname}`.replace(/(?<!\/)\/+$/, '')
}

/** Returns the address. Throws `ConfigInvalid`, with the variable's name, if it is not a web address. */
export function checkedUrl(name: string, value: string): string {
  if (/^https?:\/\//i.test(value) && URL.canParse(value)) return value
  throw new ConfigInvalid(`${name} is not a web address; it should begin with https:// or http://.`)
}

/** The address and headers for spans. */
export function langfuseEndpoint({ publicKey, secretKey, baseUrl }: LangfuseAccess) {
  const credentials = Buffer.from(`${publicKey}:${secretKey}`).toString('base64')
  const base = baseUrl.endsWith('/') ? baseUrl.slice(0, -1) : baseUrl
  return {
    url: `${base}/api/public/otel/v1/traces`,
    settings: { access: 'LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY', address: 'LANGFUSE_BASE_URL' },
    headers: {
      authorization: `Basic ${credentials}`,
      'x-langfuse-public-key': publicKey,
      'x-langfuse-sdk-name': 'quaero',
      'x-langfuse-ingestion-version': '4',
    },
  }
}
