import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import {
  type Comparison,
  compare,
  type EvalReport,
  evalReport,
  evaluate,
  figuresOf,
  htmlReport,
  type Journal,
  noJournal,
  openJournal,
  type RowScore,
  readDataset,
  summarise,
} from '../../eval/index.ts'
import { PathNotFound, type Quaero, UsageError } from '../../index.ts'
import { redactAll } from '../../redact.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { startFileProgress } from '../output/progress.ts'
import { counted, formatTable, shorten } from '../output/table.ts'
import { type Input, type Output, print, printJson, tell } from '../output/terminal.ts'
import { limitsOf, type RunFlags } from '../run-to-end.ts'
import { addDocuments } from './add-documents.ts'

export interface EvalFlags extends RunFlags {
  readonly dataset: string
  readonly documents?: readonly string[] | undefined
  readonly model?: string | undefined
  readonly concurrency?: number | undefined
  /** A report of an earlier evaluation. */
  readonly baseline?: string | undefined
  /** Where the report goes, as JSON, and as a web page. */
  readonly out?: string | undefined
  readonly html?: string | undefined
  /** Percent of the judged rows. */
  readonly failUnder?: number | undefined
}

const defaultConcurrency = 4

/** `quaero eval`: asks every question of a dataset, and says how good the answers were. */
export async function runEval(quaero: Quaero, input: Input, output: Output, flags: EvalFlags): Promise<number> {
  const rows = await readDataset(flags.dataset)
  const baseline = flags.baseline === undefined ? null : await readReport(flags.baseline)
  const startedAt = new Date().toISOString()
  if (flags.documents) {
    await addDocuments(quaero, flags.documents, output, { quiet: flags.quiet, signal: input.signal })
  }
  const journal = await journalOf(quaero, rows, flags)
  const judged = rows.filter(({ id }) => journal.judged.some((score) => score.id === id)).length
  if (judged > 0 && !flags.quiet) tell(output, `Goes on after ${judged} of ${counted(rows.length, 'question')}.`)
  const scores = await askAll(quaero, { rows, journal, input, output, flags })
  const model = await modelOf(quaero, scores)
  const found: EvalReport = {
    version: 1,
    dataset: flags.dataset,
    model,
    startedAt,
    summary: summarise(scores),
    rows: [...scores],
  }
  const report = redactAll(found, output.hide)
  const comparison = baseline && compare(baseline, report)
  if (flags.out !== undefined) await writeFile(flags.out, `${JSON.stringify(report, null, 2)}\n`)
  if (flags.html !== undefined) await writeFile(flags.html, htmlReport(report, comparison))
  await journal.finish()
  if (flags.json) printJson(output, report)
  else print(output, shown(report, comparison))
  return exitCodeOf(report.summary, output, flags)
}

function exitCodeOf({ passed }: EvalReport['summary'], output: Output, { failUnder }: EvalFlags): number {
  if (failUnder === undefined) return exitCodes.ok
  if (passed.of > 0 && passed.hits * 100 >= failUnder * passed.of) return exitCodes.ok
  // Where nothing is judged, nothing is known to be good enough.
  tell(output, `Fewer than ${failUnder} % passed: ${passed.hits} of ${passed.of} that were judged.`)
  return exitCodes.failed
}

interface Asking {
  readonly rows: Awaited<ReturnType<typeof readDataset>>
  readonly journal: Journal
  readonly input: Input
  readonly output: Output
  readonly flags: EvalFlags
}

async function askAll(quaero: Quaero, { rows, journal, input, output, flags }: Asking): Promise<readonly RowScore[]> {
  const progress = await startFileProgress(output, flags.quiet)
  const done = new Set(journal.judged.map(({ id }) => id))
  try {
    return await evaluate({
      quaero,
      rows,
      judged: journal.judged,
      concurrency: flags.concurrency ?? defaultConcurrency,
      ask: {
        signal: input.signal,
        limits: limitsOf(flags),
        ...(flags.documents && { documents: flags.documents }),
      },
      onRow: async (score) => {
        await journal.keep(redactAll(score, output.hide))
        done.add(score.id)
        progress.update({ done: done.size, total: rows.length, path: shorten(score.question, 60) })
      },
    })
  } catch (error) {
    progress.stop()
    if (input.signal.aborted) tell(output, `Stopped after ${done.size} of ${rows.length}; the same command goes on.`)
    throw error
  } finally {
    progress.stop()
  }
}

/** Beside the database; what keeps nothing keeps no journal either. */
async function journalOf(quaero: Quaero, rows: Asking['rows'], flags: EvalFlags): Promise<Journal> {
  const { path } = await quaero.report()
  if (path === ':memory:') return noJournal
  const { documents = [], model = null, maxSteps = null, maxCost = null, timeout = null } = flags
  return openJournal(join(dirname(path), 'evals'), [rows, documents, model, maxSteps, maxCost, timeout])
}

async function modelOf(quaero: Quaero, scores: readonly RowScore[]): Promise<string> {
  const asked = scores.find(({ runId }) => runId !== null)
  return asked?.runId ? (await quaero.runs.show(asked.runId)).model : 'unknown'
}

async function readReport(path: string): Promise<EvalReport> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new PathNotFound(`${path} cannot be read. Name a report that "quaero eval … --out" wrote.`, { cause })
  })
  const parsed = evalReport.safeParse(jsonOf(text))
  if (parsed.success) return parsed.data
  throw new UsageError(`${path} is no report of an evaluation: ${z.prettifyError(parsed.error)}`)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function shown(report: EvalReport, comparison: Comparison | null): string {
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
