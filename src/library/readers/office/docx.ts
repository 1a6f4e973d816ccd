import type JSZip from 'jszip'
import mammoth from 'mammoth'
import type { ReadDocument } from '../../port/document.ts'
import type { ReadOptions } from '../common/read-options.ts'
import { readHtmlText } from '../html/html.ts'
import { officeProperties, readArchive } from './archive.ts'
import { shownXml } from './hidden-runs.ts'

/**
 * Reads a Word file (DOCX) by way of HTML. It has no pages: all text is on page 1, divided by its headings. The limits of
 * the reader's process bound what it unpacks. Throws `DocumentUnreadable` (`malformed_file`, `over_budget`).
 */
export async function readDocx(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  return readArchive(bytes, 'Word document', async (file) => {
    const html = await toHtml(await withoutHidden(file, bytes))
    return { ...readHtmlText(html, options), ...(await officeProperties(file)), format: 'docx' }
  })
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
