import { extname } from 'node:path'
import { DocumentUnreadable } from '../../errors.ts'
import { hasLetterOrDigit } from '../language/characters.ts'
import type { DocumentFormat, Provenance, ReadDocument } from '../port/document.ts'
import type { ReadOptions, RecognisedForm } from './common/read-options.ts'
import { borneOut, isPlaceholder, named } from './common/stated.ts'

type FileFormat = Exclude<DocumentFormat, 'web'>

const formats: Readonly<Record<string, FileFormat>> = {
  '.pdf': 'pdf',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.html': 'html',
  '.htm': 'html',
  '.xhtml': 'html',
  '.txt': 'text',
  '.text': 'text',
  '.docx': 'docx',
  '.odt': 'odt',
  '.rtf': 'rtf',
  '.xlsx': 'xlsx',
  '.pptx': 'pptx',
  '.epub': 'epub',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.eml': 'eml',
  '.png': 'picture',
  '.jpg': 'picture',
  '.jpeg': 'picture',
  '.tif': 'picture',
  '.tiff': 'picture',
}

/** Files of office programs: archives of XML files, all of which begin alike, but for Rich Text. */
const archives: Partial<Record<FileFormat, string>> = {
  docx: 'Word document',
  odt: 'OpenDocument text',
  rtf: 'Rich Text file',
  xlsx: 'Excel workbook',
  pptx: 'PowerPoint presentation',
  epub: 'EPUB e-book',
}
/** Whose properties are often those of a template, or of another program. */
const looselyStated: ReadonlySet<FileFormat> = new Set(['html', 'docx', 'odt', 'rtf', 'xlsx', 'pptx', 'epub'])

/** Whether a file is of a kind that is read, by its name. */
export function isReadable(path: string): boolean {
  return Object.hasOwn(formats, extname(path).toLowerCase())
}

/** Whether a file is a picture, by its name. */
export function isPicture(path: string): boolean {
  return formats[extname(path).toLowerCase()] === 'picture'
}

/** Reads the bytes of one file with the reader for its format. Throws `DocumentUnreadable`. */
export async function readDocument(path: string, bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  const format = options.recognised ? 'pdf' : detectFormat(path, bytes)
  try {
    const reader = options.recognised ? recognisedReader(options.recognised) : readers[format]()
    const document = named(checkText(await (await reader)(bytes, options)))
    return withTitle(looselyStated.has(format) ? borneOut(document) : document)
  } catch (cause) {
    if (cause instanceof DocumentUnreadable) throw cause
    throw new DocumentUnreadable(
      'malformed_file',
      `It is damaged or not what its name says: ${(cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '')}. Export it again`,
      { cause },
    )
  }
}

/** Decides by the first bytes, then by the name. Throws `DocumentUnreadable`. */
export function detectFormat(path: string, bytes: Uint8Array): FileFormat {
  if (bytes.length === 0) throw new DocumentUnreadable('empty_file', 'It is empty (0 bytes). Fetch or export it again')
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 1024))
  if (start.includes('%PDF-')) return 'pdf'
  const extension = extname(path).toLowerCase()
  const format = formats[extension]
  if (!format) {
    throw new DocumentUnreadable(
      'unknown_format',
      `Files of type "${extension}" are not read. Convert it to PDF or text`,
    )
  }
  if (format === 'pdf') {
    const looksLike = /<(?:!doctype|html|head|body)/i.test(start) ? ' but a web page, perhaps an error message' : ''
    throw new DocumentUnreadable('not_a_pdf', `It is named .pdf but is no PDF${looksLike}. Fetch the file again`)
  }
  // A program that recognises text takes anything else for a list of files to open.
  if (format === 'picture' && !pictures.some((start) => start.equals(bytes.subarray(0, start.length)))) {
    throw new DocumentUnreadable(
      'malformed_file',
      `It is named ${extension} but is no PNG, JPEG or TIFF. Fetch or export it again`,
    )
  }
  if (archives[format] && isEncryptedPackage(bytes)) {
    throw new DocumentUnreadable(
      'encrypted_file',
      `This ${archives[format]} is encrypted with a password. Save it without one, and add it again`,
    )
  }
  if (archives[format] && !isOffice(format, start)) {
    throw new DocumentUnreadable(
      'malformed_file',
      `It is named ${extension} but is no ${archives[format]}. Save it as ${extension.slice(1).toUpperCase()} again`,
    )
  }
  return format
}

function isOffice(format: FileFormat, start: string): boolean {
  return start.startsWith(format === 'rtf' ? '{\\rtf' : 'PK')
}

/** How files begin that hold pictures: PNG, JPEG, TIFF in either order of bytes. */
const pictures = ['89504e470d0a1a0a', 'ffd8ff', '49492a00', '4d4d002a'].map((start) => Buffer.from(start, 'hex'))

const compoundFile = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const encryptedPackage = Buffer.from('EncryptedPackage', 'utf16le')

/** Office encrypts a file as a stream of this name in a compound file ([MS-OFFCRYPTO], 2.3.4). */
function isEncryptedPackage(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return file.subarray(0, compoundFile.length).equals(compoundFile) && file.includes(encryptedPackage)
}

type Reader = (bytes: Uint8Array, options: ReadOptions) => Promise<ReadDocument>

// Loaded only when a file needs it: the parsers are large.
const readers: Readonly<Record<FileFormat, () => Promise<Reader>>> = {
  pdf: async () => (await import('./pdf/read-pdf.ts')).readPdf,
  markdown: async () => (await import('./markdown.ts')).readMarkdown,
  html: async () => (await import('./html/html.ts')).readHtml,
  text: async () => (await import('./text.ts')).readText,
  docx: async () => (await import('./office/docx.ts')).readDocx,
  odt: async () => (await import('./office/odt.ts')).readOdt,
  rtf: async () => (await import('./office/rtf.ts')).readRtf,
  xlsx: async () => (await import('./office/xlsx.ts')).readXlsx,
  pptx: async () => (await import('./office/pptx.ts')).readPptx,
  epub: async () => (await import('./office/epub.ts')).readEpub,
  csv: async () => (await import('./csv.ts')).readCsv,
  picture: async () => async () => {
    throw new DocumentUnreadable('no_text_layer', 'It is a picture, and no program has recognised its text')
  },
  eml: async () => (await import('./eml.ts')).readEml,
}

async function recognisedReader(form: RecognisedForm): Promise<Reader> {
  if (form.kind === 'pdf') return readers.pdf()
  const { readRecognised } = await import('./pdf/recognised.ts')
  return async (bytes, options) => readRecognised(bytes, form, options)
}

function checkText(document: ReadDocument): ReadDocument {
  if (document.pages.some((page) => hasLetterOrDigit(page.text))) return document
  throw new DocumentUnreadable('empty_file', 'It holds no text')
}

const sectionName = /^(?:\d|[A-Z]\.|abstract\b|introduction\b|contents\b|table of contents|references\b|summary\b)/i

/** Whose headings are those of sections, or names of sheets. */
const namesNoTitle: ReadonlySet<DocumentFormat> = new Set(['pdf', 'picture', 'xlsx'])
/** Characters before a heading that is the title: a date, an author, a menu. */
const mostBefore = 400

/**
 * Without a title of its own, a document is called by its first heading, unless that names a mere section; so is a page
 * whose title is that heading and the name of its site.
 */
function withTitle(document: ReadDocument): ReadDocument {
  const heading = document.blocks.find((block) => block.kind === 'heading')
  if (namesNoTitle.has(document.format) || !heading || heading.start > mostBefore) return document
  const text = document.pages.find((page) => page.number === heading.page)?.text
  const value = text?.slice(heading.start, heading.end) ?? ''
  const own = document.title?.value ?? ''
  const isTitle = own === '' ? !sectionName.test(value) && !isPlaceholder(value) : isSamePlus(own, value)
  const title: Provenance<string> | null = value !== '' && isTitle ? { value, from: 'first heading' } : document.title
  return { ...document, title }
}

/** The heading of a page whose title is that and the name of its site, or only the beginning of that. */
function isSamePlus(title: string, heading: string): boolean {
  const isShortened = heading.length > title.length && heading.toLowerCase().startsWith(`${title.toLowerCase()} `)
  return isShortened || (title.startsWith(heading) && /^\s[—–|·-]\s/u.test(title.slice(heading.length)))
}
