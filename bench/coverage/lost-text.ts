import { documentBatches } from '../../src/library/passages/split.ts'
import type { LeftOut, Passage, ReadDocument } from '../../src/library/port/document.ts'

/** Of one page, in characters that are not white space. */
export interface PageCoverage {
  readonly page: number
  readonly characters: number
  readonly inPassages: number
  /** In no passage, and on the page's list of what was left out. */
  readonly listed: number
  /** Neither. */
  readonly lost: readonly string[]
}

/** What of each page's text stands in passages, as a library would store them. */
export function coverageOf(document: ReadDocument): readonly PageCoverage[] {
  const batches = [...documentBatches('0', document)]
  const passages = batches.flatMap((batch) => batch.passages)
  const pieces = batches.flatMap((batch) => batch.pages)
  return document.pages.map(({ number }) => {
    const own = pieces.filter((piece) => piece.number === number)
    const text = own.map((piece) => piece.text).join('')
    return pageCoverage(
      number,
      text,
      passages.filter(({ page }) => page === number),
      own[0]?.leftOut ?? [],
    )
  })
}

function pageCoverage(
  page: number,
  text: string,
  passages: readonly Passage[],
  leftOut: readonly LeftOut[],
): PageCoverage {
  const covered = withoutSpans(text, passages)
  const spans = leftOut.flatMap(({ start, text }) => (start === null ? [] : [{ start, end: start + text.length }]))
  const rest = withoutSpans(covered, spans)
  const [all, uncovered, lost] = [countOf(text), countOf(covered), countOf(rest)]
  return {
    page,
    characters: all,
    inPassages: all - uncovered,
    listed: uncovered - lost,
    lost: rest.split(/\s{2,}/u).filter((each) => each.trim() !== ''),
  }
}

/** The text with spaces where the spans are. */
function withoutSpans(text: string, spans: readonly { readonly start: number; readonly end: number }[]): string {
  let rest = ''
  for (const { start, end } of [...spans].sort((one, other) => one.start - other.start)) {
    rest += text.slice(rest.length, Math.max(rest.length, start))
    rest += ' '.repeat(Math.max(0, end - rest.length))
  }
  return rest + text.slice(rest.length)
}

/** Characters that are not white space, in no passage and on no list. */
export function countLost(pages: readonly PageCoverage[]): number {
  return pages.reduce((sum, { characters, inPassages, listed }) => sum + characters - inPassages - listed, 0)
}

function countOf(text: string): number {
  return text.replace(/\s+/gu, '').length
}
