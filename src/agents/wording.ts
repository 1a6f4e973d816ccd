import { citationLabel } from '../answers/index.ts'
import type { AnswerSentence, Ending, Event, Evidence, Observation, Unsupported } from '../events/index.ts'
import { sectionAt } from '../library/index.ts'
import { nearestPart } from '../tools/index.ts'

export interface Notes {
  /** What is known of the files but cannot be quoted from them. */
  readonly remarks?: readonly string[]
  /** No language model wrote the answer. */
  readonly extractive?: boolean
  /** No language model looked for an answer, and there is none. */
  readonly searchedByRule?: boolean
  readonly failure?: { readonly message: string } | null
  /** The model wrote an answer, and no quote supports any of it. */
  readonly unverified?: boolean
  /** The answer is quotes, chosen by rule because the model failed. */
  readonly quotes?: boolean
  readonly ending?: Ending | null
  readonly assumed?: string | null
  readonly unsure?: boolean
  /** A sentence says what the passages do not say. */
  readonly namesAbsence?: boolean
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
    notes.failure && `${notes.unverified ? lateFailure : 'The model gave no answer'}: ${notes.failure.message}`,
    notes.quotes && 'These are the best passages found, as quotes.',
    notes.namesAbsence && 'What the passages do not say has no footnote: those that were found were searched for it.',
    notes.cut && 'The model reached its length limit, so the answer may be incomplete.',
    notes.unsure && 'Confidence is low: please verify this against the sources.',
    notes.searchedByRule && 'No language model was used: the documents were searched by rule.',
    notes.extractive && 'Extractive answer: quoted from the sources, with no language model.',
  ].filter((line) => typeof line === 'string')
  return [answer, ...lines].join('\n\n')
}

const lateFailure = 'No quote supports what the model wrote, and an earlier call failed'

const mostNearest = 3
/** Passages with less of the question than this are not listed as near. */
const nearEnough = 0.1
const longestExcerpt = 160

/** The answer where the evidence does not contain one: what was searched, and the nearest passages. */
export function abstention(search: {
  readonly question: string
  readonly evidence: readonly Evidence[]
  readonly documents: number
  readonly searchedWeb: boolean
  readonly searched: Searched
  /** A model wrote an answer, and nothing of it could be verified: it is listed apart, with the reasons. */
  readonly unverified?: boolean
}): string {
  const { question, evidence, documents, searchedWeb, searched, unverified = false } = search
  if (evidence.length === 0 && searched !== 'yes') return unsearched[searched]
  const where = `${documents} ${documents === 1 ? 'document' : 'documents'}${searchedWeb ? ' and the web' : ''}`
  const near = evidence.filter(({ observation }) => observation.score >= nearEnough).slice(0, mostNearest)
  if (near.length === 0 && !unverified) return `I found nothing about this in ${where}.`
  const all = evidence.map(({ observation }) => observation)
  const nearest = near.map(({ observation }) => `- ${nearestIn(observation, question, all)}`)
  const said = unverified
    ? `The answer that was written could not be verified in ${where}; it is listed as not verified.`
    : `I found no answer to this in ${where}.`
  return near.length === 0 ? said : [`${said} The nearest passages:`, ...nearest].join('\n')
}

const unsearched: { readonly [S in Exclude<Searched, 'yes'>]: string } = {
  refused: 'Nothing was searched: the tools that would have searched were refused.',
  failed: 'Nothing could be searched: every tool failed.',
  no: 'Nothing was searched before the run had to stop.',
}

/** Where a passage stands, and its words from the sentence on that is nearest to the question. */
function nearestIn(observation: Observation, question: string, among: readonly Observation[]): string {
  const { text, start: from } = observation
  const { start } = nearestPart(question, observation)
  const place = citationLabel({ ...observation, section: sectionAt(observation, from + start) }, among)
  return `${place}: “${start > 0 ? '… ' : ''}${excerpt(text.slice(start))}”`
}

function excerpt(text: string): string {
  // A number in brackets would look like a footnote of this answer, which has none.
  const line = text
    .replace(/\[(\^?\d[\d\s,^–-]{0,40})\]/g, '($1)')
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > longestExcerpt ? `${line.slice(0, longestExcerpt).replace(/\s\S*$/, '')} …` : line
}

/** The answer where the model declined to give one. */
export function refusal(said: string): string {
  return `The model declined to answer: “${excerpt(said)}”`
}

const mostLeftOut = 20
const longestLeftOut = 300
const LIST_MARK = /^[-*+•]\s+/

/**
 * The beginnings of the first sentences that were left out, with the reasons, and the number of the others. Those that a
 * rule took from `sources` are told without its bold marks.
 */
export function leftOut(sentences: readonly AnswerSentence[], sources: readonly string[] | null): Unsupported[] {
  const dropped = sentences.filter(({ state }) => state === 'unsupported')
  const plain = (sentence: string) => withoutBold(sentence, sources).text.replace(LIST_MARK, '')
  const short = (text: string) =>
    text.length > longestLeftOut ? `${text.slice(0, longestLeftOut - 2).trimEnd()} …` : text
  const shown = dropped
    .slice(0, mostLeftOut)
    .map(({ text, reason = '' }) => ({ text: short(plain(text)), reason: short(reason) }))
  const more = dropped.length - shown.length
  return more > 0 ? [...shown, { text: `and ${more} more`, reason: '' }] : shown
}

/** Whether something was searched, every call was refused or failed, or none was made. */
export type Searched = 'yes' | 'refused' | 'failed' | 'no'

/** The outcome of all tool calls in a run's log; without a log, that they worked. */
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

/** Whether a call of this tool succeeded; without a log, that it did. */
export function succeededIn(log: readonly Event[] | undefined, tool: string): boolean {
  if (!log) return true
  const calls = new Set(
    log.flatMap((event) => (event.type === 'tool.started' && event.payload.tool === tool ? [event.id] : [])),
  )
  return log.some(
    (event) =>
      event.type === 'tool.completed' && event.payload.status === 'success' && calls.has(event.causationId ?? ''),
  )
}

const bold = /(?<![\p{L}\p{N}*])\*\*(?=[^\s*])([^*\n]{1,200})(?<=\S)\*\*(?![\p{L}\p{N}*])/gu

/**
 * The text without bold marks, and the places of the bold words. Marks that one of `sources` contains stay: a document
 * cannot have its own words highlighted. All stay where `sources` is null: no rule has set them.
 */
export function withoutBold(markdown: string, sources: readonly string[] | null) {
  const highlights: { readonly start: number; readonly end: number }[] = []
  if (sources === null) return { text: markdown, highlights }
  let text = ''
  let from = 0
  for (const { 0: marked, 1: words = '', index } of markdown.matchAll(bold)) {
    if (sources.some((source) => source.includes(marked))) continue
    text += markdown.slice(from, index)
    highlights.push({ start: text.length, end: text.length + words.length })
    text += words
    from = index + marked.length
  }
  return { text: text + markdown.slice(from), highlights }
}
