import { changesOf, differenceIn, type EvalReport, figuresOf } from '../../eval/index.ts'
import { plainLine } from '../output/plain-text.ts'
import { formatTable } from '../output/table.ts'

/** An evaluation for people: figures, questions that did not pass, changes. */
export function describeReport({ summary, rows, comparison }: EvalReport): string {
  const failed = rows.filter(({ passed }) => passed === false)
  const notPassed = listed(
    'Not passed',
    failed.map(({ id, problems }) => `${id}: ${problems.join('; ')}`),
  )
  const figures = formatTable(
    ['Figure', 'Value', ''],
    figuresOf(summary).map(({ name, value, detail }) => [name, value, detail]),
  )
  if (!comparison) return [figures, ...notPassed].join('\n')
  const earlier = new Map(figuresOf(comparison.before).map(({ name, value }) => [name, value]))
  const sideBySide = formatTable(
    ['Figure', 'Now', 'Before', ''],
    figuresOf(comparison.after).map(({ name, value, detail }) => [name, value, earlier.get(name) ?? '–', detail]),
  )
  const changes = changesOf(comparison).flatMap(({ title, rows }) =>
    listed(
      title,
      rows.map(({ id, question }) => `${id}: ${question}`),
    ),
  )
  const difference = differenceIn(comparison)
  const beginning = difference ? [figures, ...notPassed, '', difference, '', sideBySide] : [sideBySide, ...notPassed]
  return [...beginning, ...changes].join('\n')
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
