import { stringify } from 'yaml'
import { importNote } from '../../answers/reliability.ts'
import type { Citation, DocumentRecord, KeptScore, RunSummary, ThreadMessage } from '../../index.ts'
import { isWebAddress } from '../../library/document-name.ts'
import { isOrganisation } from '../../library/readers/common/author-names.ts'
import { footnotes, notesOnSentences, notVerified } from '../output/answer/footnotes.ts'
import { plainText } from '../output/plain-text.ts'

export interface ExportedThread {
  readonly threadId: string
  readonly messages: readonly ThreadMessage[]
  readonly runs: readonly (RunSummary & { readonly scores?: readonly KeptScore[] })[]
  /** The documents of the library. */
  readonly documents: readonly DocumentRecord[]
}

export type ExportFormat = 'md' | 'json' | 'yaml' | 'bibtex'

/** A conversation as text. Text of models and documents cannot load an image, run markup or add an entry. */
export function exportThread(thread: ExportedThread, format: ExportFormat): string {
  return writers[format](thread)
}

const writers: Readonly<Record<ExportFormat, (thread: ExportedThread) => string>> = {
  md: toMarkdown,
  json: (thread) => `${JSON.stringify(toData(thread), null, 2)}\n`,
  yaml: (thread) => stringify(toData(thread), { aliasDuplicateObjects: false }),
  bibtex: (thread) => bibtexEntries(citationsOf(thread), thread.documents),
}

function toData({ threadId, messages, runs }: ExportedThread): unknown {
  const data = {
    threadId,
    messages: messages.map(({ role, content, citations, calculations, sentences, unsupported, imported }) => {
      // What is undefined is left out when it is written as JSON.
      return { role, content, citations, calculations, sentences, unsupported, imported }
    }),
    runs,
  }
  return JSON.parse(JSON.stringify(data), (_, value) => (typeof value === 'string' ? plainText(value) : value))
}

function toMarkdown({ threadId, messages }: ExportedThread): string {
  const turns = messages.map((message) => {
    const { role, content, citations = [], calculations, sentences, unsupported, imported } = message
    const text = inertMarkdown(content)
    if (role === 'user') return `## Question\n\n${text.replace(/^/gm, '> ')}`
    const notes = footnotes(citations, calculations).map((note) => `- ${inertMarkdown(note)}`)
    const [heading = '', ...left] = notVerified(unsupported).map(inertMarkdown)
    const worth = imported ? importNote(imported, citations.length) : ''
    const doubt = notesOnSentences(sentences).map(inertMarkdown).join('\n\n')
    const parts = ['## Answer', text, notes.join('\n'), doubt, heading, left.join('\n'), worth]
    return parts.filter((part) => part !== '').join('\n\n')
  })
  return `${[`# Thread ${threadId}`, ...turns].join('\n\n')}\n`
}

/** Markdown without HTML, images and hidden links: as entities, since the text before could escape a backslash. */
function inertMarkdown(text: string): string {
  return plainText(text)
    .trim()
    .replace(/<(?=[a-z/!?])/gi, '&lt;')
    .replace(/!\[/g, '!&#91;')
    .replace(/\](?=[(:])/g, '&#93;')
}

function citationsOf({ messages }: ExportedThread): readonly Citation[] {
  return messages.flatMap(({ citations = [] }) => citations)
}

/** BibTeX entries of the cited documents, each once, in the order in which they are first cited. */
function bibtexEntries(citations: readonly Citation[], documents: readonly DocumentRecord[]): string {
  const known = new Map(documents.map((document) => [document.documentId, document]))
  const cited = new Map(citations.map((citation) => [citation.documentId, citation]))
  return [...cited.values()].map((citation) => entry(known.get(citation.documentId) ?? unknown(citation))).join('\n')
}

type Described = Pick<DocumentRecord, 'documentId' | 'title' | 'authors' | 'year' | 'source'>

/** The data of the footnote, for a web page or a document that was removed from the library. */
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

/** BibTeX splits at "and" and takes the last word as the surname; braces keep the name of an organisation whole. */
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

/** Characters that would end the field are percent-encoded. */
function bibtexUrl(source: string): string {
  return new URL(source).href.replace(/[{}\\\s]/g, (character) => encodeURIComponent(character))
}
