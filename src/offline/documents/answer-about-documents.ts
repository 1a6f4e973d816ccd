import type { EvidencePassage } from '../../events/index.ts'
import { contentStems, type DocumentCard, holdsText, type Quoted, sentences } from '../../library/index.ts'
import type { ExtractiveParts, KnownDocument, RuledAnswer, Statement, SynthesisTask } from '../parts/parts.ts'
import { asText, cite } from '../parts/parts.ts'
import { type DocumentAspect, type DocumentQuestion, readDocumentQuestion, withoutKind } from './document-question.ts'
import { nameOf } from './known-as.ts'
import { documentsAmong, findTarget } from './target.ts'

/** Of a library, so many documents are listed; the others are counted. */
export const MOST_LISTED = 12
/** Not fitted: the reader finds title, authors and year of nine papers in ten. */
const CONFIDENCE = 0.9

/** Answers a question about documents rather than about what stands in them, from their cards; null for every other question. */
export async function answerAboutDocuments(
  { question, evidence, documents }: SynthesisTask,
  parts: ExtractiveParts,
): Promise<RuledAnswer | null> {
  const asked = readDocumentQuestion(question)
  if (!asked) return null
  const target = findTarget(asked, await documentsAmong(documents, parts))
  if (!target || isSaidInText(asked, target.documents, evidence)) return null
  const shown = target.documents.slice(0, MOST_LISTED)
  const cards = await Promise.all(shown.map(({ documentId }) => parts.card(documentId)))
  const told = cards.flatMap((card) => (card ? [tell(asked.aspect, card, cards, evidence)] : []))
  const written = told.flatMap(({ text }) => text ?? [])
  if (written.length === 0) return null
  const text = shown.length === 1 ? written.join('\n') : written.map((each) => `- ${each}`).join('\n')
  const remarks = told.flatMap(({ remark }) => remark ?? [])
  const isListed = asked.aspect === 'inventory' || target.documents.length > written.length
  const counted = isListed ? [countOf(target.documents, shown, told)] : []
  return { text, confidence: CONFIDENCE, remarks: [...remarks, ...counted] }
}

interface Told {
  /** With its citations; null where nothing can be quoted. */
  readonly text: string | null
  /** What stands nowhere in the document. */
  readonly remark: string | null
}

/** What one document says of itself, in its own words. */
function tell(
  aspect: DocumentAspect,
  card: DocumentCard,
  all: readonly (DocumentCard | null)[],
  evidence: readonly EvidencePassage[],
): Told {
  const quote = ({ page, text }: Quoted): string | null => {
    const passage = passageOf(card, { page, text }, evidence)
    return passage && cite(passage.id, [asText(text)])
  }
  const said = (quoted: readonly Quoted[]): string | null => {
    const cited = quoted.map((each) => ({ text: asText(each.text), cite: quote(each) }))
    return cited.length === 0 || cited.some((each) => each.cite === null)
      ? null
      : cited.map((each) => each.text + each.cite).join(' ')
  }
  const named = name(card, quote)
  const { authors, year } = card.metadata
  switch (aspect) {
    case 'inventory':
      return {
        text: all.some((other) => other !== card && other?.title?.text === card.title?.text)
          ? dated(card, named, said)
          : named,
        remark: null,
      }
    case 'topic':
      return { text: said(card.summary) ?? named, remark: null }
    case 'authors':
      return under(
        named,
        said(card.byline),
        unstated(card, authors.filter(isOfPerson), card.byline, (names) => `by ${names.join(', ')}`),
      )
    case 'year':
      return under(
        named,
        said(card.date),
        unstated(card, year, card.date, (value) => `dated ${value}`),
      )
  }
}

/** The document's own words for which document it is: its title, else how it begins. */
function name({ title, beginning }: DocumentCard, quote: (words: Quoted) => string | null): string | null {
  const words = title ?? beginning
  const cited = words.text === '' ? null : quote(words)
  return (
    cited && (title ? `“${asText(title.text)}”${cited}` : `A document that begins: “${asText(beginning.text)}”${cited}`)
  )
}

/** What was asked for, above the document's name: a name alone says nothing. */
function under(named: string | null, said: string | null, remark: string | null): Told {
  if (said === null) return { text: remark === null ? null : named, remark }
  return { text: said + (named === null ? '' : `\n${named}`), remark }
}

/** Documents of one title are told apart by their dates. */
function dated({ date }: DocumentCard, named: string | null, said: (quoted: readonly Quoted[]) => string | null) {
  const line = said(date)
  return named && line ? `${named} ${line}` : named
}

/** What a person or the file states, and no line of the first page does. */
function unstated<T>(
  card: DocumentCard,
  [first]: readonly Statement<T>[],
  lines: readonly Quoted[],
  words: (value: T) => string,
): string | null {
  if (!first) return null
  const values = Array.isArray(first.value) ? first.value : [first.value]
  const page = lines.map(({ text }) => text).join('\n')
  if (values.every((value) => holdsText(page, `${value}`.split(' ').at(-1) ?? ''))) return null
  const place = card.document.format === 'pdf' ? 'its first page' : 'its text'
  return `“${nameOf(card.document)}” is ${words(first.value)}, ${sourceOf(first.from)}; ${place} does not say so.`
}

/** An author is said with a quote, or by whom set it: what only the properties of a file state is often a program's. */
function isOfPerson({ from }: Statement<unknown>): boolean {
  return from === 'library set' || isNote(from)
}

/** A file beside the document. */
function isNote(from: string): boolean {
  return /\.yaml$/u.test(from)
}

/** In words: who or what states it. */
function sourceOf(from: string): string {
  if (from === 'library set') return 'as was set in the library'
  if (isNote(from)) return `as ${from.split(/[\\/]/).at(-1)} says`
  return `as the file says (${from})`
}

/** The passage under which words of a page may be cited: the one that holds them, or another of the page. */
function passageOf({ document }: DocumentCard, { page, text }: Quoted, evidence: readonly EvidencePassage[]) {
  const own = evidence.filter((passage) => passage.documentId === document.documentId && passage.page === page)
  return own.find((passage) => passage.text.includes(text)) ?? own[0] ?? null
}

/** How many documents there are, counted in the library, which of them have no line, and where the whole list is. */
function countOf(all: readonly KnownDocument[], shown: readonly KnownDocument[], told: readonly Told[]): string {
  const count = all.length === 1 ? 'There is 1 document' : `There are ${all.length} documents`
  const silent = shown.filter((_, at) => !told[at]?.text).map((document) => `“${nameOf(document)}”`)
  const others = all.length - shown.length
  const listed = others > 0 ? [`${others} more ${others === 1 ? 'is' : 'are'} not listed here`] : []
  const unquoted = silent.length > 0 ? [`nothing could be quoted from ${silent.join(', ')}`] : []
  const rest = listed.length + unquoted.length > 0 ? ` ${WHOLE_LIST}` : ''
  return `${[count, ...unquoted, ...listed].join('; ')}.${rest}`
}

const WHOLE_LIST = 'The whole list: `quaero library list`, or Documents in the page.'

/** Every one of them holds for a sentence that says it. */
const SAYS: Readonly<Partial<Record<DocumentAspect, readonly RegExp[]>>> = {
  authors: [/\b(?:wrote|written by|authored(?: by)?|author of)\b/iu],
  year: [/\b(?:written|published|issued|dated|wrote)\b/iu, /\b1?\d{3}\b/],
}

/**
 * "Who wrote Hamlet?" asks an essay that is called Hamlet for something else than its own author: what a sentence of
 * its text says of the thing comes first, unless a paper, a report or the like was asked about.
 */
function isSaidInText(
  { aspect, object }: DocumentQuestion,
  documents: readonly KnownDocument[],
  evidence: SynthesisTask['evidence'],
): boolean {
  const says = SAYS[aspect]
  const wanted = contentStems(object)
  if (!says || wanted.length === 0 || withoutKind(object).length < object.trim().length / 2) return false
  const ids = new Set(documents.map(({ documentId }) => documentId))
  return evidence
    .filter(({ kind, documentId }) => kind === 'text' && ids.has(documentId))
    .flatMap(({ text }) => sentences(text).map(({ start, end }) => text.slice(start, end)))
    .some(
      (sentence) =>
        says.every((sign) => sign.test(sentence)) && wanted.every((word) => contentStems(sentence).includes(word)),
    )
}
