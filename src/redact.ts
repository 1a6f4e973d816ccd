/** Takes credentials out of a text; what is left says that something was there. */
export type Redact = (text: string) => string

const hidden = '[redacted]'

/** Names under which addresses and headers carry credentials. */
export const secretName = /(?:key|token|secret|password|passwd|signature)$|^(?:sig|auth)$/i
/** Names of fields that hold credentials; "key" alone is mostly something else there. */
const secretField = /(?:password|passwd|secret|token|api[_-]?key|authorization)$/i
/** Values that only report whether there is a credential, as in `quaero config show`. */
const saysWhether = /^(?:|set|not set)$/

/**
 * Hides the configured credentials, and text with the shape of one: provider keys (`sk-…`,
 * `pk-…`, `tvly-…`), `Bearer` and `Basic` headers, keys and tokens in URLs, user names and passwords before a host,
 * values after names such as `api_key` and `password`, private keys. Hiding twice gives the same text.
 */
export function redactor(secrets: readonly (string | null)[]): Redact {
  const known = formsOf(secrets)
  return (text) => {
    let clean = text
    for (const secret of known) if (clean.includes(secret)) clean = clean.replaceAll(secret, hidden)
    if (!signs.test(clean)) return clean
    for (const { shape, by } of shapes) clean = clean.replace(shape, by)
    return clean
  }
}

/** Every string in a value of JSON, keys too; of a field that is named like a credential, all of it. */
export function redactAll<T>(value: T, redact: Redact): T
export function redactAll(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((each) => redactAll(each, redact))
  if (typeof value !== 'object' || value === null) return value
  if ('toJSON' in value && typeof value.toJSON === 'function') return asWritten(value, redact)
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [redact(key), ofField(key, each, redact)]))
}

/** A date or an address as its JSON; the same object if that holds nothing to hide. */
function asWritten(value: object, redact: Redact): unknown {
  const json = JSON.stringify(value)
  if (json === undefined) return value
  const clean: unknown = redactAll(JSON.parse(json), redact)
  return JSON.stringify(clean) === json ? value : clean
}

function ofField(name: string, value: unknown, redact: Redact): unknown {
  return isSecretField(name, value) ? hidden : redactAll(value, redact)
}

/** True for a text in a field that is named like a credential. */
export function isSecretField(name: string, value: unknown): boolean {
  return typeof value === 'string' && !saysWhether.test(value) && secretField.test(name)
}

// Many texts were written into JSON before, once or several times: a newline is `\n` there, and a quotation mark has
// backslashes before it.
/** What a word may begin after, where it stands in JSON or in a URL. */
const escaped = String.raw`(?<=\\(?:[nrtbfv]|x[\da-fA-F]{2}|u[\da-fA-F]{4})|%(?:0[9aAdD]|2[0267]|3[aAdDfF]))`
const begin = String.raw`(?:\b|${escaped})`
/** The same for what holds hyphens, which names with underscores do not. */
const beginHyphened = `(?:(?<![A-Za-z0-9])|${escaped})`
const quote = String.raw`\\{0,15}["']`
/** One character of a value that ends with a blank or a quotation mark. */
const inValue = (except: string) => String.raw`(?:[^\s"'&#${except}\\]|\\+(?![\\"']))`
/** Between a name and its value. */
const is = String.raw`(?:${quote})?\s*[:=]\s*(?:${quote})?`
const keyName = '(?:api|access|secret)[_-]?key'
const passwordName = '(?:passw(?:or)?d|[_-](?:token|secret))'
const jsonName = String.raw`"[\w-]{0,60}(?:password|passwd|secret|token|api_?key)(?<level>\\{0,15})"`
/** Up to the quotation mark with as many backslashes as those of the name have; one of the value itself has more. */
const jsonValue = String.raw`(?:[^"\\]|(?<!\\)\\+(?![\\"])|(?<!\\)(?:\k<level>\k<level>\\\\)*\k<level>\k<level>\\")`
const scheme = String.raw`[a-z][a-z0-9+.-]{0,30}:\/\/`

// Each is bounded by its first character, or by a count, so that a long text costs no more than its length.
const shapes: readonly { readonly shape: RegExp; readonly by: string }[] = [
  // Those that hold blanks come first, while what they end with is still there.
  { shape: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g, by: hidden },
  { shape: RegExp(String.raw`(?<name>${jsonName}\s*:\s*\k<level>")${jsonValue}+`, 'gi'), by: `$<name>${hidden}` },
  {
    shape: RegExp(
      String.raw`(?<name>(?:${keyName}|${passwordName})(?:${quote})?\s*[:=]\s*\\{0,15}(?<mark>["']))` +
        String.raw`(?=[^"'\n]{0,100}\d)[^"'\n\\]{6,100}(?=\\{0,15}\k<mark>)`,
      'gi',
    ),
    by: `$<name>${hidden}`,
  },
  { shape: RegExp(`${beginHyphened}(?:sk|pk|rk)-[A-Za-z0-9_-]{8,}`, 'g'), by: hidden },
  { shape: RegExp(`${begin}(?:tvly|gsk|hf|ghp|gho|glpat|xox[abp])[-_][A-Za-z0-9_-]{8,}`, 'g'), by: hidden },
  { shape: RegExp(String.raw`${begin}A(?:KIA|SIA)[0-9A-Z]{16}\b`, 'g'), by: hidden },
  { shape: RegExp(String.raw`${begin}AIza[\w-]{30,}`, 'g'), by: hidden },
  {
    shape: RegExp(String.raw`(${begin}authorization${is}(?:Bearer|Basic)\s+)[\w~+/-][\w.~+/-]*=*(?<!\.)`, 'gi'),
    by: `$1${hidden}`,
  },
  // Words of prose follow "basic" too: a token holds a digit, or is long.
  {
    shape: RegExp(String.raw`${begin}((?:Bearer|Basic)\s+)(?=\S*\d|\S{20})[\w~+/-][\w.~+/-]{5,}=*(?<!\.)`, 'gi'),
    by: `$1${hidden}`,
  },
  {
    shape: RegExp(`([?&](?:[a-z_-]{0,40}(?:key|token|secret|password|signature)|sig|auth)=)${inValue('')}+`, 'gi'),
    by: `$1${hidden}`,
  },
  // A password may hold the sign that ends it.
  { shape: RegExp(String.raw`(\b${scheme})[^\s/@"']+@(?:[\w.~!$&*+=:%-]{0,100}@)*`, 'gi'), by: `$1${hidden}@` },
  { shape: RegExp(String.raw`(${keyName}${is})(?=\S{0,200}\d)${inValue(',;[')}{8,}`, 'gi'), by: `$1${hidden}` },
  { shape: RegExp(String.raw`(${passwordName}${is})(?=\S{0,200}\d)${inValue(',;[')}{6,}`, 'gi'), by: `$1${hidden}` },
]

/** Every shape contains one of these. Most texts contain none, so they are searched once instead of a dozen times. */
const signs = RegExp(
  [
    '-----BEGIN |passw|(?:api|access|secret)[_-]?key|[_-](?:token|secret)|(?:bearer|basic)\\s',
    '(?:token|secret)\\\\{0,15}"|(?:key|token|secret|signature|sig|auth)=|://',
    '[spr]k-|(?:tvly|gsk|hf|ghp|gho|glpat|xox[abp])[-_]|AKIA|ASIA|AIza',
  ].join('|'),
  'i',
)

/** The beginnings of shapes with a blank in them, at the end of an unfinished text. */
const openings: readonly RegExp[] = [
  RegExp(String.raw`(?:authorization${is})?(?:Bearer|Basic)\s+\S*$`, 'i'),
  RegExp(String.raw`authorization(?:${quote})?\s*(?:[:=]\s*\\*["']?)?$`, 'i'),
  RegExp(String.raw`${jsonName}\s*(?::\s*(?:\\*|\k<level>"${jsonValue}*\\*))?$`, 'i'),
  RegExp(String.raw`(?:${keyName}|${passwordName})(?:${quote})?\s*$`, 'i'),
  RegExp(String.raw`(?:${keyName}|${passwordName})(?:${quote})?\s*[:=]\s*${quote}[^"'\n]{0,115}$`, 'i'),
  RegExp(String.raw`${scheme}[^\s/"']*$`, 'i'),
  /-----BEGIN (?![\s\S]*-----END [A-Z ]{0,30}PRIVATE KEY-----)[\s\S]*$/,
]

/** Beginnings of shapes without a fixed end, found without a search of the rest of the text from each. */
const runningOpenings: readonly { readonly begins: RegExp; readonly ended: RegExp }[] = [
  {
    begins: RegExp(String.raw`(?:${keyName}|${passwordName})(?:${quote})?\s*[:=]\s*\\*["']?`, 'gi'),
    ended: /\s\S*$/,
  },
  { begins: /[?&][a-z_-]{0,60}=/gi, ended: /[&#\s"'][^&#\s"']*$/ },
]

/** Where an unfinished text may still become a credential's shape. */
export function shapeBegins(text: string): number {
  const running = runningOpenings.map(({ begins, ended }) => {
    const end = text.search(ended)
    return [...text.matchAll(begins)].find((match) => match.index + match[0].length > end)?.index ?? -1
  })
  const found = [...openings.map((opening) => text.search(opening)), ...running].filter((at) => at >= 0)
  return wordStart(text, Math.min(text.length, ...found))
}

/** Every shape begins with a word, and the last word may become one; invisible characters do not separate words. */
function wordStart(text: string, at: number): number {
  let start = at
  while (start > 0 && ofWord.test(text.charAt(start - 1))) start -= 1
  return start
}

const ofWord = /[!-~]|[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\ufffe\uffff]/u

/** Shorter values would blank out ordinary words. */
const shortestSecret = 6

/** Keys for local servers that check none: no secrets, and some are ordinary words. */
const placeholder = /^(?:[a-z]{1,10}|lm-studio|(?:sk-)?no-key-(?:required|needed)|not-(?:needed|required))$/

/** The secrets as they are, and as they stand in a URL or in JSON; the longest first, so that none hides a part only. */
export function formsOf(secrets: readonly (string | null)[]): readonly string[] {
  const forms = secrets.flatMap((secret) => {
    if (secret === null || secret.length < shortestSecret || placeholder.test(secret)) return []
    const inUrl = urlEncoded(secret)
    const inUrlOfOthers = inUrl.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
    return [secret, inUrl, inUrlOfOthers, JSON.stringify(secret).slice(1, -1)]
  })
  return [...new Set(forms)].sort((a, b) => b.length - a.length)
}

function urlEncoded(text: string): string {
  // A lone half of a character cannot stand in a URL.
  return encodeURIComponent(text.replace(/\p{Cs}/gu, ''))
}
