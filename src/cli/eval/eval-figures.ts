import {
  type Comparison,
  differenceIn,
  type EvalReport,
  type EvalRow,
  experimentOf,
  figuresOf,
  type LangfuseExperiments,
  type ReportedExperiment,
} from '../../eval/index.ts'
import { asError, type Quaero } from '../../index.ts'
import { plainLine } from '../output/plain-text.ts'
import { formatTable } from '../output/table.ts'
import { type Input, type Output, tell } from '../output/terminal.ts'

/** An evaluation as a person reads it: its figures, what did not pass, and what changed. */
export function shownFigures(report: EvalReport, comparison: Comparison | null): string {
  const difference = comparison && differenceIn(comparison)
  const failed = report.rows.filter(({ passed }) => passed === false)
  return [
    comparison && !difference ? sideBySide(comparison) : figuresTable(report),
    ...listed(
      'Not passed',
      failed.map(({ id, problems }) => `${id}: ${problems.join('; ')}`),
    ),
    ...(comparison && difference ? ['', difference, '', sideBySide(comparison)] : []),
    ...(comparison ? changesIn(comparison) : []),
  ].join('\n')
}

function figuresTable({ summary }: EvalReport): string {
  const rows = figuresOf(summary).map(({ name, value, detail }) => [name, value, detail])
  return formatTable(['Figure', 'Value', ''], rows)
}

function sideBySide({ before, after }: Comparison): string {
  const earlier = new Map(figuresOf(before).map(({ name, value }) => [name, value]))
  const rows = figuresOf(after).map(({ name, value, detail }) => [name, value, earlier.get(name) ?? '–', detail])
  return formatTable(['Figure', 'Now', 'Before', ''], rows)
}

function changesIn({ broken, mended, reworded }: Comparison): readonly string[] {
  const named = (rows: Comparison['broken']) => rows.map(({ id, question }) => `${id}: ${question}`)
  return [
    ...listed('Passed before, and no longer', named(broken)),
    ...listed('Passed now, and not before', named(mended)),
    ...listed('Worded otherwise', named(reworded)),
  ]
}

const mostListed = 20

function listed(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return []
  const more = lines.length - mostListed
  const rest = more > 0 ? [`  and ${more} more`] : []
  return [
    '',
    `${title} (${lines.length})`,
    ...lines.slice(0, mostListed).map((line) => `  ${plainLine(line)}`),
    ...rest,
  ]
}

export interface ExperimentFlags {
  readonly langfuse?: boolean | undefined
  /** The names of the dataset and of the run there. */
  readonly langfuseDataset?: string | undefined
  readonly langfuseRun?: string | undefined
}

interface Place {
  readonly quaero: Quaero
  readonly input: Input
  readonly output: Output
  readonly flags: ExperimentFlags
}

/** Reports an evaluation as an experiment, and says where it is; null, and one line, where it does not arrive. */
export async function reportTo(
  langfuse: LangfuseExperiments,
  report: EvalReport,
  rows: readonly EvalRow[],
  { quaero, input, output, flags }: Place,
): Promise<ReportedExperiment | null> {
  const names = { dataset: flags.langfuseDataset, run: flags.langfuseRun }
  try {
    const experiment = await experimentOf(report, rows, { quaero, names })
    const reported = await langfuse.report(experiment, input.signal)
    tell(output, `The experiment: ${plainLine(reported.url)}`)
    return reported
  } catch (error) {
    const why = input.signal.aborted ? 'it was stopped' : asError(error).message.replace(/\.$/, '')
    tell(output, plainLine(`The experiment is not complete in Langfuse: ${why}. The same command reports it again.`))
    return null
  }
}
