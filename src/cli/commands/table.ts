import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { Argument, Option } from 'commander'
import { shownValue } from '../../claims/table/table-text.ts'
import { UsageError } from '../../errors.ts'
import type { FilledCell, Table, TableFormat, TablePlan, TableRequest, TableWork } from '../../index.ts'
import { type CommandModule, given } from '../command/command.ts'
import { jsonOption, quietOption } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { startFileProgress } from '../output/progress.ts'
import { formatTable, pluralOf } from '../output/table.ts'
import { type Input, type Output, print, printJson, tell } from '../output/terminal.ts'
import { type AskedFlags, askedOf, askedOptions } from '../shared/asked-documents.ts'
import { readNamed, readNamedText, requireWritable, writeNamed } from '../shared/files.ts'
import { tellLimit } from '../shared/run-to-end.ts'

interface TableFlags extends AskedFlags {
  readonly questions: string
  readonly output?: string | undefined
  readonly columns?: readonly string[] | undefined
  readonly form?: string | undefined
  readonly dryRun?: boolean | undefined
  readonly approve?: 'all' | 'none' | undefined
}

export const table: CommandModule<TableFlags> = {
  name: 'table',
  description:
    'ask every document the same questions: a table with a quote behind each value\n' +
    'ask only what is missing when it is called again: what was stopped, new documents, new questions',
  arguments: [
    new Argument(
      '<questions>',
      'a file with a question a line, which may end with the form of its cells: [text], [number], [yes/no], [one of a | b | c]; or a list in JSON; "-" reads stdin',
    ),
  ],
  options: [
    ...askedOptions({ parts: 'cells', done: 'ask', each: 'each cell' }),
    new Option('-o, --output <file>', 'where to write the table: .xlsx, .csv, .md, .html or .json'),
    new Option('--columns <id...>', 'only these questions, by their ids or their places from 1'),
    new Option('--form <form>', 'the form of cells whose question states none'),
    new Option('--dry-run', 'say what would be asked and what cells have cost so far, and ask nothing'),
    new Option('--approve <mode>', 'answers for tools that need an approval').choices(['all', 'none']),
    jsonOption(),
    quietOption(),
  ],
  examples: [
    'table questions.txt -d ./papers -o table.xlsx',
    'table questions.txt -d ./papers --dry-run',
    'table questions.txt --columns 1 3 --json',
  ],
  async run({ open, input, output }, flags) {
    const columns = await columnsIn(flags, input)
    const format = flags.output === undefined ? null : await formatOf(flags.output)
    const quaero = await open()
    const asked = await askedOf(quaero, input, output, flags)
    const work = quaero.table({ columns, ...asked, ...given({ approve: flags.approve }) })
    const plan = await work.plan()
    if (flags.dryRun) {
      if (flags.json) printJson(output, planInJson(plan))
      else print(output, describePlan(plan))
      return exitCodes.ok
    }
    tellLimit(plan, output, flags)
    if (!flags.quiet) tell(output, describePlan(plan))
    const filled = await fillWithProgress(work, plan, output, flags.quiet)
    const made = await work.result()
    const written = flags.output && format && (await writeTable(made, flags.output, format, output))
    if (flags.json) printJson(output, made)
    else print(output, written ? summaryOf(made, written) : describeTable(made, output))
    return exitCodeOf(plan, filled, input.signal)
  },
}

// Loaded here, since other commands begin without it.

async function columnsIn({ questions, form, columns }: TableFlags, input: Input): Promise<TableRequest['columns']> {
  const { columnsOf } = await import('../../claims/table/fill-table.ts')
  const { readForm } = await import('../../claims/table/form.ts')
  const { readQuestions } = await import('../../claims/table/read-questions.ts')
  const known = form === undefined ? undefined : readForm(form)
  if (known === null) throw new UsageError('--form must be text, number, yes/no or "one of a | b | c".')
  const hint = 'Write a question a line into a file, or give "-" for stdin.'
  const named = chosen(readQuestions(await readNamedText(questions, input, hint), known), columns)
  // Before a document is added.
  columnsOf({ columns: named })
  return named
}

/** Before anything is asked, so that what was paid for can be written. */
async function formatOf(file: string): Promise<TableFormat> {
  const { tableFormatOf } = await import('../../claims/export/table-files.ts')
  const format = tableFormatOf(file)
  await requireWritable(file)
  return format
}

/** A table that is not finished is written beside a file that may have more. Returns the file that was written. */
async function writeTable(made: Table, file: string, format: TableFormat, output: Output): Promise<string> {
  const { tableFile } = await import('../../claims/export/table-files.ts')
  const isKept = !isFinished(made) && existsSync(file) && !(await hasLess(file, made))
  const ending = extname(file)
  const written = isKept ? `${file.slice(0, -ending.length)}.unfinished${ending}` : file
  await writeNamed(written, await tableFile(made, format))
  if (isKept) tell(output, plainLine(`The table is not finished: ${file} was left as it is, since it may have more.`))
  return written
}

function isFinished({ rows }: Table): boolean {
  return rows.every(({ cells }) => cells.every(({ state }) => state !== 'open' && state !== 'failed'))
}

/** By its proof; false for a file without one. */
async function hasLess(file: string, { rows }: Table): Promise<boolean> {
  const { verifyFile } = await import('../../claims/verify/verify-file.ts')
  // What it claims is counted, and looked up nowhere.
  const nowhere = {
    list: async () => [],
    search: async () => [],
    text: () => Promise.reject(new Error('no documents')),
  }
  const claims = await verifyFile(file, await readNamed(file), nowhere).then(
    (verified) => verified.claims.length,
    () => null,
  )
  const values = rows.flatMap(({ cells }) => cells.filter(({ value }) => value !== null))
  return claims !== null && claims < values.length
}

function chosen(columns: TableRequest['columns'], wanted: readonly string[] | undefined): TableRequest['columns'] {
  const named = columns.map((each, index) =>
    typeof each === 'string' ? { question: each } : { id: `${index + 1}`, ...each },
  )
  if (!wanted) return named
  const found = wanted.map((id) =>
    named.find((each, index) => ('id' in each && each.id === id) || `${index + 1}` === id),
  )
  const missing = wanted.find((_, index) => !found[index])
  if (missing !== undefined) throw new UsageError(`There is no question "${missing}"; there are ${named.length}.`)
  return found.filter((each) => each !== undefined)
}

async function fillWithProgress(
  work: TableWork,
  plan: TablePlan,
  output: Output,
  quiet = false,
): Promise<readonly FilledCell[]> {
  const progress = await startFileProgress(output, quiet)
  const filled: FilledCell[] = []
  const total = plan.open
  try {
    for await (const cell of work.cells()) {
      filled.push(cell)
      const done = filled.filter(({ isKnown }) => !isKnown).length
      const { source = '' } = plan.documents[cell.row] ?? {}
      if (!cell.isKnown) progress.update({ done, total, path: `${source}: ${plainLine(shownValue(cell.cell))}` })
    }
  } finally {
    progress.stop()
  }
  return filled
}

function planInJson({ documents, ...plan }: TablePlan) {
  return { ...plan, documents: documents.map(({ documentId, source }) => ({ documentId, source })) }
}

function describePlan({ columns, documents, known, open, perCell }: TablePlan): string {
  const size = `${pluralOf(documents.length, 'document')}, ${pluralOf(columns.length, 'question')}`
  const cells = known === 0 ? `${open} cells to ask for` : `${known} cells are known, ${open} to ask for`
  if (!perCell || open === 0) return `${size}: ${cells}.`
  const { modelCalls, tokens, costUsd } = perCell
  const cost = costUsd === null ? '' : `, ${costUsd.toFixed(4)} USD`
  const all = costUsd === null ? '' : `, in all about ${(costUsd * open).toFixed(2)} USD`
  return `${size}: ${cells}; a known cell took ${pluralOf(modelCalls, 'model call')}, ${tokens} tokens${cost} in the median${all}.`
}

function describeTable({ columns, rows }: Table, output: Output): string {
  const body = rows.map(({ document, cells }) => [document, ...cells.map(shownValue)])
  return formatTable(['Document', ...columns.map(({ question }) => question)], body, output)
}

function summaryOf({ rows }: Table, file: string): string {
  const cells = rows.flatMap((row) => row.cells)
  const counted = [...new Set(cells.map(({ state }) => state))].map(
    (state) => `${cells.filter((cell) => cell.state === state).length} ${state}`,
  )
  return `${file}: ${pluralOf(rows.length, 'row')}, ${pluralOf(cells.length, 'cell')}: ${counted.join(', ')}`
}

/** By what has come of the cells: where one is asked again, the table may show what was known of it. */
function exitCodeOf({ known, open }: TablePlan, filled: readonly FilledCell[], signal: AbortSignal): number {
  if (signal.aborted) return exitCodes.interrupted
  if (filled.some(({ cell }) => cell.state === 'failed')) return exitCodes.failed
  return filled.length < known + open || filled.some(({ cell }) => cell.state === 'open')
    ? exitCodes.requiresAction
    : exitCodes.ok
}
