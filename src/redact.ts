/** Takes credentials out of a text; what is left says that something was there. */
export type Redact = (text: string) => string

const hidden = '[redacted]'
/** Shorter values would blank out ordinary words. */
const shortestSecret = 6

/**
 * Hides the configured credentials, wherever they stand, and whatever is shaped like one: provider keys (`sk-…`,
 * `pk-…`, `tvly-…`), `Bearer` and `Basic` headers, keys and tokens in URLs, user names and passwords before a host.
 */
export function redactor(secrets: readonly (string | null)[]): Redact {
  const known = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length)
  return (text) => {
    let clean = text
    for (const secret of known) clean = clean.replaceAll(secret, hidden)
    for (const { shape, by } of shapes) clean = clean.replace(shape, by)
    return clean
  }
}

/** Every string in a value of JSON, keys too. */
export function redactAll<T>(value: T, redact: Redact): T {
  // What goes in comes out with the same shape; only its strings are changed.
  return redacted(value, redact) as T
}

function redacted(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((each) => redacted(each, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [redact(key), redacted(each, redact)]))
}

/** A secret as it is, and as it stands in a URL, in JSON or in a Basic header. */
function formsOf(secret: string | null): readonly string[] {
  if (secret === null || secret.length < shortestSecret) return []
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
}

const shapes: readonly { readonly shape: RegExp; readonly by: string }[] = [
  { shape: /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{8,}/g, by: hidden },
  { shape: /\b(?:tvly|gsk|hf|ghp|gho|glpat|xox[abp])[-_][A-Za-z0-9_-]{8,}/g, by: hidden },
  { shape: /\bAKIA[0-9A-Z]{16}\b/g, by: hidden },
  { shape: /\bAIza[\w-]{30,}/g, by: hidden },
  { shape: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, by: hidden },
  { shape: /("(?:[\w-]*(?:password|passwd|secret|token|api_?key))"\s*:\s*")[^"]+/gi, by: `$1${hidden}` },
  { shape: /(\bauthorization["']?\s*[:=]\s*["']?(?:Bearer|Basic)\s+)[\w~+/-][\w.~+/-]*=*(?<!\.)/gi, by: `$1${hidden}` },
  // Words of prose follow "basic" too: a token holds a digit, or is long.
  { shape: /\b((?:Bearer|Basic)\s+)(?=\S*\d|\S{20})[\w~+/-][\w.~+/-]{5,}=*(?<!\.)/gi, by: `$1${hidden}` },
  { shape: /([?&](?:[a-z_-]*(?:key|token|secret|password|signature)|sig|auth)=)[^&#\s"']+/gi, by: `$1${hidden}` },
  { shape: /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, by: `$1${hidden}@` },
]
