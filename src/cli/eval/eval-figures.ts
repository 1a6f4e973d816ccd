import { type Comparison, differenceIn, type EvalReport, figuresOf } from '../../eval/index.ts'
import { plainLine } from '../output/plain-text.ts'
import { formatTable } from '../output/table.ts'

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
