/**
 * The person's library in a Zotero that runs on this machine, as BibLaTeX with the paths of its files:
 * https://www.zotero.org/support/dev/web_api/v3/local_api. Throws where it does not answer.
 */
export async function textOfZotero(address: string): Promise<string> {
  const { hostname, origin } = new URL(address)
  if (!/^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) throw new Error('Zotero is asked on this machine alone')
  const parts: string[] = []
  for (let total = 1; parts.length * 100 < total; ) {
    const url = `${origin}/api/users/0/items/top?format=biblatex&limit=100&start=${parts.length * 100}`
    const request = {
      headers: { 'Zotero-API-Version': '3' },
      redirect: 'error',
      signal: AbortSignal.timeout(60_000),
    } as const
    const response = await fetch(url, request).catch(() => null)
    if (!response) throw new Error('no Zotero answers there; start it')
    if (response.status === 403) throw new Error(`Zotero refuses it; in its settings, under Advanced, ${allowed}`)
    total = Number(response.headers.get('Total-Results') ?? Number.NaN)
    if (total > mostEntries) throw new Error(`it has more than ${mostEntries} entries`)
    if (!response.ok || Number.isNaN(total)) throw new Error(`with status ${response.status}, no Zotero answers there`)
    parts.push(await response.text())
  }
  return parts.join('\n')
}

const mostEntries = 100_000
const allowed = 'allow "other applications on this computer to communicate with Zotero"'
