import type { EvidencePassage } from '../../events/index.ts'
import type { DocumentFacts, ExtractiveParts, KnownDocument, Statement } from '../parts/parts.ts'
import type { RuledAnswer } from '../parts/strategy.ts'
import type { DocumentAspect } from './document-question.ts'
import { nameOf } from './known-as.ts'
import { cite, holdsText, linesHolding, OF_TITLE_PAGE } from './quoting.ts'
import { beginningOf, bylineOf, linesOfYear, titleOnPage, titlePassage } from './title-page.ts'

/** Questions that a document's title page answers, or the file itself. */
export type FactAspect = Extract<DocumentAspect, 'authors' | 'title' | 'year' | 'pages'>

export function isFactAspect(aspect: DocumentAspect): aspect is FactAspect {
  return aspect === 'authors' || aspect === 'title' || aspect === 'year' || aspect === 'pages'
}

/** A document with what is known of it, and a passage of its first page, under which that page may be cited. */
interface Described {
  readonly document: KnownDocument
  readonly facts: DocumentFacts
  readonly passage: EvidencePassage
}

interface Said {
  readonly text: string
  readonly remark: string | null
}

/**
 * Says who wrote a document, what it is called, when it was published, how long it is: with the line of its first page
 * that says so. What stands nowhere in it (a person's own word, the file's properties, the number of pages) is a
 * remark after the line that names the document. null if nothing of the kind is known.
 */
export async function answerWithFacts(
  aspect: FactAspect,
  documents: readonly KnownDocument[],
  evidence: readonly EvidencePassage[],
  parts: Pick<ExtractiveParts, 'facts'>,
): Promise<RuledAnswer | null> {
  const said: Said[] = []
  for (const document of documents) {
    const facts = await parts.facts(document.documentId)
    const passage = facts && titlePassage(document.documentId, facts, evidence)
    const about = facts && passage && sayOf[aspect]({ document, facts, passage })
    if (about) said.push(about)
  }
  if (said.length === 0) return null
  const remarks = said.flatMap(({ remark }) => (remark === null ? [] : [remark]))
  return { text: said.map(({ text }) => text).join('\n'), confidence: OF_TITLE_PAGE, remarks }
}

const sayOf: Readonly<Record<FactAspect, (described: Described) => Said | null>> = {
  authors: (described) =>
    sayByline(described) ??
    sayStated(described, described.facts.authors, {
      quotes: (names) => linesHolding(described.facts.firstPage, names),
      sentence: (title, names) => `${title} is by ${andList(names)}.`,
      remark: (names) => `by ${andList(names)}`,
    }),
  title: (described) =>
    sayStated(described, described.facts.title, {
      quotes: (title) => (holdsText(described.facts.firstPage, title) ? [title] : []),
      sentence: (_, title) => `The title is “${title}”.`,
      remark: (title) => `called “${title}”`,
    }),
  year: (described) =>
    sayStated(described, described.facts.year, {
      quotes: (year) => linesOfYear(described.facts.firstPage, year),
      sentence: (title, year) => `${title} is dated ${year}.`,
      remark: (year) => `dated ${year}`,
    }),
  pages: ({ document, facts, passage }) => ({
    text: nameLine(facts, passage),
    remark:
      facts.pages === null
        ? `“${nameOf(document)}” is a file without pages.`
        : `“${nameOf(document)}” has ${facts.pages} ${facts.pages === 1 ? 'page' : 'pages'}, counted in the file.`,
  }),
}

/** The line of names as it stands, where the reader took no authors from it. */
function sayByline({ facts, passage }: Described): Said | null {
  const line = facts.authors.length === 0 ? bylineOf(facts) : null
  return line === null ? null : { text: `The document says: “${line}”${cite(passage.id, [line])}`, remark: null }
}

interface Wording<T> {
  /** The lines of the first page that state it; empty if it is not stated there. */
  readonly quotes: (value: T) => readonly string[]
  readonly sentence: (title: string, value: T) => string
  /** What is said of the document where nothing can be quoted, for "…, as set in the library". */
  readonly remark: (value: T) => string
}

/** The statement that holds, quoted where it stands on the page; else what the page does state, and a remark. */
function sayStated<T>({ document, facts, passage }: Described, all: readonly Statement<T>[], words: Wording<T>) {
  const [first] = all
  if (!first) return null
  const quoted = all.find(({ value }) => words.quotes(value).length > 0)
  const title = titleOnPage(facts)
  const cited = title === null ? [] : [title]
  const text = quoted
    ? words.sentence(title === null ? 'The document' : `“${title}”`, quoted.value) +
      cite(passage.id, [...new Set([...words.quotes(quoted.value), ...cited])])
    : nameLine(facts, passage)
  const source = sourceOf(first.from)
  const remark =
    quoted === first
      ? null
      : `“${nameOf(document)}” is ${words.remark(first.value)}, ${source}; ${facts.pages === null ? 'its text' : 'its first page'} does not say so.`
  return { text, remark }
}

/** The document's own words for which document it is: its title, else how it begins. */
function nameLine(facts: DocumentFacts, passage: EvidencePassage): string {
  const name = titleOnPage(facts)
  if (name !== null) return `The document is “${name}”.${cite(passage.id, [name])}`
  const beginning = beginningOf(facts)
  return `The document begins: “${beginning}”${cite(passage.id, [beginning])}`
}

/** In words: who or what states it. */
function sourceOf(from: string): string {
  if (from === 'library set') return 'as was set in the library'
  if (/\.yaml$/u.test(from)) return `as ${from.split(/[\\/]/).at(-1)} says`
  return `as the file says (${from})`
}

function andList(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}
