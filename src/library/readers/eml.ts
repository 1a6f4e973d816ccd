import { yearIn } from '../language/characters.ts'
import type { ReadDocument } from '../port/document.ts'
import { cleanLine } from './common/clean-text.ts'
import { documentWriter } from './common/document-writer.ts'
import type { ReadOptions } from './common/read-options.ts'
import { writeHtml } from './html/html.ts'
import { writeText } from './text.ts'

/** Reads a message (RFC 5322): who wrote it to whom and when, and its text, or its HTML without one. One page. */
export async function readEml(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  const message = parsePart(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'))
  const writer = documentWriter(options.limits)
  writer.page(1)
  const [subject, sender, date] = ['subject', 'from', 'date'].map((name) => headerText(message, name))
  if (subject) writer.heading(1, subject)
  for (const name of ['From', 'To', 'Cc', 'Date']) {
    const value = headerText(message, name.toLowerCase())
    if (value !== '') writer.paragraph(`${name}: ${value}`)
  }
  const parts = leaves(message, 0)
  const plain = parts.find((part) => typeOf(part) === 'text/plain')
  const html = parts.find((part) => typeOf(part) === 'text/html')
  if (plain) writeText(writer, textOfPart(plain))
  else if (html) writeHtml(textOfPart(html), writer)
  const author = /^"?([^"<>@]{2,100}?)"?\s*</u.exec(sender ?? '')?.[1]?.trim()
  const year = yearIn(date ?? '')
  return {
    format: 'eml',
    title: subject ? { value: subject, from: 'subject of the message' } : null,
    authors: author ? { value: [author], from: 'sender of the message' } : null,
    year: year === null ? null : { value: year, from: 'date of the message' },
    ...writer.finish(),
  }
}

interface Part {
  readonly headers: ReadonlyMap<string, string>
  /** One character for each byte. */
  readonly body: string
}

function parsePart(source: string): Part {
  const text = source.replaceAll('\r\n', '\n')
  const end = text.indexOf('\n\n')
  const head = (end < 0 ? text : text.slice(0, end)).replace(/\n(?=[ \t])/gu, '')
  const fields = head.split('\n').map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, Math.max(0, colon)).toLowerCase(), line.slice(colon + 1).trim()]
  })
  // The first of a name holds: what stands above was added last.
  return { headers: new Map(fields.reverse()), body: end < 0 ? '' : text.slice(end + 2) }
}

const deepest = 10

/** The parts that hold a text, without attached files. */
function leaves(part: Part, depth: number): readonly Part[] {
  const boundary = parameterOf(part, 'boundary')
  if (!typeOf(part).startsWith('multipart/') || boundary === '') {
    return /^\s*attachment/iu.test(part.headers.get('content-disposition') ?? '') ? [] : [part]
  }
  if (depth > deepest) return []
  const [closed = ''] = `\n${part.body}`.split(`\n--${boundary}--`)
  const bodies = closed.split(`\n--${boundary}`).slice(1)
  return bodies.flatMap((body) => leaves(parsePart(body.replace(/^[ \t]*\n/u, '')), depth + 1))
}

function typeOf(part: Part): string {
  return (part.headers.get('content-type') ?? 'text/plain').split(';')[0]?.trim().toLowerCase() ?? ''
}

function parameterOf(part: Part, name: string): string {
  const parameters = (part.headers.get('content-type') ?? '').split(';').map((each) => each.trim())
  const found = parameters.find((each) => each.toLowerCase().startsWith(`${name}=`))
  return found?.slice(name.length + 1).replaceAll('"', '') ?? ''
}

function textOfPart(part: Part): string {
  const encoding = part.headers.get('content-transfer-encoding')?.trim().toLowerCase() ?? ''
  const bytes =
    encoding === 'base64' ? Buffer.from(part.body, 'base64') : Buffer.from(unquoted(part.body, encoding), 'latin1')
  return decode(bytes, parameterOf(part, 'charset'))
}

function unquoted(body: string, encoding: string): string {
  return encoding === 'quoted-printable' ? fromHex(body.replace(/=[ \t]*\n/gu, '')) : body
}

function fromHex(text: string): string {
  return text.replace(/=([\dA-F]{2})/giu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

function decode(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset || 'utf-8').decode(bytes)
  } catch {
    return new TextDecoder('utf-8').decode(bytes)
  }
}

/** A header with its encoded words (RFC 2047). */
function headerText(part: Part, name: string): string {
  const raw = (part.headers.get(name) ?? '').replace(/\?=\s+=\?/gu, '?==?')
  const text = raw.replace(
    /=\?([\w-]{1,40})\?([BQ])\?([^?\s]{0,1000})\?=/giu,
    (_, charset: string, kind: string, word: string) => {
      const isBase64 = kind.toUpperCase() === 'B'
      const bytes = isBase64 ? Buffer.from(word, 'base64') : Buffer.from(fromHex(word.replaceAll('_', ' ')), 'latin1')
      return decode(bytes, charset)
    },
  )
  return cleanLine(raw === text ? decode(Buffer.from(raw, 'latin1'), 'utf-8') : text)
}
