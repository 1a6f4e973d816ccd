import { Argument, Option } from 'commander'
import type { AddedDocument, AddReport } from '../../index.ts'
import { given } from '../command/command.ts'
import { collect, quietOption } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { formatTable, pluralOf } from '../output/table.ts'
import { type Output, print } from '../output/terminal.ts'
import { addDocuments, describeEmbedding } from '../shared/add-documents.ts'
import { engineCommand } from '../shared/engine-command.ts'
import { listFallen } from './claims.ts'

interface AddFlags {
  readonly paths: readonly string[]
  readonly allowErrors?: boolean | undefined
  readonly password?: readonly string[] | undefined
  readonly sync?: boolean | undefined
  readonly repair?: boolean | undefined
  readonly tag?: readonly string[] | undefined
  readonly quiet?: boolean | undefined
}

export const add = engineCommand({
  name: 'add',
  description:
    'add files and folders to the library\n' + 'skip unchanged files, and continue after a file that cannot be read',
  arguments: [new Argument('<paths...>', 'PDF, Office, EPUB, HTML, Markdown, text, CSV or mail files, or folders')],
  options: [
    new Option('--allow-errors', 'exit with 0 even if a file could not be read'),
    new Option('--password <password>', 'a password for encrypted files; may be given several times').argParser(
      collect,
    ),
    new Option('--sync', 'remove documents from the library if their files are gone from the folders'),
    new Option('--repair', 'read files again of which a stored page is damaged (see quaero doctor)'),
    new Option('--tag <tag>', 'a tag for each of the documents; may be given several times').argParser(collect),
    quietOption(),
  ],
  examples: [
    'add ./papers',
    'add ./reports --tag finance',
    'add ./papers --sync',
    'add report.pdf notes.md --json',
    'add *.pdf --allow-errors',
  ],
  act: (quaero, { paths, password: passwords, tag: tags, ...options }: AddFlags, { input: { signal }, output }) =>
    addDocuments(quaero, paths, output, { ...options, passwords, tags, signal }),
  json: ({ documents, removed, totals, embeddings, fallen }) => ({
    documents,
    removed,
    totals,
    ...given({ embeddings, fallen }),
  }),
  show: (report, { output }) => print(output, describeReport(report, output)),
  exitCode({ documents, removed, skipped, totals }, { paths, allowErrors }, { input: { signal } }) {
    if (signal.aborted) return exitCodes.interrupted
    // A folder may be empty; a file that was named is expected to be read.
    const isInVain = documents.length === 0 && removed.length === 0 && skipped.some((path) => paths.includes(path))
    return (totals.failed > 0 || isInVain) && !allowErrors ? exitCodes.failed : exitCodes.ok
  },
})

function describeReport({ documents, removed, totals, embeddings, fallen = [] }: AddReport, output: Output): string {
  if (documents.length === 0 && removed.length === 0) return 'Nothing to add: no files of a type that is read.'
  const rows = [
    ...documents.map(rowOf),
    ...removed.map(({ path, documentId }) => ['removed', documentId, '-', '-', path]),
  ]
  const table = formatTable(['Status', 'Document', 'Pages', 'Passages', 'Path'], rows, output)
  const vectors = embeddings ? [describeEmbedding(embeddings)] : []
  return [table, summaryOf(totals), ...vectors, ...listFallen(fallen)].join('\n')
}

function rowOf(document: AddedDocument): readonly (string | number)[] {
  const { status, documentId, pages, passages, path, renamedFrom, recognisedBy } = document
  const note = renamedFrom ? ` (was ${renamedFrom})` : recognisedBy ? ` (scan, read by ${recognisedBy})` : ''
  return [status, documentId ?? '-', pages, passages, `${path}${note}`]
}

function summaryOf({ added, updated, unchanged, failed, removed, pages, passages }: AddReport['totals']): string {
  const size = `${pluralOf(pages, 'page')}, ${pluralOf(passages, 'passage')}`
  const gone = removed > 0 ? `, ${removed} removed` : ''
  return `${added} added, ${updated} updated, ${unchanged} unchanged, ${failed} failed${gone}: ${size}`
}
