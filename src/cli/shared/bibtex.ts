import type { Citation, DocumentRecord } from '../../index.ts'
import { isOrganisation } from '../../library/language/names.ts'
import { plainText } from '../output/plain-text.ts'

/** BibTeX entries of the cited documents, each once, in the order in which they are first cited. */
export function bibtexEntries(citations: readonly Citation[], documents: readonly DocumentRecord[]): string {
  const known = new Map(documents.map((document) => [document.documentId, document]))
  const cited = new Map(citations.map((citation) => [citation.documentId, citation]))
  return [...cited.values()].map((citation) => entry(known.get(citation.documentId) ?? unknown(citation))).join('\n')
}

type Described = Pick<DocumentRecord, 'documentId' | 'title' | 'authors' | 'year' | 'source'>

/** A web page, or a document that has left the library since: what the footnote knew of it. */
function unknown({ documentId, title, source }: Citation): Described {
  return { documentId, title, authors: [], year: null, source }
}

function entry(document: Described): string {
  const { title, authors, year, source } = document
  const fields = {
    author: authors.map((author) => authorField(author, title)).join(' and '),
    title: title === null ? '' : `{${latex(title)}}`,
    year: year === null ? '' : String(year),
    ...(isWebAddress(source) ? { url: bibtexUrl(source) } : { howpublished: latex(source) }),
  }
  const lines = Object.entries(fields).map(([name, value]) => (value ? `  ${name} = {${value}},\n` : ''))
  return `@misc{${keyOf(document)},\n${lines.join('')}}\n`
}

/** The same document has the same key in every export: author, year, first word of the title, start of its id. */
function keyOf({ documentId, title, authors, year }: Described): string {
  const [author = ''] = authors
  const surname = author.includes(',') ? author.split(',')[0] : author.trim().split(/\s+/).at(-1)
  const word = plainText(title ?? '')
    .split(/\s+/)
    .find((each) => simple(each).length > 3)
  const name = [simple(surname ?? ''), year ?? '', simple(word ?? '')].join('')
  return `${name || 'document'}-${simple(documentId).slice(0, 6)}`
}

function simple(text: string): string {
  return plainText(text)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}

/** "And" between authors parts them, and the last word is the surname: in the name of an organisation neither holds. */
function authorField(author: string, title: string | null): string {
  return isOrganisation(author, title) ? `{${latex(author)}}` : latex(author)
}

// Braces are spelled out, since BibTeX counts even escaped ones.
const special: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\textbraceleft{}',
  '}': '\\textbraceright{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
}

function latex(text: string): string {
  return plainText(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\{}~^$&#%_]/g, (character) => special[character] ?? `\\${character}`)
}

function isWebAddress(source: string): boolean {
  return URL.canParse(source) && /^https?:$/.test(new URL(source).protocol)
}

/** Addresses are printed as they are, so what would end the field is written as the web writes it. */
function bibtexUrl(source: string): string {
  return new URL(source).href.replace(/[{}\\\s]/g, (character) => encodeURIComponent(character))
}
