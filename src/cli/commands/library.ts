import { Argument, Option } from 'commander'
import { UsageError } from '../../errors.ts'
import type { DocumentDetails, DocumentRecord } from '../../index.ts'
import { describeRecognised, pageName } from '../../library/port/document.ts'
import {
  documentArgument,
  type FilterFlags,
  filterOf,
  filterOptions,
  quietOption,
  wholeNumber,
} from '../command/options.ts'
import { exitCodeOfError, exitCodes } from '../output/exit-codes.ts'
import { startFileProgress } from '../output/progress.ts'
import { formatFindings, formatTable, pluralOf } from '../output/table.ts'
import { type Output, print, tell } from '../output/terminal.ts'
import { describeEmbedding, emptyLibrary, tellEmbedProblem } from '../shared/add-documents.ts'
import { engineCommand } from '../shared/engine-command.ts'
import { listFallen } from './claims.ts'

interface DocumentFlags {
  readonly documentId: string
}

export const libraryList = engineCommand({
  name: 'library list',
  readsOnly: true,
  isDefault: true,
  description: 'list the documents',
  options: [...filterOptions()],
  examples: ['library list', 'library list --where "tag=finance and year>=2020" --json'],
  act: async ({ library }, flags: FilterFlags) => (await library.list(filterOf(flags))).map(listed),
  json: (documents) => ({ documents }),
  show(documents, { output }, { tag, where }) {
    const none = tag || where ? 'The filter means no document of the library.' : emptyLibrary
    if (documents.length === 0) tell(output, none)
    else printList(documents, output)
  },
})

function listed({ format: _, ...document }: DocumentRecord) {
  return document
}

function printList(documents: readonly ReturnType<typeof listed>[], output: Output): void {
  const isTagged = documents.some(({ tags }) => tags.length > 0)
  const rows = documents.map(({ documentId, pages, passages, tags, title, source, reference }) => {
    const named = [reference?.id, title].filter(Boolean).join(' — ') || '-'
    return [documentId, pages, passages, ...(isTagged ? [tags.join(', ') || '-'] : []), named, source]
  })
  const head = ['Document', 'Pages', 'Passages', ...(isTagged ? ['Tags'] : []), 'Title', 'Source']
  print(output, formatTable(head, rows, output))
}

interface TagFlags {
  readonly documents: string
  readonly tags: readonly string[]
  readonly remove?: readonly string[] | undefined
}

export const libraryTag = engineCommand({
  name: 'library tag',
  description:
    'give tags to documents, or take them\n' +
    'choose one document, all that lie in a folder, or all that fit a filter such as "year<2015"\n' +
    'a tag such as kind:10-K says what kind of document it is',
  arguments: [
    new Argument('<documents>', 'an id or its beginning, a file name, a folder, or a filter as for --where'),
    new Argument('[tags...]', 'the tags that they get'),
  ],
  options: [new Option('--remove <tags...>', 'the tags that they lose')],
  examples: [
    'library tag report.pdf finance kind:10-K',
    'library tag ./reports finance',
    'library tag "year<2015 and tag=current" archive --remove current',
  ],
  async act({ library }, { documents, tags: add, remove = [] }: TagFlags) {
    if (add.length + remove.length === 0) throw new UsageError('Name tags to give, or with --remove tags to take.')
    return (await library.tag(documents, { add, remove })).map(listed)
  },
  json: (documents) => ({ documents }),
  show: (documents, { output }) => printList(documents, output),
})

export const libraryText = engineCommand({
  name: 'library text',
  readsOnly: true,
  description: 'print the stored text of one page',
  arguments: [documentArgument()],
  options: [new Option('--page <n>', 'the page, counted from 1').argParser(wholeNumber).default(1)],
  examples: ['library text 3f2a9c01d4e5b678 --page 5'],
  async act({ library }, { documentId: named, page }: DocumentFlags & { readonly page: number }) {
    const { documentId } = await library.document(named)
    const { text, confidence } = await library.text(documentId, page)
    return { documentId, page, text, ...(confidence !== undefined && { confidence }) }
  },
  json: (page) => page,
  show({ text, confidence }, { output }) {
    if (confidence !== undefined) tell(output, `Recognised in a picture, with a confidence of ${confidence}:`)
    if (output.stdoutIsTerminal) print(output, text)
    // Citations count characters, so a pipe gets the text without any change.
    else output.stdout.write(`${text}\n`)
  },
})

export const libraryRemove = engineCommand({
  name: 'library remove',
  description: 'remove a document, but not its file',
  arguments: [documentArgument()],
  examples: ['library remove 3f2a9c01d4e5b678', 'library remove 3f2a9c01d4e5b678 --json'],
  async act({ library }, { documentId: named }: DocumentFlags) {
    const { documentId } = await library.document(named)
    return { documentId, fallen: await library.remove(documentId) }
  },
  json: (removed) => removed,
  show({ documentId, fallen }, { output }) {
    tell(output, `Removed ${documentId}.`)
    if (fallen.length > 0) print(output, listFallen(fallen).join('\n').trim())
  },
})

interface EmbedFlags {
  readonly anew?: boolean | undefined
  readonly quiet?: boolean | undefined
}

export const libraryEmbed = engineCommand({
  name: 'library embed',
  description:
    'make the vectors that are missing, for search by meaning\n' +
    'continue where it was stopped, and pay for nothing twice',
  options: [
    new Option('--anew', 'make and pay for all vectors again, for instance when the model behind a name has changed'),
    quietOption(),
  ],
  examples: ['library embed', 'library embed --anew', 'library embed --config my.yaml --json'],
  async act({ library }, { anew = false, quiet }: EmbedFlags, { input: { signal }, output }) {
    const progress = await startFileProgress(output, quiet)
    try {
      const onProgress = (passages: { readonly done: number; readonly total: number }) =>
        progress.update({ ...passages, path: 'passages embedded' })
      const report = await library.embed({ anew, signal, onProgress })
      progress.stop()
      tellEmbedProblem(report, output)
      return report
    } finally {
      progress.stop()
    }
  },
  json: (report) => report,
  show: (report, { output }) => print(output, describeEmbedding(report)),
  exitCode: ({ error }) => (error ? exitCodeOfError(error.code) : exitCodes.ok),
})

export const libraryShow = engineCommand({
  name: 'library show',
  readsOnly: true,
  description:
    'show title, authors and year of a document, each with its source\n' +
    'show the sentences in which it says what it is, and questions to ask about it\n' +
    'show what of its pages stands in no passage, and how sure it is what was recognised in pictures',
  arguments: [documentArgument()],
  examples: ['library show 3f2a9c01d4e5b678', 'library show 3f2a9c01d4e5b678 --json'],
  act: ({ library }, { documentId }: DocumentFlags) => library.show(documentId),
  json: detailsAsJson,
  show: (details, { output }) => printDetails(details, output),
})

function detailsAsJson({ document, metadata, ...said }: DocumentDetails) {
  const { title, authors, year } = metadata
  const known = { title: inForce(title), authors: inForce(authors), year: inForce(year) }
  return { ...document, ...known, ...said }
}

function printDetails({ document, sources, metadata, ...said }: DocumentDetails, output: Output): void {
  const { documentId, format, pages, passages, tags, addedAt, reference } = document
  const { title, authors, year } = metadata
  const { summary, questions, leftOut, recognised } = said
  const named = authors.map(({ value, from }) => ({ value: value.join('; '), from }))
  const rows = [
    ...statementRows('title', title),
    ...statementRows('authors', named),
    ...statementRows('year', year),
    ...(reference ? [['key', '', reference.id]] : []),
    ...(tags.length > 0 ? [['tags', '', tags.join(', ')]] : []),
    ...(addedAt === null ? [] : [['added', '', addedAt.slice(0, 10)]]),
    ...sources.map((path, at) => [at === 0 ? 'file' : '', at === 0 ? format : 'the same content', path]),
    ...summary.map(({ page, text }, at) => [at === 0 ? 'in its own words' : '', pageName(page), text]),
    ...questions.map((question, at) => [at === 0 ? 'suggested' : '', at === 0 ? 'title and headings' : '', question]),
  ]
  print(output, `${documentId}: ${pluralOf(pages, 'page')}, ${pluralOf(passages, 'passage')}`)
  print(output, formatFindings(['', 'From', 'Value'], rows, output.width))
  if (leftOut) print(output, describeLeftOut(leftOut))
  if (recognised.length > 0) print(output, describeRecognised(recognised))
}

/** "In no passage: 12 running heads, 12 page numbers". */
function describeLeftOut(leftOut: NonNullable<DocumentDetails['leftOut']>): string {
  const reasons = [...new Set(leftOut.map(({ reason }) => reason))]
  const counts = reasons.map((each) => pluralOf(leftOut.filter(({ reason }) => reason === each).length, each))
  return `In no passage: ${counts.join(', ') || 'nothing'}`
}

type Statements<Value> = readonly { readonly value: Value; readonly from: string }[]

function inForce<Value>([first, ...insteadOf]: Statements<Value>) {
  return { value: first?.value ?? null, from: first?.from ?? null, insteadOf }
}

/** The value in force is in the first row; the values that it replaces are below. */
function statementRows(name: string, statements: Statements<string | number>): (string | number)[][] {
  if (statements.length === 0) return [[name, '-', '-']]
  return statements.map(({ value, from }, at) => [at === 0 ? name : 'not', from, value])
}

export const librarySet = engineCommand({
  name: 'library set',
  description:
    'correct title, authors or year\n' +
    'keep a value until it is set to nothing\n' +
    'read the same values from a file next to the document, such as paper.pdf.yaml',
  arguments: [documentArgument(), new Argument('<values...>', 'title=…, authors="A; B", year=…')],
  examples: ['library set 3f2a9c01d4e5b678 authors="Ada Berg; Wei Zhang"', 'library set 3f2a9c01d4e5b678 year='],
  act: ({ library }, { documentId, values }: DocumentFlags & { readonly values: readonly string[] }) =>
    library.set(documentId, Object.fromEntries(values.map(keyAndValue))),
  json: detailsAsJson,
  show: (details, { output }) => printDetails(details, output),
})

export const libraryCite = engineCommand({
  name: 'library cite',
  description:
    'give documents their references: title, authors, year, and the key to cite them by\n' +
    'know a document by its file, else by its DOI, else by title and author; guess nothing',
  arguments: [new Argument('<source>', 'a file .bib (BibTeX), .ris or .json (CSL), or Zotero: http://127.0.0.1:23119')],
  examples: ['library cite refs.bib', 'library cite http://127.0.0.1:23119 --json'],
  act: ({ library }, { source }: { readonly source: string }) => library.cite(source),
  json: (report) => report,
  show({ entries, uncited }, { output }) {
    const rows = entries.map((each) => [each.key, each.state, each.by ?? '-', each.documentIds.join(', ') || '-'])
    print(output, formatTable(['Key', 'State', 'By', 'Document'], rows, output))
    tell(output, `${pluralOf(uncited, 'document')} of the library without a reference`)
  },
})

function keyAndValue(text: string): readonly [string, string] {
  const [, key, value] = /^\s*([^=\s]+)\s*=([\s\S]*)$/.exec(text) ?? []
  if (key && value !== undefined) return [key, value.trim()]
  throw new UsageError(`${JSON.stringify(text)} sets nothing. Write title="…", authors="A; B" or year=2021.`)
}
