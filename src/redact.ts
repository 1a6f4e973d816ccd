import { formsOf } from './credentials/forms.ts'

/** Takes credentials out of a text; what is left says that something was there. */
export type Redact = (text: string) => string

const hidden = '[redacted]'

/** Names under which addresses and headers carry credentials. */
export const secretName = /(?:key|token|secret|password|passwd|signature)$|^(?:sig|auth)$/i
/** Names of fields that hold credentials; "key" alone is mostly something else there. */
const secretField = /(?:password|passwd|secret|token|api[_-]?key|authorization)$/i
/** What stands for a credential where only that there is one is told, as `quaero config show` does. */
const saysWhether = /^(?:|set|not set)$/

/**
 * Hides the configured credentials, wherever they stand, and whatever is shaped like one: provider keys (`sk-…`,
 * `pk-…`, `tvly-…`), `Bearer` and `Basic` headers, keys and tokens in URLs, user names and passwords before a host,
 * what follows names such as `api_key` and `password`, private keys. What comes out, comes out the same a second time.
 */
export function redactor(secrets: readonly (string | null)[]): Redact {
  const known = formsOf(secrets)
  return (text) => {
    let clean = text
    for (const secret of known) if (clean.includes(secret)) clean = clean.replaceAll(secret, hidden)
    for (const { shape, by } of shapes) clean = clean.replace(shape, by)
    return clean
  }
}

/** Every string in a value of JSON, keys too; of a field that is named like a credential, all of it. */
export function redactAll<T>(value: T, redact: Redact): T {
  // What goes in comes out with the same shape; only its strings are changed.
  return redacted(value, redact) as T
}

function redacted(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((each) => redacted(each, redact))
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [redact(key), ofField(key, each, redact)]))
}

function ofField(name: string, value: unknown, redact: Redact): unknown {
  const isSecret = typeof value === 'string' && !saysWhether.test(value) && secretField.test(name)
  return isSecret ? hidden : redacted(value, redact)
}

// Each is bounded by its first character, or by a count, so that a long text costs no more than its length.
const shapes: readonly { readonly shape: RegExp; readonly by: string }[] = [
  // Those that hold blanks come first, while what they end with is still there.
  { shape: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g, by: hidden },
  { shape: /("[\w-]{0,60}(?:password|passwd|secret|token|api_?key)"\s*:\s*")[^"]+/gi, by: `$1${hidden}` },
  { shape: /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{8,}/g, by: hidden },
  { shape: /\b(?:tvly|gsk|hf|ghp|gho|glpat|xox[abp])[-_][A-Za-z0-9_-]{8,}/g, by: hidden },
  { shape: /\bAKIA[0-9A-Z]{16}\b/g, by: hidden },
  { shape: /\bAIza[\w-]{30,}/g, by: hidden },
  { shape: /(\bauthorization["']?\s*[:=]\s*["']?(?:Bearer|Basic)\s+)[\w~+/-][\w.~+/-]*=*(?<!\.)/gi, by: `$1${hidden}` },
  // Words of prose follow "basic" too: a token holds a digit, or is long.
  { shape: /\b((?:Bearer|Basic)\s+)(?=\S*\d|\S{20})[\w~+/-][\w.~+/-]{5,}=*(?<!\.)/gi, by: `$1${hidden}` },
  { shape: /([?&](?:[a-z_-]{0,40}(?:key|token|secret|password|signature)|sig|auth)=)[^&#\s"']+/gi, by: `$1${hidden}` },
  { shape: /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@"']+@/gi, by: `$1${hidden}@` },
  { shape: /((?:api|access|secret)[_-]?key["']?\s*[:=]\s*["']?)(?=\S*\d)[^\s"'&#,;[]{8,}/gi, by: `$1${hidden}` },
  {
    shape: /((?:passw(?:or)?d|[_-](?:token|secret))["']?\s*[:=]\s*["']?)(?=\S*\d)[^\s"'&#,;[]{6,}/gi,
    by: `$1${hidden}`,
  },
]

/** How each of the shapes that hold a blank begins, at the end of a text that goes on. */
const openings: readonly RegExp[] = [
  /(?:authorization["']?\s*[:=]\s*["']?)?(?:Bearer|Basic)\s+\S*$/i,
  /authorization["']?\s*(?:[:=]\s*["']?)?$/i,
  /"[\w-]{0,60}(?:password|passwd|secret|token|api_?key)"\s*(?::\s*(?:"[^"]*)?)?$/i,
  /(?:(?:api|access|secret)[_-]?key|passw(?:or)?d|[_-](?:token|secret))["']?\s*(?:[:=]\s*["']?\S*)?$/i,
  /[?&][a-z_-]{0,60}=[^&#\s"']*$/i,
  /[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/@"']*$/i,
  /-----BEGIN (?![\s\S]*-----END [A-Z ]{0,30}PRIVATE KEY-----)[\s\S]*$/,
]

/** From where on a text that goes on may still turn into something that is shaped like a credential. */
export function shapeBegins(text: string): number {
  const found = openings.map((opening) => text.search(opening)).filter((at) => at >= 0)
  return wordStart(text, Math.min(text.length, ...found))
}

/** Every shape begins with a word, and the last word may become one. */
function wordStart(text: string, at: number): number {
  let start = at
  while (start > 0 && /[!-~]/.test(text.charAt(start - 1))) start -= 1
  return start
}
