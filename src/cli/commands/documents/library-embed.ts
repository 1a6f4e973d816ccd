import type { EmbedReport, Quaero } from '../../../index.ts'
import { exitCodeOfError, exitCodes } from '../../output/exit-codes.ts'
import { plainLine } from '../../output/plain-text.ts'
import { startFileProgress } from '../../output/progress.ts'
import { counted } from '../../output/table.ts'
import { type Input, type Output, print, printJson, tell } from '../../output/terminal.ts'

export interface LibraryEmbedFlags {
  readonly anew?: boolean | undefined
  readonly json?: boolean | undefined
  readonly quiet?: boolean | undefined
}

/** `quaero library embed`: gives the passages vectors that have none yet, or all of them new ones. */
export async function runLibraryEmbed(
  quaero: Quaero,
  { signal }: Input,
  output: Output,
  { anew = false, json, quiet }: LibraryEmbedFlags,
): Promise<number> {
  const progress = await startFileProgress(output, quiet)
  try {
    const report = await quaero.library.embed({
      anew,
      signal,
      onProgress: (passages) => progress.update({ ...passages, path: 'passages embedded' }),
    })
    progress.stop()
    tellEmbedProblem(report, output)
    if (json) printJson(output, report)
    else print(output, describeEmbedding(report))
    return report.error ? exitCodeOfError(report.error.code) : exitCodes.ok
  } finally {
    progress.stop()
  }
}

/** Says on stderr why passages are without a vector. */
export function tellEmbedProblem({ error, missing }: EmbedReport, output: Output): void {
  if (!error) return
  const left = `${counted(missing, 'passage')} found by words alone until "quaero library embed" succeeds`
  tell(output, plainLine(`Not all was embedded: ${error.message}. What there is, is kept; ${left}.`))
}

/** One line on what got vectors and what it cost. */
export function describeEmbedding({
  embedded,
  sent,
  model,
  dimensions,
  tokens,
  costUsd,
  missing,
}: EmbedReport): string {
  const space = dimensions === null ? model : `${model}, ${dimensions} dimensions`
  const cost = costUsd === null ? '' : ` (${costUsd.toFixed(4)} USD)`
  const spent = sent === 0 ? '' : `; ${counted(sent, 'text')} sent, ${tokens ?? 'unknown'} tokens${cost}`
  return `${counted(embedded, 'passage')} embedded with ${space}${spent}; ${missing} without a vector`
}
