import { z } from 'zod'
import { type Proof, proofOf, readProof } from './proof.ts'

/** A file of text that carries a proof: what it shows, and the proof that was found in it; null without one. */
export interface Carried {
  readonly shown: string
  readonly proof: Proof | null
}

/** What a proof stands between. */
type Place = readonly [before: string, after: string]

const inMarkdown: Place = ['<!-- quaero-proof\n', '\n-->']
const inLatex = '\n% quaero-proof\n'
const inHtml: Place = ['<script type="application/json" id="quaero-proof">', '</script>']

/** Markdown with the proof in a comment behind it. */
export function markdownWith(text: string, claims: Parameters<typeof proofOf>[0]): string {
  // "-->" would end the comment.
  const json = JSON.stringify(proofOf(claims, shownIn(text))).replaceAll('>', '\\u003e')
  return `${text.trimEnd()}\n\n${inMarkdown.join(json)}\n`
}

export function markdownCarried(file: string): Carried {
  return carried(file, inMarkdown)
}

/** A page of HTML with the proof in a script that nothing runs. */
export function htmlWith(page: string, claims: Parameters<typeof proofOf>[0]): string {
  const json = JSON.stringify(proofOf(claims, shownIn(page))).replaceAll('<', '\\u003c')
  return page.replace('</body>', () => `${inHtml.join(json)}</body>`)
}

export function htmlCarried(file: string): Carried {
  return carried(file, inHtml)
}

/** A source of LaTeX with the proof in comments behind it, in lines that are not too long for it. */
export function latexWith(source: string, claims: Parameters<typeof proofOf>[0]): string {
  const lines = inAscii(proofOf(claims, shownIn(source))).match(/.{1,1000}/g) ?? []
  return `${source.trimEnd()}\n${inLatex}${lines.map((line) => `% ${line}\n`).join('')}`
}

export function latexCarried(file: string): Carried {
  const source = shownIn(file)
  const at = source.lastIndexOf(inLatex)
  if (at < 0) return { shown: source, proof: null }
  const json = source.slice(at + inLatex.length).replace(/^% |\n/gm, '')
  return { shown: shownIn(source.slice(0, at)), proof: readProof(parsed(json)) }
}

/** An object of JSON with its proof in the field `proof`. */
export function jsonWith(value: object, claims: Parameters<typeof proofOf>[0]): string {
  return `${JSON.stringify({ ...value, proof: proofOf(claims, JSON.stringify(value)) }, null, 2)}\n`
}

export function jsonCarried(file: string): Carried {
  const value = z.record(z.string(), z.unknown()).safeParse(parsed(file)).data
  if (!value) return { shown: file, proof: null }
  const { proof: found, ...shown } = value
  return { shown: JSON.stringify(shown), proof: readProof(found) }
}

function carried(file: string, [before, after]: Place): Carried {
  const text = shownIn(file)
  const begin = text.lastIndexOf(before)
  const end = begin < 0 ? -1 : text.indexOf(after, begin)
  if (end < 0) return { shown: text, proof: null }
  // What stands behind it is shown too.
  const shown = text.slice(0, begin) + text.slice(end + after.length)
  return { shown: shownIn(shown), proof: readProof(parsed(text.slice(begin + before.length, end))) }
}

/** JSON that stands anywhere in XML, and can be cut anywhere. */
export function inAscii(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]|[<>&]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Line ends may change on the way. */
function shownIn(text: string): string {
  return text.replaceAll('\r\n', '\n').trimEnd()
}

/** null for what is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
