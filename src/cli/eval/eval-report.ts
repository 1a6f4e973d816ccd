import { realpath, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { changesOf, differenceIn, type EvalReport, evalReport, figuresOf } from '../../eval/index.ts'
import { asError, TerminalError, UsageError } from '../../index.ts'
import { problemsIn } from '../../options.ts'
import { plainLine } from '../output/plain-text.ts'
import { formatTable } from '../output/table.ts'
import { readNamed, reasonOf, requireWritable } from '../shared/files.ts'

/** The report of an earlier evaluation. Throws `PathNotFound`, `UsageError`. */
export async function readReport(path: string): Promise<EvalReport> {
  const bytes = await readNamed(path, 'Name a report that "quaero eval … --out" wrote.')
  try {
    return evalReport.parse(JSON.parse(bytes.toString()))
  } catch (error) {
    const problem = error instanceof z.ZodError ? problemsIn(error) : asError(error).message
    throw new UsageError(`${path} is no report of an evaluation: ${problem}`)
  }
}

/** A report file could not be written. CLI exit 1. */
export class ReportUnwritten extends TerminalError {
  readonly code = 'report_unwritten'
}

/** Before the first question. Throws `UsageError`, `PathNotFound`. */
export async function requireReport(path: string, dataset: string): Promise<void> {
  if ((await realpath(path).catch(() => null)) === (await realpath(dataset))) {
    throw new UsageError(`${path} is the dataset. Name another file for the report.`)
  }
  await requireWritable(path)
}

/** Throws `ReportUnwritten`. */
export async function writeReport(report: EvalReport, path: string): Promise<void> {
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`).catch((error: unknown) => {
    throw new ReportUnwritten(
      `The report could not be written to ${path} (${reasonOf(error)}). The same command writes it again without asking.`,
    )
  })
}

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
