import type { DraftCitation } from './marks.ts'
import { handleOf } from './marks.ts'

/** A draft without the list of notes or sources at its end, and what each number of the list cites. */
export interface Noted {
  readonly text: string
  readonly notes: ReadonlyMap<number, readonly DraftCitation[]>
}

const NOTE = /^\s{0,3}(?:[-*]\s)?(?:\[\^?(\d{1,3})\]:?|(\d{1,3})[.)])\s{1,3}(\S.{0,2200})$/

/** "Sources:", "## Quellen", "**References**": a line that only announces what a citation follows. */
export const sourceLabel =
  /^[\s*_#>-]{0,9}(?:sources?|references?|citations?|evidence|quotes?|footnotes?|notes?|quellen?|belege?|nachweise?|fußnoten?|fuentes?|citas?|notas?|références?)\s?\*{0,3}\s?:?\*{0,3}\s{0,9}$/i

/**
 * Takes the lines that give the numbers of a draft a meaning off it: `[^1]: P3: "words"`, `[1] P3`, and under a label also
 * `1. P3`. A draft that has no such list is returned as it is.
 */
export function withoutNotes(draft: string): Noted {
  const notes = new Map<number, readonly DraftCitation[]>()
  const kept: string[] = []
  let isLabelled = false
  for (const line of draft.split('\n')) {
    const match = NOTE.exec(line)
    isLabelled = sourceLabel.test(line) || (isLabelled && (line.trim() === '' || match !== null))
    const note = match && noteOf(match, isLabelled)
    if (note) notes.set(...note)
    else kept.push(line)
  }
  if (notes.size === 0) return { text: draft, notes }
  return { text: kept.filter((line) => !sourceLabel.test(line)).join('\n'), notes }
}

/** A number in brackets that cites something, and below a label any number. */
function noteOf(
  [, inBrackets, plain, body = '']: RegExpExecArray,
  isLabelled: boolean,
): readonly [number, readonly DraftCitation[]] | null {
  const citations = citedIn(body)
  const isNote = isLabelled || (inBrackets !== undefined && citations.length > 0)
  return isNote ? [Number(inBrackets ?? plain), citations] : null
}

/** A note names a passage, quotes words, or both. */
function citedIn(body: string): readonly DraftCitation[] {
  const [id = ''] = /\bP\d{1,3}\b/.exec(body) ?? []
  const quote = /["“„«]([^"“”„«»]{1,2000})["”“»]/.exec(body)?.[1] ?? ''
  return id === '' && quote === '' ? [] : [{ id: handleOf(id), quote: quote.trim() }]
}
