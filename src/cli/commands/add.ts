import { Argument, Option } from 'commander'
import type { AddedDocument, AddReport, Quaero } from '../../index.ts'
import { type CommandModule, withEngine } from '../command/command.ts'
import { collect, jsonOption, quietOption } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { formatTable, pluralOf } from '../output/table.ts'
import { type Input, type Output, print, printJson } from '../output/terminal.ts'
import { addDocuments, describeEmbedding } from '../shared/add-documents.ts'

export interface AddFlags {
  readonly paths: readonly string[]
  readonly json?: boolean | undefined
  readonly allowErrors?: boolean | undefined
  /** Passwords to try on encrypted files. */
  readonly password?: readonly string[] | undefined
  readonly quiet?: boolean | undefined
  /** Takes out what is gone from the folders. */
  readonly sync?: boolean | undefined
  /** Reads files again that failed before. */
  readonly retry?: boolean | undefined
}

/** `quaero add`: files and folders into the library. Exit code 1 if a file failed, unless errors are allowed. */
export async function runAdd(quaero: Quaero, input: Input, output: Output, flags: AddFlags): Promise<number> {
  const report = await addDocuments(quaero, flags.paths, output, {
    quiet: flags.quiet,
    passwords: flags.password,
    signal: input.signal,
    sync: flags.sync,
    retry: flags.retry,
  })
  const { documents, removed, totals, embeddings } = report
  if (flags.json) printJson(output, { documents, removed, totals, ...(embeddings && { embeddings }) })
  else print(output, describeReport(report, output))
  if (input.signal.aborted) return exitCodes.interrupted
  return totals.failed > 0 && !flags.allowErrors ? exitCodes.failed : exitCodes.ok
}

function describeReport({ documents, removed, totals, embeddings }: AddReport, output: Output): string {
  if (documents.length === 0 && removed.length === 0) return 'Nothing to add: no files of a type that is read.'
  const rows = [
    ...documents.map(rowOf),
    ...removed.map(({ path, documentId }) => ['removed', documentId, '-', '-', path]),
  ]
  const table = formatTable(['Status', 'Document', 'Pages', 'Passages', 'Path'], rows, output)
  return [table, summaryOf(totals), ...(embeddings ? [describeEmbedding(embeddings)] : [])].join('\n')
}

function rowOf(document: AddedDocument): readonly (string | number)[] {
  const { status, documentId, pages, passages, path, renamedFrom } = document
  return [status, documentId ?? '-', pages, passages, renamedFrom ? `${path} (was ${renamedFrom})` : path]
}

function summaryOf({ added, updated, unchanged, failed, removed, pages, passages }: AddReport['totals']): string {
  const size = `${pluralOf(pages, 'page')}, ${pluralOf(passages, 'passage')}`
  const gone = removed > 0 ? `, ${removed} removed` : ''
  return `${added} added, ${updated} updated, ${unchanged} unchanged, ${failed} failed${gone}: ${size}`
}

export const add: CommandModule<AddFlags> = {
  name: 'add',
  summary: 'add files and folders to the library',
  description: 'Add files and folders to the library. Unchanged files are not read again; one bad file stops nothing.',
  arguments: [new Argument('<paths...>', 'PDF, Markdown, HTML, text or DOCX files, or folders of them')],
  options: [
    new Option('--allow-errors', 'exit with 0 although a file could not be read'),
    new Option('--password <password>', 'a password for encrypted files; may be given several times').argParser(
      collect,
    ),
    new Option('--sync', 'remove documents from the library whose files are gone from the folders'),
    new Option('--retry', 'read files again that failed before and have not changed'),
    quietOption(),
    jsonOption(),
  ],
  examples: ['add ./papers', 'add ./papers --sync', 'add report.pdf notes.md --json', 'add *.pdf --allow-errors'],
  run: withEngine(runAdd),
}
