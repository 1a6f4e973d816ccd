import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Citation } from '../../index.ts'
import type { FootnoteLink } from '../output/terminal.ts'

/** Where footnotes lead: into the page, if a server runs on this data folder, else to the document at its page. */
export async function footnoteLinks(dataDir: string): Promise<FootnoteLink> {
  const { findServer, sourceUrl } = await import('../../server/access/running.ts')
  const server = await findServer(dataDir)
  return (runId, citation) => (server ? sourceUrl(server.origin, runId, citation.marker) : documentUrl(citation))
}

/** The address of a web page or of a file, with its page in a PDF; null for a file that is not where it was. */
export function documentUrl({ source, page }: Citation): string | null {
  if (/^https?:/i.test(source)) return URL.canParse(source) ? new URL(source).href : null
  const path = resolve(source)
  if (!existsSync(path)) return null
  return `${pathToFileURL(path).href}${/\.pdf$/i.test(path) ? `#page=${page}` : ''}`
}
