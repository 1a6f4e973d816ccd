import type { RunResult } from '../api/requests.ts'

type Sentences = RunResult['sentences']

/** What stands before some words, and what stands behind them: noncharacters, which no text has. */
export type Around = readonly [string, string]
/** Around words that are quoted and that nobody read again. */
export const quotedMarks: Around = ['\ufdd0', '\ufdd1']
/** Around the shortest answers. */
export const boldMarks: Around = ['\ufdd2', '\ufdd3']

/** The answer with marks around its shortest answers, and around the sentences that are only quoted. */
export function withMarks({ answer, highlights, sentences }: RunResult): string {
  const bold = highlights.filter(({ start, end }) => start < end && !/[|\n]/.test(answer.slice(start, end)))
  const marks = (parts: readonly Part[], around: Around, side: 0 | 1) =>
    parts.map(({ start, end }) => ({ at: [start, end][side] ?? 0, mark: around[side] }))
  const quoted = quotedParts(answer, sentences)
  // Marks at one place are put in from the right: those around sentences outside of the others.
  return [
    ...marks(quoted, quotedMarks, 1),
    ...marks(bold, boldMarks, 1),
    ...marks(bold, boldMarks, 0),
    ...marks(quoted, quotedMarks, 0),
  ]
    .toSorted((one, other) => other.at - one.at)
    .reduce((text, { at, mark }) => text.slice(0, at) + mark + text.slice(at), answer)
}

interface Part {
  readonly start: number
  readonly end: number
}

/** Lines of the sentences that are only quoted, and cells of rows, without the signs of lists. */
function quotedParts(answer: string, sentences: Sentences): readonly Part[] {
  let from = 0
  return sentences.flatMap(({ text, state }) => {
    // The markers of a table's row stand before its last stroke.
    const words = text.trim().replace(/\|$/, '').trimEnd()
    const start = state === 'unsupported' ? -1 : answer.indexOf(words, from)
    if (start === -1) return []
    from = start + words.length
    return state === 'quoted'
      ? partsOf(words).map((part) => ({ start: start + part.start, end: start + part.end }))
      : []
  })
}

function partsOf(words: string): readonly Part[] {
  return [...words.matchAll(/[^|\n]+/g)].flatMap(({ 0: piece, index }) => {
    const said = piece.replace(/^\s*(?:(?:[-*+•>]|#{1,6}|\d{1,3}[.)])\s+)?/, '')
    const start = index + piece.length - said.length
    return /\S/.test(said) ? [{ start, end: start + said.trimEnd().length }] : []
  })
}

/** How many sentences are only quoted, and why; null if there is none. */
export function quotedNote(sentences: Readonly<Sentences> = []): string | null {
  const quoted = sentences.filter(({ state }) => state === 'quoted')
  if (quoted.length === 0) return null
  const [{ reason = '' } = {}] = quoted
  const told =
    quoted.length === 1
      ? '1 sentence is quoted but nobody read it again'
      : `${quoted.length} sentences are quoted but nobody read them again`
  return `${told}${reason && `: ${reason.replace(/\.$/, '')}`}.`
}
