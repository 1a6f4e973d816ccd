import { Argument, InvalidArgumentError, Option } from 'commander'
import type { AddedDocument, AddReport, FolderChanges, Quaero } from '../../index.ts'
import { type CommandModule, type CommonFlags, given, type Workplace } from '../command/command.ts'
import { collect, quietOption } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { startFileProgress } from '../output/progress.ts'
import { formatTable, formatTime, pluralOf } from '../output/table.ts'
import { type Output, print, printJsonLine, tell } from '../output/terminal.ts'
import { type AddDocumentsOptions, addDocuments, describeEmbedding, tellProblems } from '../shared/add-documents.ts'
import { engineCommand } from '../shared/engine-command.ts'
import { listFallen } from './claims.ts'

interface AddFlags extends WatchFlags {
  readonly allowErrors?: boolean | undefined
  readonly password?: readonly string[] | undefined
  readonly sync?: boolean | undefined
  readonly repair?: boolean | undefined
  readonly tag?: readonly string[] | undefined
  readonly quiet?: boolean | undefined
}

export interface WatchFlags {
  readonly paths: readonly string[]
  readonly watch?: boolean | undefined
  /** Milliseconds. */
  readonly every?: number | undefined
}

export const watchOptions = () => [
  new Option('--watch', 'keep the folders current until stopped: what is changed, renamed and removed in them'),
  new Option('--every <time>', 'the same by the clock, for network drives: 30s, 10m, 1h').argParser(timeFrom),
]

const addOnce = engineCommand({
  name: 'add',
  description:
    'add files and folders to the library\n' + 'skip unchanged files, and continue after a file that cannot be read',
  arguments: [
    new Argument(
      '<paths...>',
      'PDF, Office, OpenDocument, RTF, EPUB, HTML, Markdown, text, CSV, mail or picture files, or folders',
    ),
  ],
  options: [
    new Option('--allow-errors', 'exit with 0 even if a file could not be read'),
    new Option('--password <password>', 'a password for encrypted files; may be given several times').argParser(
      collect,
    ),
    new Option('--sync', 'remove documents from the library if their files are gone from the folders'),
    new Option('--repair', 'read files again of which a stored page is damaged (see quaero doctor)'),
    new Option('--tag <tag>', 'a tag for each of the documents; may be given several times').argParser(collect),
    ...watchOptions(),
    quietOption(),
  ],
  examples: [
    'add ./papers',
    'add ./reports --tag finance',
    'add ./papers --sync',
    'add ./papers --watch',
    'add report.pdf notes.md --json',
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

export const add: CommandModule<AddFlags> = {
  ...addOnce,
  async run(place, flags) {
    if (!isWatched(flags)) return addOnce.run(place, flags)
    place.input.onStop(() => null)
    await keepCurrent(await place.open(), { ...flags, passwords: flags.password }, place)
    return exitCodes.ok
  },
}

export function isWatched({ watch, every }: WatchFlags): boolean {
  return watch === true || every !== undefined
}

/** Keeps folders current until a person stops the command, and prints what changes; with `--json` a line for each batch. */
export async function keepCurrent(
  quaero: Quaero,
  { paths, every: everyMs, passwords, json, quiet }: WatchFlags & CommonFlags & Pick<AddDocumentsOptions, 'passwords'>,
  { input, output }: Pick<Workplace, 'input' | 'output'>,
): Promise<void> {
  const { update: onProgress, stop } = await startFileProgress(output, quiet)
  const onStart = () => quiet || tell(output, 'Keeping the folders current until Ctrl-C.')
  const options = { signal: input.signal, onStart, onProgress, ...given({ everyMs, passwords }) }
  for await (const changes of quaero.library.watch(paths, options)) {
    stop()
    tellProblems(changes, output, quiet)
    if (json) printJsonLine(output, changes)
    else print(output, describeChanges(changes, output))
  }
  stop()
}

function describeChanges({ folder, at, problem, ...report }: FolderChanges, output: Output): string {
  const isChanged = report.documents.length + report.removed.length > 0
  const how = problem?.code === 'watcher_failed' ? 'is kept current by the clock' : 'is not kept current'
  const state = problem ? ` ${how}: ${problem.message}` : isChanged ? '' : ' is kept current'
  const head = plainLine(`${formatTime(at)}  ${folder}${state}`)
  return isChanged ? `${head}\n${describeReport(report, output)}` : head
}

const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }

function timeFrom(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,5})([smh])$/.exec(text) ?? []
  const ms = Number(number) * (unitsMs[unit] ?? 0)
  // A timer takes no more.
  if (ms > 0 && ms < 2 ** 31) return ms
  throw new InvalidArgumentError('Use a time such as 30s, 10m or 1h.')
}

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
  const note = renamedFrom ? ` (was ${renamedFrom})` : recognisedBy ? ` (text recognised by ${recognisedBy})` : ''
  return [status, documentId ?? '-', pages, passages, `${path}${note}`]
}

function summaryOf({ added, updated, unchanged, failed, removed, pages, passages }: AddReport['totals']): string {
  const size = `${pluralOf(pages, 'page')}, ${pluralOf(passages, 'passage')}`
  const gone = removed > 0 ? `, ${removed} removed` : ''
  return `${added} added, ${updated} updated, ${unchanged} unchanged, ${failed} failed${gone}: ${size}`
}
