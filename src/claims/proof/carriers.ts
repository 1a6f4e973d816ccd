import { UsageError } from '../../errors.ts'
import { type Parts, type Proof, type Proven, proofOf, provenBy, readProof } from './proof.ts'

/** What a proof stands between, and what parts its lines. Nothing of it can stand within the proof. */
interface Place {
  readonly open: string
  readonly close: string
  readonly parting?: string
}

/** Texts that carry a proof at their end, behind all that they show. */
const places = {
  md: { open: '\n\n<!-- quaero-proof\n', close: '\n-->' },
  html: {
    open: '<script type="application/json" id="quaero-proof">',
    close: '</script></body>\n</html>',
  },
  // Lines that are not too long for LaTeX.
  tex: { open: '\n\n% quaero-proof\n% ', close: '', parting: '\n% ' },
  json: { open: ',"proof":', close: '}' },
} satisfies Record<string, Place>
export type TextFormat = keyof typeof places

/** A text with its proof: Markdown, a source of LaTeX, or a page of HTML that ends with its body. */
export function textWith(format: 'md' | 'html' | 'tex', text: string, claims: Parameters<typeof proofOf>[0]): string {
  const rest = lined(text).replace(/<\/body>\n<\/html>$/, '')
  return `${rest}${inPlace(places[format], proofOf(claims, partsOf(rest)))}\n`
}

/** An object of JSON with its proof in the last field, `proof`. */
export function jsonWith(value: object, claims: Parameters<typeof proofOf>[0]): string {
  const rest = compactJson(JSON.stringify(value)).slice(0, -1)
  return `${JSON.stringify({ ...value, proof: proofOf(claims, partsOf(rest)) }, null, 2)}\n`
}

/** What a text proves; null if it carries no proof. Throws `UsageError`. */
export function textProven(format: TextFormat, file: string): Proven | null {
  const isJson = format === 'json'
  if (isJson && parsed(file) === null) return null
  const text = isJson ? compactJson(file) : file
  const found = proofIn(text, places[format])
  return found && provenBy(found.proof, found.isAsWritten, partsOf(found.before))
}

/** How a proof is written in its place: as JSON in ASCII that ends no comment, no script and no element, and can be cut anywhere. */
export function inPlace({ open, close, parting = '' }: Place, proof: Proof): string {
  const lines = inAscii(JSON.stringify(proof)).match(/.{1,1000}/g) ?? []
  return `${open}${lines.join(parting)}${close}`
}

/** The proof in a text, and what stands before it; null without one. Throws `UsageError`. */
export function proofIn(text: string, place: Place) {
  const { open, close, parting = '' } = place
  const at = text.lastIndexOf(open)
  if (at < 0) return null
  const end = text.lastIndexOf(close)
  const proof = readProof(parsed(text.slice(at + open.length, end).replaceAll(parting, '')))
  return { before: text.slice(0, at), proof, isAsWritten: text.slice(at) === inPlace(place, proof) }
}

/** The text of a file, in one form whatever encoding of Unicode and line ends an editor has saved it in. Throws `UsageError`. */
export function textOf(bytes: Uint8Array): string {
  const [first = 0, second = 0] = bytes
  const mark = (first << 8) | second
  const encoding = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8'
  try {
    return lined(new TextDecoder(encoding, { fatal: true }).decode(bytes))
  } catch {
    throw new UsageError('The file is no text of UTF-8 or UTF-16: another program has saved it, or it is damaged.')
  }
}

/** JSON in one form: without white space, in ASCII. What is written twice stays so, unlike in a value that was parsed. */
export function compactJson(json: string): string {
  let isInText = false
  const dense = json.replace(/\\.|"|[ \t\n\r]+/gs, (found) => {
    if (found === '"') isInText = !isInText
    return isInText || found.trim() !== '' ? found : ''
  })
  return inAscii(dense)
}

/** null for what is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function partsOf(text: string): Parts {
  return new Map([['its text', text]])
}

function lined(text: string): string {
  return text.replace(/\r\n?/g, '\n').trimEnd()
}

function inAscii(json: string): string {
  return json.replace(
    /[^\x20-\x7e]|[<>&]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
