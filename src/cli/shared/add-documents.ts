import type { AddReport, EmbedReport, Quaero } from '../../index.ts'
import { given } from '../command/command.ts'
import { plainLine } from '../output/plain-text.ts'
import { startFileProgress } from '../output/progress.ts'
import { pluralOf, shorten } from '../output/table.ts'
import { type Output, tell } from '../output/terminal.ts'

export const emptyLibrary = 'The library is empty. Add documents with: quaero add <path>'

export interface AddDocumentsOptions {
  readonly quiet?: boolean | undefined
  readonly passwords?: readonly string[] | undefined
  readonly signal: AbortSignal
  readonly sync?: boolean | undefined
  readonly repair?: boolean | undefined
  readonly tags?: readonly string[] | undefined
}

/** Adds files and folders with progress on stderr; failed and skipped files are listed there once. */
export async function addDocuments(
  quaero: Quaero,
  paths: readonly string[],
  output: Output,
  options: AddDocumentsOptions,
): Promise<AddReport> {
  const progress = await startFileProgress(output, options.quiet)
  const embedding = await startFileProgress(output, options.quiet)
  try {
    const report = await quaero.library.add(paths, {
      onProgress: progress.update,
      onEmbedProgress: (passages) => {
        progress.stop()
        embedding.update({ ...passages, path: 'passages embedded' })
      },
      signal: options.signal,
      ...given({ passwords: options.passwords, sync: options.sync, repair: options.repair, tags: options.tags }),
    })
    progress.stop()
    embedding.stop()
    tellProblems(report, output, options.quiet)
    return report
  } finally {
    progress.stop()
    embedding.stop()
  }
}

/** Lists failed and skipped files on stderr. */
export function tellProblems({ documents, skipped, embeddings }: AddReport, output: Output, quiet = false): void {
  for (const { path, error } of documents) {
    if (error) tell(output, plainLine(`${path} could not be read: ${error.message}`))
  }
  if (skipped.length > 0 && !quiet) {
    const isPicture = skipped.some((path) => /\.(?:png|jpe?g|tiff?)$/i.test(path))
    const pictures = ', or a picture without text; quaero doctor says what reads pictures'
    const why = `of another type, or a link out of its folder${isPicture ? pictures : ''}`
    tell(output, `Skipped ${pluralOf(skipped.length, 'file')} (${why}): ${named(skipped, output)}`)
  }
  if (embeddings) tellEmbedProblem(embeddings, output)
}

function named(paths: readonly string[], { hide }: Output): string {
  const rest = paths.length - shown
  const names = paths.slice(0, shown).map((path) => shorten(path, 60, hide))
  return `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

const shown = 5

/** Prints on stderr why passages have no vector. */
export function tellEmbedProblem({ error, missing }: EmbedReport, output: Output): void {
  if (!error) return
  const left = `${pluralOf(missing, 'passage')} found by words alone until "quaero library embed" succeeds`
  tell(output, plainLine(`Not all was embedded: ${error.message}. Finished vectors are kept; ${left}.`))
}

/** The number of vectors and their cost in one line. */
export function describeEmbedding(report: EmbedReport): string {
  const { embedded, sent, model, dimensions, tokens, costUsd, missing } = report
  const space = dimensions === null ? model : `${model}, ${dimensions} dimensions`
  const cost = costUsd === null ? '' : ` (${costUsd.toFixed(4)} USD)`
  const spent = sent === 0 ? '' : `; ${pluralOf(sent, 'text')} sent, ${tokens ?? 'unknown'} tokens${cost}`
  return `${pluralOf(embedded, 'passage')} embedded with ${space}${spent}; ${missing} without a vector`
}
