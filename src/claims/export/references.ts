import { type DocumentRecord, isOrganisation, isWebAddress, madeKey } from '../../library/index.ts'
import { inLatex, onOneLine } from './markup.ts'

/** A document as a bibliography names it. */
export type Reference = Pick<DocumentRecord, 'documentId' | 'title' | 'authors' | 'year' | 'source' | 'reference'>

type Cited = Pick<Reference, 'documentId' | 'title' | 'source'>

/**
 * The cited documents, each once, in the order in which they are first cited; with the data of the citation alone, for a web
 * page or a document that was removed from the library.
 */
export function referencesOf(cited: readonly Cited[], documents: readonly DocumentRecord[]): readonly Reference[] {
  const known = new Map(documents.map((document) => [document.documentId, document]))
  const each = new Map(cited.map((citation) => [citation.documentId, citation]))
  return [...each.values()].map(
    ({ documentId, title, source }) => known.get(documentId) ?? { documentId, title, authors: [], year: null, source },
  )
}

/** The same document has the same key in every export: the person's, else a made one with the start of its id. */
export function referenceKey(document: Reference): string {
  return document.reference?.id ?? `${madeKey(document)}-${document.documentId.replace(/\W/g, '').slice(0, 6)}`
}

/** Entries of BibTeX. */
export function bibtexOf(references: readonly Reference[]): string {
  return references.map(entry).join('\n')
}

function entry(reference: Reference): string {
  const { title, authors, year, source, reference: own = {} } = reference
  const { id: _, type = '', URL: url = source, ...known }: Names = own
  const kind = (Object.hasOwn(bibtexTypes, type) && bibtexTypes[type]) || 'misc'
  const names: Names = { ...bibtexNames, 'container-title': kind === 'article' ? 'journal' : 'booktitle' }
  const fields = {
    author: authors.map((author) => authorField(author, title)).join(' and '),
    title: title === null ? '' : `{${inLatex(title)}}`,
    year: year === null ? '' : String(year),
    ...Object.fromEntries(
      Object.entries(known).map(([name, value]) => [names[name] ?? name.toLowerCase(), inLatex(value)]),
    ),
    ...(isWebAddress(url) ? { url: bibtexUrl(url) } : reference.reference ? {} : { howpublished: inLatex(source) }),
  }
  const lines = Object.entries(fields).map(([name, value]) => (value ? `  ${name} = {${value}},\n` : ''))
  return `@${kind}{${referenceKey(reference)},\n${lines.join('')}}\n`
}

type Names = Readonly<Record<string, string>>
const bibtexTypes: Names = {
  ...{ 'article-journal': 'article', 'paper-conference': 'inproceedings', book: 'book', chapter: 'incollection' },
  ...{ thesis: 'phdthesis', report: 'techreport' },
}
/** Where BibTeX calls a field of CSL otherwise. */
const bibtexNames: Names = {
  'collection-title': 'series',
  'publisher-place': 'address',
  issue: 'number',
  page: 'pages',
}

/** Items of CSL JSON, which Zotero and Pandoc read. */
export function cslOf(references: readonly Reference[]): string {
  const items = references.map((reference) => {
    const { title, authors, year, source } = reference
    const isOnWeb = isWebAddress(source)
    return {
      type: isOnWeb ? 'webpage' : 'document',
      ...reference.reference,
      id: referenceKey(reference),
      ...(title !== null && { title: onOneLine(title) }),
      ...(authors.length > 0 && {
        author: authors.map((author) =>
          isOrganisation(author, title) ? { literal: onOneLine(author) } : personIn(author),
        ),
      }),
      ...(year !== null && { issued: { 'date-parts': [[year]] } }),
      ...(isOnWeb ? { URL: new URL(source).href } : reference.reference ? {} : { note: onOneLine(source) }),
    }
  })
  return `${JSON.stringify(items, null, 2)}\n`
}

/** "Doe, Jane" or "Jane Doe". */
function personIn(author: string): { readonly family: string; readonly given?: string } {
  const name = onOneLine(author)
  const comma = name.indexOf(',')
  const space = name.lastIndexOf(' ')
  const [family, given] =
    comma >= 0
      ? [name.slice(0, comma), name.slice(comma + 1)]
      : [name.slice(space + 1), name.slice(0, Math.max(0, space))]
  return { family: family.trim(), ...(given.trim() && { given: given.trim() }) }
}

/** BibTeX splits at "and" and takes the last word as the surname; braces keep the name of an organisation whole. */
function authorField(author: string, title: string | null): string {
  return isOrganisation(author, title) ? `{${inLatex(author)}}` : inLatex(author)
}

/** Characters that would end the field are percent-encoded. */
function bibtexUrl(source: string): string {
  return new URL(source).href.replace(/[{}\\\s]/g, (character) => encodeURIComponent(character))
}
