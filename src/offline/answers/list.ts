import type { EvidencePassage } from '../../events/index.ts'
import type { Candidate } from '../parts/parts.ts'
import type { AnswerStrategy } from '../parts/strategy.ts'
import { writeClaim } from './write.ts'

/** A line that is an item of a list, by its bullet or number. */
export const ITEM = /^(?:[•◦▪‣·]|[-–—*]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)])\s+\S/
const MOST_ITEMS = 7
const FEWEST_ITEMS = 2
/** A text of equal sentences has thousands that are as good as the best. */
const MOST_ANNOUNCEMENTS = 20
/** The most words of an announcement without a colon; a longer sentence says something itself. */
const SHORT = 16
/** How far behind the best sentence an announcement may be. */
const CLOSE = 0.12
const COUNTED = ['two', 'three', 'four', 'five', 'six', 'seven'].map((word) => new RegExp(`\\b${word} \\p{L}+`, 'iu'))
const ASKS_FOR_FIGURE = /\bhow (?:many|much|often|long|old|large|big|far)\b/i

/** A sentence of the evidence by the passage it stands in. */
interface Item {
  readonly id: string
  readonly text: string
}

/**
 * Answers with a list where the best sentence only announces one: "Check five numbers every morning.", "We compared:".
 * The announcement stands first, then the items, each on its own line.
 */
export const answerWithList: AnswerStrategy = async ({ question, evidence }, _parts, ranked) => {
  if (ASKS_FOR_FIGURE.test(question)) return null
  const best = ranked[0]?.score ?? 0
  const close = ranked.filter(({ row, score }) => !row && best - score <= CLOSE)
  for (const announcement of close.slice(0, MOST_ANNOUNCEMENTS)) {
    const items = itemsBehind(announcement, evidence, ranked)
    if (items.length >= FEWEST_ITEMS) {
      const text = writeList(announcement, items.slice(0, MOST_ITEMS))
      return { text, basis: 'sentence', remarks: [] }
    }
  }
  return null
}

function writeList({ id, text }: Candidate, items: readonly Item[]): string {
  const lead = text.replace(/[:.,;]?$/, ':')
  const lines = items.map(
    (item) => `- ${writeClaim({ text: bare(item.text).replaceAll(' | ', ', '), quotes: [item.text] }, item.id)}`,
  )
  return [writeClaim({ text: lead, quotes: [text] }, id), ...lines].join('\n')
}

function bare(item: string): string {
  return ITEM.test(item) ? item.replace(/^\S+\s+/, '') : item
}

/**
 * What a sentence announces: as many sentences of its own paragraph as it says; else the list behind it, as many
 * paragraphs as it says, or the rows of a table. Empty if it announces nothing, or less stands behind it.
 */
function itemsBehind(
  announcement: Candidate,
  evidence: readonly EvidencePassage[],
  ranked: readonly Candidate[],
): readonly Item[] {
  const { id, text, end } = announcement
  const passage = evidence.find((each) => each.id === id)
  if (passage?.kind !== 'text' || (text.split(/\s+/).length > SHORT && !text.endsWith(':'))) return []
  const line = passage.text.slice(end).search(/\n|$/)
  const counted = COUNTED.findIndex((number) => number.test(text))
  const wanted = counted < 0 ? Number.POSITIVE_INFINITY : counted + FEWEST_ITEMS
  const own = sentencesIn(id, end, end + line, ranked)
  if (own.length > 0) return own.length >= wanted ? own.slice(0, wanted) : []
  const paragraphs = paragraphsFrom(end + line, passage, evidence, ranked)
  if (paragraphs.length === 0) return text.endsWith(':') ? rowsBelow(passage, evidence, ranked) : []
  const marked = markedAmong(paragraphs)
  if (marked.length >= FEWEST_ITEMS) return marked
  return paragraphs.length >= wanted ? paragraphs.slice(0, wanted) : []
}

interface Paragraph extends Item {
  /** It begins with a bullet or number. */
  readonly isMarked: boolean
}

/** Those with a bullet or number, up to the first without. */
function markedAmong(paragraphs: readonly Paragraph[]): readonly Paragraph[] {
  const unmarked = paragraphs.findIndex(({ isMarked }) => !isMarked)
  return unmarked < 0 ? paragraphs : paragraphs.slice(0, unmarked)
}

function sentencesIn(id: string, from: number, to: number, ranked: readonly Candidate[]): readonly Candidate[] {
  const within = ranked.filter((each) => each.id === id && !each.row && each.start >= from && each.end <= to)
  return within.sort((a, b) => a.start - b.start)
}

/** The first sentence of the first paragraphs from a position on, those of passages that continue this one included. */
function paragraphsFrom(
  from: number,
  passage: EvidencePassage,
  evidence: readonly EvidencePassage[],
  ranked: readonly Candidate[],
): readonly Paragraph[] {
  const lines = [passage, ...continuationsOf(passage, evidence)].flatMap((each) =>
    linesOf(each, each === passage ? from : 0, each !== passage && goesOn(each.text)),
  )
  return lines.slice(0, MOST_ITEMS).map(({ id, text, start, end }) => {
    const [first] = sentencesIn(id, start, end, ranked)
    return { id, text: first?.text ?? text, isMarked: ITEM.test(text) }
  })
}

/** The rows of the only table of the same section, where the announcement ends its passage. */
function rowsBelow(
  { documentId, section, page }: EvidencePassage,
  evidence: readonly EvidencePassage[],
  ranked: readonly Candidate[],
): readonly Item[] {
  const [table, other] = evidence.filter((each) => {
    const isNear = each.documentId === documentId && each.section === section && each.page === page
    return isNear && ranked.some(({ id, row }) => id === each.id && row)
  })
  if (!table || other) return []
  return ranked.filter(({ id, row }) => id === table.id && row).sort((a, b) => a.start - b.start)
}

interface Line extends Item {
  readonly start: number
  readonly end: number
}

/** The lines of a passage from a position on, without the first if that is the rest of a sentence. */
function linesOf({ id, text }: EvidencePassage, from: number, isRest: boolean): readonly Line[] {
  const lines = Array.from(text.slice(from).matchAll(/[^\n]+/g), ({ 0: line, index }) => ({
    id,
    text: line,
    start: from + index,
    end: from + index + line.length,
  }))
  return isRest ? lines.slice(1) : lines
}

/** Passages of the same section that begin in the middle of a sentence, where this one ends, or in that of a list. */
function continuationsOf(passage: EvidencePassage, evidence: readonly EvidencePassage[]): readonly EvidencePassage[] {
  const isOpen = !/[.!?:;]["”’)\]]*\s*$/.test(passage.text)
  const last = Number(/(?:^|\n)\(?(\d{1,3})[.)]\s[^\n]*$/.exec(passage.text)?.[1] ?? Number.NaN)
  return evidence.filter(
    (each) =>
      each !== passage &&
      each.documentId === passage.documentId &&
      each.section === passage.section &&
      each.kind === 'text' &&
      ((isOpen && goesOn(each.text)) || Number(/^\(?(\d{1,3})[.)]\s/.exec(each.text)?.[1]) === last + 1),
  )
}

function goesOn(text: string): boolean {
  return /^\p{Ll}/u.test(text)
}
