import { sentences } from '../library/sentences.ts'
import type { TextFilter } from './ask-model.ts'

/** One citation as a model wrote it: `<cite id="P3">words from passage P3</cite>`. */
export interface DraftCitation {
  readonly id: string
  readonly quote: string
}

/** A sentence of a draft with the citations that follow it, and the white space before it. */
export interface DraftSentence {
  readonly before: string
  readonly text: string
  readonly citations: readonly DraftCitation[]
}

/** What a model writes instead of an answer, when the passages do not hold one. */
export const abstainMark = '<abstain/>'

const cite = /<cite\s+id\s*=\s*["']?([^"'>\s]+)["']?\s*>([\s\S]*?)<\/cite\s*>/gi

/**
 * Splits a draft into sentences with their citations, wherever in or after the sentence these stand. Markup that is not
 * well-formed counts as text without citation.
 */
export function parseDraft(draft: string): DraftSentence[] {
  const { text, citations } = withoutMarkup(draft)
  const spans = sentences(text)
  const ownerOf = (at: number) =>
    Math.max(
      0,
      spans.findLastIndex(({ start }) => start < at),
    )
  return spans.map(({ start, end }, index) => ({
    before: text.slice(spans[index - 1]?.end ?? 0, start),
    text: text.slice(start, end),
    citations: citations.filter(({ at }) => ownerOf(at) === index).map(({ id, quote }) => ({ id, quote })),
  }))
}

/** The draft as it reads without its citations, and where in it they stood. */
function withoutMarkup(draft: string): { text: string; citations: (DraftCitation & { readonly at: number })[] } {
  const citations: (DraftCitation & { readonly at: number })[] = []
  let text = ''
  let from = 0
  for (const match of draft.matchAll(cite)) {
    text = joined(text, draft.slice(from, match.index), citations.length > 0)
    citations.push({ id: match[1] ?? '', quote: match[2]?.trim() ?? '', at: text.length })
    from = match.index + match[0].length
  }
  return { text: joined(text, draft.slice(from), citations.length > 0), citations }
}

/** Closes the gap that a citation leaves: no commas between two of them, no space before a stop, one after it. */
function joined(text: string, next: string, afterCitation: boolean): string {
  if (!afterCitation) return text + next
  if (/^[\s,;]*$/.test(next)) return text + next.replace(/[,;]/g, '')
  if (/^\s*[.,;:!?…)]/.test(next)) return text.trimEnd() + next.trimStart()
  return /[.!?…]$/.test(text) && /^\S/.test(next) ? `${text} ${next}` : text + next
}

/** Hides citation markup from a stream: the reader sees `[1]`, `[2]`, … where a citation ends. */
export function citationFilter(): TextFilter {
  const markers = new Map<string, number>()
  let held = ''
  let last = ''
  const visible = () => {
    held = held.replaceAll(abstainMark, '')
    const text = held.replace(cite, (_, id: string, quote: string, at: number) => {
      const key = `${id} ${quote}`
      if (!markers.has(key)) markers.set(key, markers.size + 1)
      const follows = at === 0 ? last === ']' : held.slice(0, at).endsWith('>')
      return `${follows ? '' : ' '}[${markers.get(key)}]`
    })
    const cut = heldFrom(text)
    held = text.slice(cut)
    const shown = text.slice(0, cut)
    last = shown.at(-1) ?? last
    return shown
  }
  return {
    push(text) {
      held += text
      return visible()
    },
    flush() {
      const text = visible() + held
      held = ''
      return text.replace(/<\/?(cite|abstain)\b[^>]*>?/gi, '')
    },
  }
}

/** Where text begins that cannot be shown yet: a citation that is not closed, or what may become markup. */
function heldFrom(text: string): number {
  const citation = text.search(/<cite\b/i)
  if (citation >= 0) return citation
  const open = text.lastIndexOf('<')
  return open >= 0 && mayBecomeMarkup(text.slice(open)) ? open : text.length
}

function mayBecomeMarkup(tail: string): boolean {
  const lower = tail.toLowerCase()
  return ['<cite', abstainMark].some((mark) => lower.startsWith(mark) || mark.startsWith(lower))
}
