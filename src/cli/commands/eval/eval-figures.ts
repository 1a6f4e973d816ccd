import { type Comparison, type EvalReport, figuresOf } from '../../../eval/index.ts'
import { plainLine } from '../../output/plain-text.ts'
import { formatTable } from '../../output/table.ts'

/** An evaluation as a person reads it: its figures, what did not pass, and what changed. */
export function shownFigures(report: EvalReport, comparison: Comparison | null): string {
  const before = comparison && new Map(figuresOf(comparison.before).map(({ name, value }) => [name, value]))
  const rows = figuresOf(report.summary).map(({ name, value, detail }) =>
    before ? [name, value, before.get(name) ?? '–', detail] : [name, value, detail],
  )
  const head = before ? ['Figure', 'Now', 'Before', ''] : ['Figure', 'Value', '']
  const failed = report.rows.filter(({ passed }) => passed === false)
  return [
    formatTable(head, rows),
    ...listed(
      'Not passed',
      failed.map(({ id, problems }) => `${id}: ${problems.join('; ')}`),
    ),
    ...(comparison ? changesIn(comparison) : []),
  ].join('\n')
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
