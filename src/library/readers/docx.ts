import { Parser } from 'htmlparser2'
import JSZip from 'jszip'
import mammoth from 'mammoth'
import { DocumentUnreadable } from '../../errors.ts'
import type { ReadDocument } from '../port/document.ts'
import { authorNames } from './common/author-names.ts'
import { cleanLine } from './common/clean-text.ts'
import type { ReadOptions } from './common/read-options.ts'
import { shownXml } from './hidden-runs.ts'
import { readHtmlText } from './html/html.ts'

/**
 * Reads a Word file (DOCX) by way of HTML. It has no pages: all text is on page 1, divided by its headings. The limits of
 * the reader's process bound what it unpacks. Throws `DocumentUnreadable` (`malformed_file`, `over_budget`).
 */
export async function readDocx(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  try {
    const file = await JSZip.loadAsync(bytes)
    const html = await toHtml(await withoutHidden(file, bytes))
    return { ...readHtmlText(html, options), ...(await readProperties(file)), format: 'docx' }
  } catch (cause) {
    if (cause instanceof DocumentUnreadable) throw cause
    const message = 'It is damaged, or no Word document. Export it as DOCX again'
    throw new DocumentUnreadable('malformed_file', message, { cause })
  }
}

const texts = ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml']

/** The file without text that it does not show; the bytes as they are where it shows everything. */
async function withoutHidden(file: JSZip, bytes: Uint8Array): Promise<Uint8Array> {
  let isChanged = false
  for (const name of texts) {
    const xml = (await file.file(name)?.async('string')) ?? ''
    const shown = shownXml(xml)
    if (shown === xml) continue
    file.file(name, shown)
    isChanged = true
  }
  return isChanged ? file.generateAsync({ type: 'uint8array' }) : bytes
}

async function toHtml(bytes: Uint8Array): Promise<string> {
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
}

/** Title and author of the file's properties. Their date is when the file was saved, not when it was published. */
async function readProperties(file: JSZip): Promise<Pick<ReadDocument, 'title' | 'authors' | 'year'>> {
  const core = (await file.file('docProps/core.xml')?.async('string')) ?? ''
  const read = { 'dc:title': '', 'dc:creator': '' }
  let open: keyof typeof read | null = null
  const parser = new Parser(
    {
      onopentag: (name) => {
        open = name === 'dc:title' || name === 'dc:creator' ? name : null
      },
      ontext: (text) => {
        if (open) read[open] += text
      },
      onclosetag: () => {
        open = null
      },
    },
    { xmlMode: true },
  )
  parser.end(core)
  const from = 'document properties'
  const [title, creator] = [cleanLine(read['dc:title']), cleanLine(read['dc:creator'])]
  return {
    title: title === '' ? null : { value: title, from },
    authors: creator === '' ? null : { value: authorNames(creator), from },
    year: null,
  }
}
