import { citationLabel } from '../answers/citation-label.ts'
import type { Ending, Event, Evidence } from '../events/index.ts'

export interface Notes {
  /** What is known of the files but cannot be quoted from them. */
  readonly remarks?: readonly string[]
  /** No language model wrote this. */
  readonly extractive?: boolean
  /** No language model looked for an answer either, and there is none. */
  readonly searchedByRule?: boolean
  readonly failure?: { readonly message: string } | null
  /** The answer is made of quotes, picked by rule in place of a model that did not answer. */
  readonly quotes?: boolean
  readonly ending?: Ending | null
  readonly assumed?: string | null
  readonly unsure?: boolean
  /** The sentence that was to answer first had no quote that supports it. */
  readonly lostFirst?: boolean
  /** The endpoint stopped the model at its length limit. */
  readonly cut?: boolean
}

/** The answer, followed by what the reader should know about it. */
export function withNotes(answer: string, notes: Notes): string {
  const { remarks = [] } = notes
  const lines = [
    remarks.length > 0 && remarks.map((remark) => `Note: ${remark}`).join('\n'),
    notes.assumed && `Assumed: ${notes.assumed}`,
    notes.ending && `Stopped early: ${notes.ending.reason}`,
    notes.failure && `The model gave no answer: ${notes.failure.message}`,
    notes.quotes && 'These are the best passages found, as quotes.',
    notes.lostFirst &&
      'The first sentence of the draft was left out, since no quote bears it out; this is what could be verified.',
    notes.cut && 'The model reached its length limit, so the answer may be incomplete.',
    notes.unsure && 'Confidence is low: please verify this against the sources.',
    notes.searchedByRule && 'No language model was used: the documents were searched by rule.',
    notes.extractive && 'Extractive answer: quoted from the sources, with no language model.',
  ].filter((line) => typeof line === 'string')
  return [answer, ...lines].join('\n\n')
}

const nearMisses = 3
/** What holds less of the question than this is not near. */
const nearEnough = 0.2
const longestExcerpt = 160

/** What is said when the evidence does not hold an answer: what was searched, and what came nearest. */
export function abstention(search: {
  readonly evidence: readonly Evidence[]
  readonly documents: number
  readonly searchedWeb: boolean
  readonly searched: Searched
}): string {
  const { evidence, documents, searchedWeb, searched } = search
  const where = [
    `${documents} ${documents === 1 ? 'document' : 'documents'}`,
    ...(searchedWeb ? ['the web'] : []),
  ].join(' and ')
  if (evidence.length === 0 && searched !== 'yes') return unsearched[searched]
  const near = evidence.filter(({ observation }) => observation.score >= nearEnough)
  if (near.length === 0) return `I found nothing about this in ${where}.`
  const all = evidence.map(({ observation }) => observation)
  const nearest = near
    .slice(0, nearMisses)
    .map(({ observation }) => `- ${citationLabel(observation, all)}: “${excerpt(observation.text)}”`)
  return [`I found no answer to this in ${where}. The nearest passages:`, ...nearest].join('\n')
}

const unsearched: { readonly [S in Exclude<Searched, 'yes'>]: string } = {
  refused: 'Nothing was searched: the tools that would have searched were refused.',
  failed: 'Nothing could be searched: every tool failed.',
  no: 'Nothing was searched before the run had to stop.',
}

function excerpt(text: string): string {
  // A number in brackets would pass for a footnote of this answer, which has none.
  const line = text
    .replace(/\[(\^?\d[\d\s,^–-]{0,40})\]/g, '($1)')
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > longestExcerpt ? `${line.slice(0, longestExcerpt).replace(/\s\S*$/, '')} …` : line
}

/** What the model said in place of an answer. */
export function refusal(said: string): string {
  return `The model declined to answer: “${excerpt(said)}”`
}

const MOST_LEFT_OUT = 20
const LONGEST_LEFT_OUT = 300

/** The beginnings of the first sentences that were left out, and how many more there were. */
export function leftOut(sentences: readonly string[]): string[] {
  const told = sentences
    .slice(0, MOST_LEFT_OUT)
    .map((each) => (each.length > LONGEST_LEFT_OUT ? `${each.slice(0, LONGEST_LEFT_OUT - 2).trimEnd()} …` : each))
  const more = sentences.length - told.length
  return more > 0 ? [...told, `and ${more} more`] : told
}

/** What came of looking: something was searched, every call was refused or failed, or none was made. */
export type Searched = 'yes' | 'refused' | 'failed' | 'no'

/** What the log of a run tells of its tools; where nothing is logged, that they worked. */
export function searchedIn(log: readonly Event[] | undefined): Searched {
  if (!log) return 'yes'
  const statuses = log.flatMap((event) => {
    if (event.type === 'tool.completed') return [event.payload.status]
    return event.type === 'tool.failed' ? (['error'] as const) : []
  })
  if (statuses.includes('success')) return 'yes'
  if (statuses.includes('denied')) return 'refused'
  return statuses.length > 0 ? 'failed' : 'no'
}

/** A stretch of an answer's text, by character. */
export interface Highlight {
  readonly start: number
  readonly end: number
}

/** An answer and the words of it that answer the question most shortly. */
export interface HighlightedText {
  readonly text: string
  readonly highlights: readonly Highlight[]
}

const BOLD = /(?<![\p{L}\p{N}*])\*\*(?=[^\s*])([^*\n]{1,200})(?<=\S)\*\*(?![\p{L}\p{N}*])/gu

/**
 * Takes the marks of words in bold out of a text, and says where the words are; others, as in `2 ** 3`, and those that
 * one of `sources` has itself, stay: a document cannot have its own words highlighted.
 */
export function withoutBold(markdown: string, sources: readonly string[] = []): HighlightedText {
  const highlights: Highlight[] = []
  let text = ''
  let from = 0
  for (const { 0: marked, 1: words = '', index } of markdown.matchAll(BOLD)) {
    if (sources.some((source) => source.includes(marked))) continue
    text += markdown.slice(from, index)
    highlights.push({ start: text.length, end: text.length + words.length })
    text += words
    from = index + marked.length
  }
  return { text: text + markdown.slice(from), highlights }
}
