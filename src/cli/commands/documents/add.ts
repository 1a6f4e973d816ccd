import type { AddedDocument, AddReport, Quaero } from '../../../index.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { counted, formatTable } from '../../output/table.ts'
import { type Input, type Output, print, printJson } from '../../output/terminal.ts'
import { addDocuments } from './add-documents.ts'
import { describeEmbedding } from './library-embed.ts'

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
  const size = `${counted(pages, 'page')}, ${counted(passages, 'passage')}`
  const gone = removed > 0 ? `, ${removed} removed` : ''
  return `${added} added, ${updated} updated, ${unchanged} unchanged, ${failed} failed${gone}: ${size}`
}
