import { createHash } from 'node:crypto'
import type { Settings } from '../../config.ts'
import type { Passage } from '../port/document.ts'
import type { PassageIndex } from '../port/passage-index.ts'
import { cleanLine } from '../readers/common/clean-text.ts'
import { createFileReader } from './read-file.ts'

/** A result of a web search, or a web page. */
export interface WebPage {
  readonly url: string
  readonly title: string | null
  /** Clean text; quotes are found in it again later. */
  readonly text: string
}

/** Stores a web page, so that what is quoted from it can be checked against it. */
export type StoreWebPage = (page: WebPage) => Promise<{ readonly documentId: string }>

/**
 * Stores web pages in the passage index: one document of one page each, found by its id but by no search. The same text
 * at the same address is stored once; a changed text is another document, so that earlier footnotes stay true.
 */
export function storeWebPage(index: PassageIndex): StoreWebPage {
  return async ({ url, title, text }) => {
    const documentId = createHash('sha256').update(url).update('\n').update(text).digest('hex').slice(0, 16)
    if (await index.document(documentId)) return { documentId }
    await index.put(
      {
        record: { documentId, title, authors: [], year: null, source: url, format: 'web' },
        pages: [{ number: 1, label: null, text, header: null }],
        passages: [],
      },
      // One source for each version: a source that is put again loses what it held before.
      { source: `${url}#${documentId}`, documentId, size: Buffer.byteLength(text), modifiedMs: 0 },
    )
    return { documentId }
  }
}

/** About 80,000 words; what follows is not read. */
const longestText = 500_000

/** The text of a fetched page, and its passages; their ids name no document yet. */
export interface ReadWebPage extends Pick<WebPage, 'title' | 'text'> {
  readonly passages: readonly Passage[]
}

export type WebPageReader = (
  page: { readonly contentType: 'text/html' | 'text/plain'; readonly text: string },
  signal: AbortSignal,
) => Promise<ReadWebPage>

/** Reads fetched pages like files, in a process with the same limits. Throws `DocumentUnreadable`. */
export function webPageReader(settings: Settings['library']): WebPageReader {
  return async ({ contentType, text: source }, signal) => {
    const isHtml = contentType === 'text/html'
    // The byte order mark overrules the encoding that the page names: its text is decoded already.
    const bytes = Buffer.from(`\ufeff${shortMarks(isHtml ? source : source.slice(0, longestText))}`)
    const reader = createFileReader(settings)
    try {
      const path = isHtml ? 'page.html' : 'page.txt'
      return await reader.read({ path, bytes, documentId: '', signal }, async ({ title, batches }) => {
        let text = ''
        const passages: Passage[] = []
        for await (const batch of batches) {
          text += batch.pages.map((piece) => piece.text).join('')
          passages.push(...batch.passages.filter(({ end }) => end <= longestText))
        }
        return { title: title?.value ?? null, text: text.slice(0, longestText), passages }
      })
    } finally {
      reader.close()
    }
  }
}

/** A search result's text: one clean line for each that is not empty. */
export function webText(raw: string): string {
  return shortMarks(raw)
    .split(/\r\n?|[\n\u2028\u2029]/u)
    .map(cleanLine)
    .filter((line) => line !== '')
    .join('\n')
}

/** Long runs of marks say nothing, and make sentence ends slow to find. */
function shortMarks(text: string): string {
  return text.replace(/([.!?…]{3})[.!?…]+/gu, '$1')
}
