import { inflateRawSync } from 'node:zlib'
import mammoth from 'mammoth'
import { DocumentUnreadable } from '../../errors.ts'
import type { ReadDocument } from '../port/document.ts'
import { authorNames } from './common/author-names.ts'
import { cleanLine } from './common/clean-text.ts'
import type { ReadOptions } from './common/read-options.ts'
import { readHtmlText } from './html/html.ts'

/**
 * Reads a Word file (DOCX) by way of HTML. It has no pages: all text is on page 1, divided by its headings.
 * Throws `DocumentUnreadable` (`malformed_file`, `over_budget`).
 */
export async function readDocx(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  const properties = inspect(bytes, options)
  const html = await toHtml(bytes)
  return { ...readHtmlText(html, options), ...properties, format: 'docx' }
}

async function toHtml(bytes: Uint8Array): Promise<string> {
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) },
      {
        externalFileAccess: false,
        includeEmbeddedStyleMap: false,
        styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"],
        // Pictures hold no text; leaving them packed saves their memory.
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
      },
    )
    return value
  } catch (cause) {
    throw new DocumentUnreadable(
      'malformed_file',
      'It is not a Word document that can be read. Export it as DOCX again',
      {
        cause,
      },
    )
  }
}

/** Unpacks every XML part once, within its budget, before the converter does; and reads the file's properties. */
function inspect(bytes: Uint8Array, options: ReadOptions): Pick<ReadDocument, 'title' | 'authors' | 'year'> {
  const entries = zipEntries(bytes)
  if (!entries.some((entry) => entry.name === 'word/document.xml')) {
    throw new DocumentUnreadable('malformed_file', 'It is a ZIP archive but no Word document. Export it as DOCX again')
  }
  let core = ''
  let left = options.limits.characters * 4
  for (const entry of entries.filter(({ name }) => /\.(?:xml|rels)$/.test(name))) {
    const content = unzip(entry, left)
    left -= content.length
    if (entry.name === 'docProps/core.xml') core = new TextDecoder().decode(content)
  }
  return readProperties(core)
}

function readProperties(core: string): Pick<ReadDocument, 'title' | 'authors' | 'year'> {
  const from = 'document properties'
  const read = (property: RegExp): string => decodeEntities(cleanLine(property.exec(core)?.[1] ?? ''))
  const title = read(/<dc:title[^<>]*>([^<]*)<\/dc:title>/)
  const creator = read(/<dc:creator[^<>]*>([^<]*)<\/dc:creator>/)
  return {
    title: title === '' ? null : { value: title, from },
    authors: creator === '' ? null : { value: authorNames(creator), from },
    // The date is when the file was saved, not when the text was published.
    year: null,
  }
}

function decodeEntities(text: string): string {
  return text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&')
}

/** One file of a ZIP archive, still packed. */
interface ZipEntry {
  readonly name: string
  readonly packed: Uint8Array
  readonly isDeflated: boolean
}

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const mostEntries = 10_000

/** Lists what a ZIP archive holds. Throws `DocumentUnreadable` (`malformed_file`) if it is none. */
function zipEntries(bytes: Uint8Array): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const end = findEnd(view)
    const count = Math.min(view.getUint16(end + 10, true), mostEntries)
    const entries: ZipEntry[] = []
    let at = view.getUint32(end + 16, true)
    for (let index = 0; index < count && view.getUint32(at, true) === entrySignature; index++) {
      entries.push(readEntry(bytes, view, at))
      at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    }
    return entries
  } catch (cause) {
    throw new DocumentUnreadable('malformed_file', 'It is damaged: its ZIP container cannot be read. Export it again', {
      cause,
    })
  }
}

function findEnd(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 65_557); at--) {
    if (view.getUint32(at, true) === endSignature) return at
  }
  throw new RangeError('no end of central directory')
}

function readEntry(bytes: Uint8Array, view: DataView, at: number): ZipEntry {
  const nameLength = view.getUint16(at + 28, true)
  const header = view.getUint32(at + 42, true)
  const start = header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true)
  return {
    name: new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength)),
    packed: bytes.subarray(start, start + view.getUint32(at + 20, true)),
    isDeflated: view.getUint16(at + 10, true) === 8,
  }
}

const mostRatio = 100
const ratioMatters = 1_000_000

/**
 * Unpacks one file. Throws `DocumentUnreadable`: `over_budget` if it grows more than a hundredfold (and beyond 1 MB)
 * or beyond `mostBytes`, whatever size its header claims; `malformed_file` if it is damaged.
 */
function unzip(entry: ZipEntry, mostBytes: number): Uint8Array {
  if (!entry.isDeflated) return entry.packed
  const limit = Math.min(mostBytes, Math.max(ratioMatters, entry.packed.length * mostRatio))
  try {
    return inflateRawSync(entry.packed, { maxOutputLength: limit })
  } catch (cause) {
    if (cause instanceof RangeError) {
      throw new DocumentUnreadable(
        'over_budget',
        `It is packed like a ZIP bomb: ${entry.name} grows beyond ${limit} bytes. Open it in a word processor and save it again`,
        { cause },
      )
    }
    throw new DocumentUnreadable('malformed_file', `It is damaged: ${entry.name} cannot be unpacked. Export it again`, {
      cause,
    })
  }
}
