import { DocumentUnreadable } from '../../../errors.ts'

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

// Windows-1252 where Latin-1 has control characters; Node 20 decodes it as Latin-1.
const windows = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/** Decodes Latin-1 as browsers do, that is, as Windows-1252. */
function decodeLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/gu, (control) => windows.charAt(control.charCodeAt(0) - 0x80))
}

function utf16Label(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null
}

const controlShare = 0.02

function isBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, 65_536)
  const controls = sample.reduce((sum, byte) => sum + (byte < 9 || (byte > 13 && byte < 32 && byte !== 27) ? 1 : 0), 0)
  return sample.includes(0) || controls > 2 + sample.length * controlShare
}

/** Decodes a web page by its byte order mark, or else by the character set that it names (HTML standard, 13.2.3). */
export function decodeHtml(bytes: Uint8Array): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return decodeText(bytes)
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 2048))
  const tags = start.match(/<meta\s[^>]*/gi) ?? []
  const charset = tags.map((tag) => /charset\s*=[\s"']*([\w-]+)/i.exec(tag)?.[1]).find(Boolean)
  return !charset || /^utf-?8$/i.test(charset) || bytes.includes(0) ? decodeText(bytes) : decodeCharset(bytes, charset)
}

/** Decodes a text by the name of its character set; one that is not known is guessed. */
export function decodeCharset(bytes: Uint8Array, charset: string): string {
  if (/^(?:iso-8859-1|latin-?1|windows-1252|(?:us-)?ascii)$/i.test(charset)) return decodeLatin1(bytes)
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return decodeText(bytes)
  }
}
