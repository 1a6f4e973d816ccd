import { DocumentUnreadable } from '../../errors.ts'
import type { ReadDocument } from '../document.ts'
import { cleanLine, cleanLines } from './clean-text.ts'
import { documentWriter } from './document-writer.ts'
import type { ReadOptions } from './read-options.ts'

/** Reads plain text: paragraphs are parted by empty lines, wrapped lines within one are joined. One page. */
export async function readText(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  const writer = documentWriter(options.limits)
  writer.page(1)
  for (const paragraph of cleanLines(decodeText(bytes)).split(/\n\s*\n/u)) {
    for (const text of unwrap(paragraph)) writer.paragraph(text)
  }
  return { format: 'text', title: null, authors: null, year: null, ...writer.finish() }
}

/**
 * Decodes UTF-8, UTF-16 with a byte order mark, or else Latin-1 (Windows-1252).
 * Throws `DocumentUnreadable` (`unknown_format`) for binary content.
 */
export function decodeText(bytes: Uint8Array): string {
  const utf16 = utf16Label(bytes)
  if (utf16) return new TextDecoder(utf16).decode(bytes)
  if (isBinary(bytes)) {
    throw new DocumentUnreadable(
      'unknown_format',
      'It is not text but binary data. Convert it to PDF, DOCX or text first',
    )
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return decodeLatin1(bytes)
  }
}

// What Windows-1252 has where Latin-1 has control characters; Node 20 decodes it as Latin-1.
const windows = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/** Decodes Latin-1 as browsers do, that is, as Windows-1252. */
export function decodeLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/gu, (control) => windows.charAt(control.charCodeAt(0) - 0x80))
}

function utf16Label(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}

const controlShare = 0.02

function isBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, 65_536)
  const controls = sample.reduce((sum, byte) => sum + (byte < 9 || (byte > 13 && byte < 32 && byte !== 27) ? 1 : 0), 0)
  return sample.includes(0) || controls > 2 + sample.length * controlShare
}

const listItem = /^\s*(?:[-*•+]|\d+[.)])\s/u
const longLine = 45

/** Joins lines that were wrapped; keeps list items and short lines (verse, addresses, code) on their own. */
function unwrap(paragraph: string): string[] {
  const joined: string[] = []
  let before = ''
  for (const line of paragraph.split('\n')) {
    const wrapped = before.length >= longLine && !listItem.test(line) && !/^\s{4}/u.test(line)
    if (wrapped && joined.length > 0) joined.push(`${joined.pop()} ${cleanLine(line)}`)
    else joined.push(cleanLine(line))
    before = line
  }
  return joined
}
