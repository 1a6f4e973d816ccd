import type JSZip from 'jszip'
import mammoth from 'mammoth'
import type { ReadDocument } from '../../port/document.ts'
import { markupParser } from '../common/markup.ts'
import type { ReadOptions } from '../common/read-options.ts'
import { pageMark, readHtmlText } from '../html/html.ts'
import { officeProperties, readArchive } from './archive.ts'

/**
 * Reads a Word file (DOCX) by way of HTML, divided by its headings. It has the pages that the program that saved it saw, or
 * else those between its page breaks. The limits of the reader's process bound what it unpacks. Throws `DocumentUnreadable` (`malformed_file`, `over_budget`).
 */
export async function readDocx(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  return readArchive(bytes, 'Word document', async (file) => {
    const html = await toHtml(await prepared(file, bytes))
    return { ...readHtmlText(html, options, pageMark), ...(await officeProperties(file)), format: 'docx' }
  })
}

const texts = ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml']

/** The file without text that it does not show, and with marks between its pages; the bytes as they are if that is all. */
async function prepared(file: JSZip, bytes: Uint8Array): Promise<Uint8Array> {
  let isChanged = false
  for (const name of texts) {
    const xml = (await file.file(name)?.async('string')) ?? ''
    const shown = markPages(shownXml(xml))
    if (shown === xml) continue
    file.file(name, shown)
    isChanged = true
  }
  return isChanged ? file.generateAsync({ type: 'uint8array' }) : bytes
}

/** Where a page began when the file was saved; without these, the page breaks that its author set. */
function markPages(xml: string): string {
  const plain = xml.replaceAll(pageMark, '')
  const rendered = /<w:lastRenderedPageBreak\s?\/>/gu
  const breaks = rendered.test(plain) ? rendered : /<w:br w:type="page"\s?\/>/gu
  return plain.replace(breaks, `<w:t>${pageMark}</w:t>`)
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

interface Run {
  readonly start: number
  isHidden: boolean
  isShaded: boolean
  isWhite: boolean
}

/** WordprocessingML without the runs that are hidden, white on white, or of no size. */
export function shownXml(xml: string): string {
  const open: Run[] = []
  let properties = 0
  let shown = ''
  let from = 0
  const parser = markupParser(
    {
      onopentag(name, attributes) {
        const run = open.at(-1)
        if (name === 'w:r') open.push({ start: parser.startIndex, isHidden: false, isShaded: false, isWhite: false })
        else if (name === 'w:rPr') properties += 1
        else if (run && properties > 0) note(run, name, attributes['w:val'], attributes['w:fill'])
      },
      onclosetag(name) {
        if (name === 'w:rPr') properties -= 1
        const run = name === 'w:r' ? open.pop() : undefined
        if (!run || run.start < from || !(run.isHidden || (run.isWhite && !run.isShaded))) return
        shown += xml.slice(from, run.start)
        from = parser.endIndex + 1
      },
    },
    { xmlMode: true },
  )
  parser.end(xml)
  return shown + xml.slice(from)
}

function note(run: Run, name: string, value = '', fill = ''): void {
  if (name === 'w:vanish' || name === 'w:webHidden') run.isHidden ||= !/^(?:0|false|off)$/u.test(value)
  // Half points.
  else if (name === 'w:sz') run.isHidden ||= Number(value) <= 2
  else if (name === 'w:color') run.isWhite = value.toUpperCase() === 'FFFFFF'
  else if (name === 'w:highlight') run.isShaded ||= value !== 'none' && value !== 'white'
  else if (name === 'w:shd') run.isShaded ||= !/^(?:auto|FFFFFF)?$/iu.test(fill)
}
