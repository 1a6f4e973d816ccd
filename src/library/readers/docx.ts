import mammoth from 'mammoth'
import { DocumentUnreadable } from '../../errors.ts'
import type { ReadDocument } from '../port/document.ts'
import { authorNames } from './common/author-names.ts'
import { cleanLine } from './common/clean-text.ts'
import type { ReadOptions } from './common/read-options.ts'
import { readHtmlText } from './html/html.ts'
import { unzip, zipEntries } from './zip.ts'

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
