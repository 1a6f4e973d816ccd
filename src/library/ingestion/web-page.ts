import { createHash } from 'node:crypto'
import type { Block, Passage } from '../port/document.ts'
import type { PassageIndex } from '../port/passage-index.ts'
import { cleanLine } from '../readers/common/clean-text.ts'
import { splitPassages } from './split.ts'

/** What a search engine or a web page said. */
export interface WebPage {
  readonly url: string
  readonly title: string | null
  /** As `webText` gives it; quotes are found in it again later. */
  readonly text: string
}

/** Keeps a web page, so that what is quoted from it can be checked against it. */
export type StoreWebPage = (page: WebPage) => Promise<{ readonly documentId: string }>

/**
 * Keeps web pages in the passage index: one document of one page each, found by its id but by no search.
 * The same text at the same address is kept once; a text that has changed is another document, so that earlier
 * footnotes stay true.
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

/**
 * Text from the web in the form in which it is kept: no characters that nobody sees, no empty lines, no long runs of
 * marks, which say nothing and make sentence ends slow to find.
 */
export function webText(raw: string): string {
  return raw
    .replace(/([.!?…]{3})[.!?…]+/gu, '$1')
    .split(/\r\n?|[\n\u2028\u2029]/u)
    .map((line) => cleanLine(line.replace(/\p{Cf}/gu, '')))
    .filter((line) => line !== '')
    .join('\n')
}

/** Cuts a kept page into passages; headings in it begin with `#`, rows of a table hold ` | `. */
export function webPassages(documentId: string, text: string): readonly Passage[] {
  return splitPassages(documentId, {
    format: 'web',
    title: null,
    authors: null,
    year: null,
    pages: [{ number: 1, label: null, text, header: null }],
    blocks: blocksOf(text),
  })
}

/** Neighbouring lines of one kind under one heading are one block. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let path: readonly Heading[] = []
  let start = 0
  for (const line of text.split('\n')) {
    const end = start + line.length
    const heading = headingOf(line)
    if (heading) path = [...path.filter((above) => above.level < heading.level), heading]
    const kind = heading ? 'heading' : line.includes(' | ') ? 'table' : 'text'
    const last = blocks.at(-1)
    if (kind !== 'heading' && last?.kind === kind) blocks[blocks.length - 1] = { ...last, end }
    else blocks.push({ page: 1, start, end, kind, section: path.map((above) => above.text) })
    start = end + 1
  }
  return blocks
}

interface Heading {
  readonly level: number
  readonly text: string
}

function headingOf(line: string): Heading | null {
  const [, marks, text] = /^(#{1,6}) (.+)$/u.exec(line) ?? []
  return marks && text ? { level: marks.length, text } : null
}
