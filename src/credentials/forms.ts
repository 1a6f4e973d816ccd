/** Shorter values would blank out ordinary words. */
const shortestSecret = 6

/** What local servers are given where they want a key and check none: no secrets, and some are words of any text. */
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
